import type { IncomingMessage, ServerResponse } from 'node:http';

/** Pieces in what is read at once, 64 kB: who sends more of them does not mean to get on. */
const manyPieces = 1_000;

/**
 * Hands on a body that comes in chunks (RFC 9112 §7.1) by what was read at once: of a chunk for each byte, each would take as much
 * time and memory as a large one. `onMany` is told, while that is read, where there are very many.
 */
export function joinChunks(response: ServerResponse, onMany: (request: IncomingMessage) => void): void {
  const { req: request } = response;
  const push = request.push.bind(request);
  let pieces: Buffer[] = [];
  const handOn = (): void => {
    const joined = Buffer.concat(pieces);
    pieces = [];
    // As Node does where nobody takes what has come; whoever takes it reads on.
    if (joined.length > 0 && !request.destroyed && !push(joined)) request.socket.pause();
  };
  request.push = (piece: Buffer | null): boolean => {
    if (piece === null) {
      handOn();
      return push(null);
    }
    const count = pieces.push(piece);
    if (count === 1) setImmediate(handOn);
    if (count === manyPieces) onMany(request);
    return true;
  };
  // What comes after the answer is read, too, and Node would take each chunk by itself.
  response.prependListener('finish', () => {
    if (request.complete) return;
    request.read(0);
    request.resume();
  });
}
