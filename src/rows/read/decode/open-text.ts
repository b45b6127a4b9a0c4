import type { Charset } from '../../../model/charset.js';
import { type Input, openBytes, type ReadOptions } from './byte-source.js';
import { decodedCharset, type OpenCharset, openCharset } from './charset.js';
import { detectEncoding, parseEncoding } from './encoding.js';

/** An input as text, with its beginning as a sample for detection. */
export interface TextSource {
  name: string;
  totalBytes: number | null;
  bytesRead(): number;
  /** The beginning of the text, as its charset holds it, without the byte order mark. */
  sample: string;
  /** True if the sample is the whole text. */
  isComplete: boolean;
  /** The text from this position of the sample on, in pieces that take a bounded time. */
  pieces(start: number): AsyncGenerator<string>;
  /** As the charset holds it; empty if there is none. */
  byteOrderMark: string;
  charset: Charset;
  warnings: readonly string[];
  /** True for a sheet of a workbook, which is CSV with commas. */
  isSheet: boolean;
  /** A sentence if cells were shown in an encoding that is only a guess. */
  notes(): string[];
  /** The same text decoded as a whole: in the declared encoding, or UTF-8. */
  decoded(): TextSource;
  close(): Promise<void>;
}

const sampleBytes = 64 * 1024;
/** The sample of a list whose first line is longer. */
const maxSampleBytes = 1024 * 1024;
/** The sample of a pipe ends when it pauses this long after a line, so that an interactive user gets an answer. */
const pauseMs = 50;

interface OpenTextOptions extends ReadOptions {
  /** The encoding's name; otherwise each cell is UTF-8, or in an encoding of the language. */
  encoding?: string;
  /** The user's language, such as `pl` or `de-AT`; by default that of this process. */
  language?: string;
  /** What was left out when a sheet of a workbook was stored, or nothing; undefined for any other list. */
  warnings?: readonly string[];
}

/** Opens an input and reads its beginning. */
export async function openText(
  input: Input,
  { encoding, language, warnings, ...reading }: OpenTextOptions = {},
): Promise<TextSource> {
  const declared = encoding === undefined ? null : parseEncoding(encoding);
  const bytes = await openBytes(input, reading);
  try {
    const { head, complete, pending } = await readHead(bytes.read, bytes.totalBytes === null);
    const detected = detectEncoding(head, bytes.name, declared);
    const open = (charset: OpenCharset): TextSource => {
      const start = charset.read(head) + (complete ? charset.end() : '');
      const byteOrderMark = /^(?:\ufeff|\xef\xbb\xbf)/.exec(start)?.[0] ?? '';
      const sample = start.slice(byteOrderMark.length);
      async function* pieces(from: number): AsyncGenerator<string> {
        for (let offset = from; offset < sample.length; offset += bytes.pieceBytes) {
          const pause = bytes.maybeYield();
          if (pause !== null) await pause;
          yield sample.slice(offset, offset + bytes.pieceBytes);
        }
        if (complete) return;
        for (let piece = await (pending ?? bytes.read()); piece !== null; piece = await bytes.read()) {
          yield charset.read(piece);
        }
        const rest = charset.end();
        if (rest !== '') yield rest;
      }
      return {
        name: bytes.name,
        totalBytes: bytes.totalBytes,
        bytesRead: bytes.bytesRead,
        sample,
        isComplete: complete,
        pieces,
        byteOrderMark,
        charset,
        warnings: bytes.warnings ?? warnings ?? [],
        isSheet: (bytes.warnings ?? warnings) !== undefined,
        notes: () => {
          const guessed = charset.guessed();
          return guessed === null
            ? []
            : [`Some cells are not UTF-8, and were read as ${guessed}. If that is wrong, name it with --encoding.`];
        },
        decoded: () =>
          detected?.startsWith('utf-16')
            ? open(openCharset(detected, language))
            : open(decodedCharset(detected ?? 'utf-8')),
        close: bytes.close,
      };
    };
    return open(openCharset(detected, language, head.includes('|')));
  } catch (thrown) {
    await bytes.close();
    throw thrown;
  }
}

type PendingPiece = Promise<Uint8Array | null>;

interface Head {
  head: Buffer;
  complete: boolean;
  /** The read that was in progress when the input paused. */
  pending: PendingPiece | null;
}

/** Reads the first bytes. Only a stream can pause; a file is just slow. */
async function readHead(read: () => PendingPiece, mayPause: boolean): Promise<Head> {
  const parts: Buffer[] = [];
  let length = 0;
  let hasLine = false;
  while (length < (hasLine ? sampleBytes : maxSampleBytes)) {
    const pending: PendingPiece = read();
    const piece: Uint8Array | null | 'paused' = hasLine && mayPause ? await unlessPaused(pending) : await pending;
    if (piece === 'paused') {
      // The next read reports its error.
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

async function unlessPaused(pending: PendingPiece): Promise<Uint8Array | null | 'paused'> {
  let timer: NodeJS.Timeout | undefined;
  const paused = new Promise<'paused'>((resolve) => {
    // The process may have been busy, and the next piece be here already.
    timer = setTimeout(() => setImmediate(resolve, 'paused'), pauseMs);
  });
  try {
    return await Promise.race([pending, paused]);
  } finally {
    clearTimeout(timer);
  }
}
