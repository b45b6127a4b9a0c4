import type { FileLayout } from '../../../model/job.js';
import { type Input, openBytes, type ReadOptions } from './byte-source.js';
import { createDecoder } from './decode-text.js';
import type { Decoder } from './decoder.js';
import { detectEncoding, endsLinesWithNul, isLegacyText, parseEncoding } from './encoding.js';

/** An input as text, with its beginning as a sample for detection. */
export interface TextSource {
  name: string;
  totalBytes: number | null;
  bytesRead(): number;
  sample: string;
  /** True if the sample is the whole text. */
  isComplete: boolean;
  /** The text from its beginning, piece by piece; null at the end. */
  read(): Promise<string | null>;
  /** Starts reading at this position of the sample. */
  skip(chars: number): void;
  /** A byte order mark is not part of the text. */
  hasByteOrderMark: boolean;
  /** True if the first bytes are in a legacy encoding. */
  isLegacy: boolean;
  foreignLines: Decoder['foreignLines'];
  hasRegularText: Decoder['hasRegularText'];
  warnings: readonly string[];
  /** Of the columns of a workbook. */
  cellFormats?: FileLayout['cellFormats'];
  close(): Promise<void>;
}

const sampleBytes = 64 * 1024;
/** The sample of a pipe ends when it pauses this long after a line, so that an interactive user gets an answer. */
const pauseMs = 50;

interface OpenTextOptions extends ReadOptions {
  /** The encoding's name; otherwise detected. */
  encoding?: string;
}

/** Opens an input, decodes it, and reads its beginning. */
export async function openText(input: Input, { encoding, ...reading }: OpenTextOptions = {}): Promise<TextSource> {
  const declared = encoding === undefined ? undefined : parseEncoding(encoding);
  const bytes = await openBytes(input, reading);
  try {
    const { head, complete, pending } = await readHead(bytes.read, bytes.totalBytes === null);
    const detected = detectEncoding(head, bytes.name, declared);
    const decoder = createDecoder(detected.encoding);
    const decode = endsLinesWithNul(head, detected.encoding)
      ? (piece: Uint8Array): string => decoder.decode(nulsToLineFeeds(piece))
      : decoder.decode;
    let nextPiece = pending;
    let hasEnded = complete;
    const next = async (): Promise<string | null> => {
      if (hasEnded) return null;
      const piece = await (nextPiece ?? bytes.read());
      nextPiece = null;
      return piece === null ? finish('') : decode(piece);
    };
    const finish = (text: string) => {
      hasEnded = true;
      return text + decoder.end();
    };
    let sample = complete ? finish(decode(head)) : decode(head);
    // Text is decoded line by line, and the first line may be long.
    while (sample === '' && !hasEnded) sample += (await next()) ?? '';
    let offset = 0;
    const read = async (): Promise<string | null> => {
      if (offset >= sample.length) return next();
      const piece = sample.slice(offset, offset + bytes.pieceBytes);
      offset += piece.length;
      const pause = bytes.maybeYield();
      if (pause !== null) await pause;
      return piece;
    };
    return {
      name: bytes.name,
      totalBytes: bytes.totalBytes,
      bytesRead: bytes.bytesRead,
      sample,
      isComplete: hasEnded,
      read,
      skip: (chars) => {
        offset = chars;
      },
      hasByteOrderMark: detected.hasByteOrderMark,
      isLegacy: isLegacyText(head, detected.encoding, complete),
      foreignLines: decoder.foreignLines,
      hasRegularText: decoder.hasRegularText,
      warnings: bytes.warnings ?? [],
      ...(bytes.cellFormats && { cellFormats: bytes.cellFormats }),
      close: bytes.close,
    };
  } catch (thrown) {
    await bytes.close();
    throw thrown;
  }
}

function nulsToLineFeeds(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte === 0 ? 10 : byte));
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
  while (length < sampleBytes) {
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
    timer = setTimeout(resolve, pauseMs, 'paused');
  });
  try {
    return await Promise.race([pending, paused]);
  } finally {
    clearTimeout(timer);
  }
}
