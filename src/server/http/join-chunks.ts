import type { IncomingMessage, ServerResponse } from 'node:http';

/** Chunks in one read of 64 kB that count as hostile. */
const manyPieces = 1_000;

/**
 * Joins the chunks of a body (RFC 9112 §7.1) that arrive in one read: a chunk per byte would cost as much as a large
 * one each. `onMany` is called when there are very many.
 */
export function joinChunks(response: ServerResponse, onMany: (request: IncomingMessage) => void): void {
  const { req: request } = response;
  const push = request.push.bind(request);
  let pieces: Buffer[] = [];
  const handOn = (): void => {
    const joined = Buffer.concat(pieces);
    pieces = [];
    // Backpressure as in Node; reading resumes the socket.
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
  // Node would read the rest of the body chunk by chunk after the response.
  response.prependListener('finish', () => {
    if (request.complete) return;
    request.read(0);
    request.resume();
  });
}
