import { type Input, openBytes, type Reading } from './byte-source.js';
import { createDecoder } from './decode-text.js';
import type { Decoder } from './decoder.js';
import { parseEncoding } from './encoding.js';
import { sniffEncoding } from './sniff-encoding.js';

/** An input as text, with its beginning at hand for guessing. */
export interface TextSource {
  name: string;
  totalBytes: number | null;
  bytesRead(): number;
  /** The beginning of the text. */
  sample: string;
  /** Whether the sample is the whole text. */
  complete: boolean;
  /** The text from its beginning, piece by piece; null at the end. */
  read(): Promise<string | null>;
  /** So much of the sample is not to be read. */
  skip(chars: number): void;
  /** Whether it begins with a byte order mark, which is not part of the text. */
  hasMark: boolean;
  /** Lines that were not what the rest is; null while there are none. */
  odd: Decoder['odd'];
  /** True once text beyond ASCII was met that is in the encoding of the whole. */
  sound: Decoder['sound'];
  close(): Promise<void>;
}

const sampleBytes = 64 * 1024;
/** A pipe that has given a line and then pauses this long gets its answer, rather than waiting for a full sample. */
const quietMs = 50;

interface OpenTextOptions extends Reading {
  /** The encoding's name; else found out. */
  encoding?: string;
}

/** Opens an input, decodes it, and reads its beginning. */
export async function openText(input: Input, { encoding, ...reading }: OpenTextOptions = {}): Promise<TextSource> {
  const said = encoding === undefined ? undefined : parseEncoding(encoding);
  const bytes = await openBytes(input, reading);
  try {
    const { head, complete, pending } = await readHead(bytes.read, bytes.totalBytes === null);
    const opening = sniffEncoding(head, bytes.name, said);
    const decoder = createDecoder(opening.encoding);
    let waiting = pending;
    let ended = complete;
    const next = async (): Promise<string | null> => {
      if (ended) return null;
      const piece = await (waiting ?? bytes.read());
      waiting = null;
      return piece === null ? finish('') : decoder.decode(piece);
    };
    const finish = (text: string) => {
      ended = true;
      return text + decoder.end();
    };
    let sample = complete ? finish(decoder.decode(head)) : decoder.decode(head);
    // Text comes by whole lines, and the first may be a long one.
    while (sample === '' && !ended) sample += (await next()) ?? '';
    let at = 0;
    const read = async (): Promise<string | null> => {
      if (at >= sample.length) return next();
      const piece = sample.slice(at, at + bytes.atOnce);
      at += piece.length;
      const rest = bytes.maybeYield();
      if (rest !== null) await rest;
      return piece;
    };
    return {
      name: bytes.name,
      totalBytes: bytes.totalBytes,
      bytesRead: bytes.bytesRead,
      sample,
      complete: ended,
      read,
      skip: (chars) => {
        at = chars;
      },
      hasMark: opening.hasMark,
      odd: decoder.odd,
      sound: decoder.sound,
      close: bytes.close,
    };
  } catch (thrown) {
    await bytes.close();
    throw thrown;
  }
}

type Piece = Promise<Uint8Array | null>;

interface Head {
  head: Buffer;
  complete: boolean;
  /** The read that was under way when the input paused. */
  pending: Piece | null;
}

/** A file never pauses: it is only slow. */
async function readHead(read: () => Piece, mayPause: boolean): Promise<Head> {
  const parts: Buffer[] = [];
  let length = 0;
  let hasLine = false;
  while (length < sampleBytes) {
    const pending: Piece = read();
    const piece: Uint8Array | null | 'quiet' = hasLine && mayPause ? await unlessQuiet(pending) : await pending;
    if (piece === 'quiet') {
      // Its failure is heard when the next read waits for it.
      pending.catch(() => {});
      return { head: Buffer.concat(parts), complete: false, pending };
    }
    if (piece === null) return { head: Buffer.concat(parts), complete: true, pending: null };
    parts.push(Buffer.from(piece));
    length += piece.length;
    hasLine ||= piece.includes(10) || piece.includes(13);
  }
  return { head: Buffer.concat(parts), complete: false, pending: null };
}

async function unlessQuiet(pending: Piece): Promise<Uint8Array | null | 'quiet'> {
  let timer: NodeJS.Timeout | undefined;
  const quiet = new Promise<'quiet'>((resolve) => {
    timer = setTimeout(resolve, quietMs, 'quiet');
  });
  try {
    return await Promise.race([pending, quiet]);
  } finally {
    clearTimeout(timer);
  }
}
