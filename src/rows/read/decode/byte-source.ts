import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { abortable } from '../../../async/abortable.js';
import { type Caller, localCaller } from '../../../async/caller.js';
import { createSemaphore } from '../../../async/semaphore.js';
import { type TimeSlices, timeSlicesFor } from '../../../async/time-slicer.js';
import { Failure } from '../../../model/failure.js';
import { asReadFailure, listChanged, tooLarge, workbookTooLarge } from './read-failure.js';
import type { WorkbookText } from './read-workbook.js';

/** Where a list comes from: a file, or a stream such as standard input. */
export type Input = { path: string; name?: string } | { stream: Readable; name?: string };

/** How an input is read. */
export interface ReadOptions {
  /** Aborting it also ends a pending read. */
  signal?: AbortSignal | undefined;
  /** The caller that reads, for fair sharing of the process. */
  caller?: Caller | undefined;
  /** The limit, decompressed; above it is the Failure `too_large`. */
  maxBytes?: number | undefined;
  /** The sheet of a workbook; the first unless it is named. */
  sheet?: string;
}

/** The bytes of an input, decompressed if they were in gzip. */
interface ByteSource {
  /** The input's name for messages. */
  name: string;
  totalBytes: number | null;
  /** Of a workbook: its other sheets with addresses. */
  warnings?: readonly string[];
  bytesRead(): number;
  /** The next bytes, valid until the next call; null at the end. */
  read(): Promise<Uint8Array | null>;
  close(): Promise<void>;
}

/** Bytes in pieces that take a bounded time to process. */
interface SlicedBytes extends ByteSource {
  pieceBytes: number;
  /** Returns a promise to wait for if other work is due. */
  maybeYield: TimeSlices['maybeYield'];
}

const chunkBytes = 64 * 1024;
/** The length of a piece if other work shares the process: 2,000 of the shortest rows. */
const sharedPieceBytes = 4 * 1024;
/** Lines, most of them empty, take time though no rows are read. */
const maxSharedLines = 10_000_000;

/** Opens an input. Every error, now or later, is a Failure. */
export async function openBytes(
  input: Input,
  { signal, caller = localCaller, maxBytes = Infinity, sheet }: ReadOptions = {},
): Promise<SlicedBytes> {
  const raw =
    'path' in input
      ? // Opening a named pipe waits for its other end.
        await interruptible(
          () => openFile(input.path, JSON.stringify(input.name ?? input.path)),
          signal,
          closeLate,
          () => releasePipe(input.path),
        )
      : openStream(input.stream, input.name ?? 'standard input');
  try {
    const source = await interruptible(async () => unpacked(await decompressed(raw), caller, sheet), signal, closeLate);
    const { maybeYield } = timeSlicesFor(caller);
    const isShared = caller.owner !== '';
    const pieceBytes = isShared ? sharedPieceBytes : chunkBytes;
    let lines = 0;
    let delivered = 0;
    let chunk: Uint8Array = new Uint8Array();
    let used = 0;
    let readBefore = 0;
    const read = async (): Promise<Uint8Array | null> => {
      if (used === chunk.length) {
        readBefore = source.bytesRead();
        const next = await interruptible(source.read, signal);
        if (next === null) return null;
        chunk = next;
        used = 0;
      }
      // The beginning is not cut: it is the sample for detection.
      const piece = chunk.subarray(used, delivered === 0 ? chunk.length : used + pieceBytes);
      used += piece.length;
      delivered += piece.length;
      if (delivered > maxBytes)
        throw tooLarge(source.name, `more than ${Math.round(maxBytes / 1024 / 1024)} MB, decompressed`);
      if (isShared) for (const byte of piece) if (byte === 10) lines++;
      if (lines > maxSharedLines) throw tooLarge(source.name, 'more than 10,000,000 lines');
      // Processing a piece takes time, and other files may be read at the same time.
      const pause = maybeYield();
      if (pause !== null) await pause;
      return piece;
    };
    // Row counts are estimated from it, so bytes that were not delivered yet do not count.
    const bytesRead = (): number => readBefore + (source.bytesRead() - readBefore) * (used / (chunk.length || 1));
    return { ...source, read, bytesRead, pieceBytes, maybeYield };
  } catch (thrown) {
    await raw.close();
    throw thrown;
  }
}

const closeLate = (source: ByteSource): void => void source.close();

async function openFile(path: string, name: string): Promise<ByteSource> {
  let handle: FileHandle | undefined;
  try {
    const file = await open(path, 'r');
    handle = file;
    const opened = await file.stat();
    if (opened.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    // A read of a pipe or a device may never return; only a stream that owns its file can be closed during it.
    const isFile = opened.isFile();
    const source = openStream(file.createReadStream({ highWaterMark: chunkBytes, autoClose: !isFile }), name);
    if (!isFile) return source;
    const read = async (): Promise<Uint8Array | null> => {
      const bytes = await source.read();
      if (bytes === null) await requireUnchanged(file, opened, path, name);
      return bytes;
    };
    const close = (): Promise<void> => source.close().then(() => file.close());
    // Files in /proc report a size of 0.
    return { ...source, read, totalBytes: opened.size === 0 ? null : opened.size, close };
  } catch (thrown) {
    await handle?.close();
    throw asReadFailure(thrown, name);
  }
}

/** Throws if the file was written to, or another one has taken its place: rows may be missing or torn. */
async function requireUnchanged(handle: FileHandle, opened: Stats, path: string, name: string): Promise<void> {
  const [now, atPath] = await Promise.all([handle.stat(), stat(path).catch(() => opened)]);
  const isSame = now.size === opened.size && now.mtimeMs === opened.mtimeMs;
  if (!isSame || atPath.ino !== opened.ino || atPath.dev !== opened.dev) throw listChanged(name);
}

function openStream(stream: Readable, name: string): ByteSource {
  const pieces = stream[Symbol.asyncIterator]();
  let total = 0;
  const read = async (): Promise<Uint8Array | null> => {
    try {
      const { value, done } = await pieces.next();
      if (done) return null;
      const bytes: Uint8Array = typeof value === 'string' ? Buffer.from(value) : value;
      total += bytes.length;
      return bytes;
    } catch (thrown) {
      throw asReadFailure(thrown, name);
    }
  };
  const close = async (): Promise<void> => {
    // Errors after close are ignored.
    stream.on('error', () => {}).destroy();
  };
  return { name, read, bytesRead: () => total, totalBytes: null, close };
}

/** The bytes, through gunzip if they start with gzip's magic number (RFC 1952, section 2.3.1). */
async function decompressed(source: ByteSource): Promise<ByteSource> {
  const head = await readAtLeast(source, 2);
  const plain = startingWith(head, source);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return plain;

  const { createGunzip } = process.getBuiltinModule('node:zlib');
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  pipeline(Readable.from(copiedChunks(plain), { objectMode: false }), gunzip, () => {});
  const output = openStream(gunzip, source.name);
  const close = async (): Promise<void> => {
    await output.close();
    await source.close();
  };
  return { ...source, read: output.read, close };
}

/** The archive of a workbook is held in memory. */
const maxWorkbookBytes = 32 * 1024 * 1024;

/** A service converts one workbook at a time. */
const workbooks = createSemaphore(1);

/** The first bytes of a ZIP archive, which a workbook (xlsx) is. */
function isArchive(head: Uint8Array): boolean {
  return head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4;
}

/** The bytes, or a sheet of a workbook as CSV. */
async function unpacked(source: ByteSource, caller: Caller, sheet: string | undefined): Promise<ByteSource> {
  const head = await readAtLeast(source, 4);
  if (!isArchive(head)) {
    if (sheet === undefined) return startingWith(head, source);
    const message = `There is no sheet ${JSON.stringify(sheet)} in ${source.name}: it is no Excel workbook.`;
    throw new Failure('usage', message, { hint: 'Leave out --sheet.' });
  }
  const isShared = caller.owner !== '';
  if (isShared) await workbooks.acquire(caller);
  let hasEnded = false;
  let text: WorkbookText | null = null;
  const close = async (): Promise<void> => {
    if (isShared && !hasEnded) workbooks.release();
    hasEnded = true;
    await text?.close();
    await source.close();
  };
  try {
    const archive = await readArchive(head, source);
    const { readWorkbook } = await import('./read-workbook.js');
    text = await readWorkbook(archive, source.name, sheet);
    return text === null
      ? startingWith(head, { ...source, read: async () => null, close })
      : { ...source, ...text, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** The whole archive, in memory of its own, which moves to the thread. */
async function readArchive(head: Uint8Array, source: ByteSource): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [head];
  let size = head.length;
  for await (const bytes of copiedChunks(source)) {
    chunks.push(bytes);
    size += bytes.length;
    if (size > maxWorkbookBytes) throw workbookTooLarge(source.name, 'more than 32 MB');
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** The source with bytes that were taken from its beginning, or that replace it. */
function startingWith(head: Uint8Array, source: ByteSource): ByteSource {
  let isFirst = head.length > 0;
  const read = async (): Promise<Uint8Array | null> => {
    if (!isFirst) return source.read();
    isFirst = false;
    return head;
  };
  return { ...source, read };
}

async function* copiedChunks(source: ByteSource): AsyncGenerator<Buffer> {
  for (let bytes = await source.read(); bytes !== null; bytes = await source.read()) yield Buffer.from(bytes);
}

async function readAtLeast(source: ByteSource, count: number): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < count) {
    const bytes = await source.read();
    if (bytes === null) break;
    head = Buffer.concat([head, bytes]);
  }
  return head;
}

/** Ends an open() that waits for a writer, and would keep the process alive, by opening the pipe for writing. */
function releasePipe(path: string): void {
  stat(path)
    .then(async (found) => {
      if (found.isFIFO()) await (await open(path, constants.O_WRONLY | constants.O_NONBLOCK)).close();
    })
    // The pipe is gone, or has a writer by now.
    .catch(() => {});
}

/** Work that rejects as soon as the signal aborts. `onLateResult` gets a result that arrives afterwards; `release` ends the wait itself. */
async function interruptible<T>(
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
  onLateResult?: (value: T) => void,
  release?: () => void,
): Promise<T> {
  const interrupted = () => new Failure('interrupted', 'Interrupted.', { cause: signal?.reason });
  if (signal?.aborted) throw interrupted();
  const pending = work();
  try {
    return await abortable(pending, signal);
  } catch (thrown) {
    if (signal?.aborted !== true) throw thrown;
    pending.then(onLateResult, () => {});
    release?.();
    throw interrupted();
  }
}
