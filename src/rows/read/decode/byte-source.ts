import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { callerOfSignal } from '../../../async/caller.js';
import { type TimeSlices, timeSlicesFor } from '../../../async/time-slicer.js';
import { Failure } from '../../../model/failure.js';
import { asReadFailure, tooLarge } from './read-failure.js';

/** Where a list comes from: a file, or a stream such as standard input. */
export type Input = { path: string; name?: string } | { stream: Readable; name?: string };

/** How an input is read. */
export interface Reading {
  /** Ends even a read that waits. */
  signal?: AbortSignal;
  /** More than this, unpacked, is the Failure `too_large`. */
  maxBytes?: number;
}

/** Bytes being pulled from an input, unpacked where they were compressed with gzip. */
interface ByteSource {
  /** How to call the input in a sentence. */
  name: string;
  totalBytes: number | null;
  bytesRead(): number;
  /** The next bytes, valid until the next call; null at the end. */
  read(): Promise<Uint8Array | null>;
  close(): Promise<void>;
}

/** Bytes that are read as a share of the machine. */
interface SharedBytes extends ByteSource {
  /** How much is handed on at a time, so that what is done with it keeps nobody else waiting. */
  atOnce: number;
  /** A promise where it is time to let others have the thread. */
  maybeYield: TimeSlices['maybeYield'];
}

const chunkBytes = 64 * 1024;
/** As much as is handed on at a time: the shortest rows take longest, and there are two thousand of them in this. */
const pieceBytes = 4 * 1024;

/** Opens an input. Every trouble with it, now or later, is a Failure. */
export async function openBytes(input: Input, { signal, maxBytes = Infinity }: Reading = {}): Promise<SharedBytes> {
  const raw =
    'path' in input
      ? // Opening a named pipe waits for its other end.
        await interruptible(
          () => openFile(input.path, JSON.stringify(input.name ?? input.path)),
          signal,
          (late) => void late.close(),
          () => releasePipe(input.path),
        )
      : openStream(input.stream, input.name ?? 'standard input');
  try {
    const source = await interruptible(() => unpacked(raw), signal);
    const share = callerOfSignal(signal);
    const { maybeYield } = timeSlicesFor(share);
    // Who has the machine for himself keeps nobody waiting by taking more at a time.
    const atOnce = share.owner === '' ? chunkBytes : pieceBytes;
    let given = 0;
    let left: Uint8Array | null = null;
    let leftShare = 0;
    let readBefore = 0;
    const read = async (): Promise<Uint8Array | null> => {
      if (left === null) readBefore = source.bytesRead();
      const bytes: Uint8Array | null = left ?? (await interruptible(source.read, signal));
      if (bytes === null) return null;
      // The beginning, by which the format is told, comes whole.
      const most = given === 0 ? bytes.length : atOnce;
      left = bytes.length > most ? bytes.subarray(most) : null;
      const piece = left === null ? bytes : bytes.subarray(0, most);
      leftShare = left === null ? 0 : left.length / chunkBytes;
      given += piece.length;
      if (given > maxBytes) throw tooLarge(source.name, maxBytes);
      // What is done with them takes time, and the next piece of a hundred other files may have come with this one.
      const rest = maybeYield();
      if (rest !== null) await rest;
      return piece;
    };
    // Rows are reckoned by it, so what was not handed on yet does not count.
    const bytesRead = (): number => source.bytesRead() - (source.bytesRead() - readBefore) * leftShare;
    return { ...source, read, bytesRead, atOnce, maybeYield };
  } catch (thrown) {
    await raw.close();
    throw thrown;
  }
}

async function openFile(path: string, name: string): Promise<ByteSource> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const stat = await handle.stat();
    if (stat.isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
    // A pipe or a device can keep a read waiting for ever, which only a stream survives being closed under.
    if (!stat.isFile()) return openStream(handle.createReadStream(), name);
    return readFrom(handle, name, stat.size);
  } catch (thrown) {
    await handle?.close();
    throw asReadFailure(thrown, name);
  }
}

function readFrom(handle: FileHandle, name: string, size: number): ByteSource {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  let total = 0;
  let closed = false;
  return {
    name,
    // Files of /proc and the like say that they are empty.
    totalBytes: size === 0 ? null : size,
    bytesRead: () => total,
    async read() {
      try {
        const { bytesRead } = await handle.read(buffer, 0, chunkBytes, null);
        total += bytesRead;
        return bytesRead === 0 ? null : buffer.subarray(0, bytesRead);
      } catch (thrown) {
        throw asReadFailure(thrown, name);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      await handle.close();
    },
  };
}

function openStream(stream: Readable, name: string): ByteSource {
  const pieces = stream[Symbol.asyncIterator]();
  let total = 0;
  return {
    name,
    totalBytes: null,
    bytesRead: () => total,
    async read() {
      try {
        const { value, done } = await pieces.next();
        if (done) return null;
        const bytes = typeof value === 'string' ? Buffer.from(value) : (value as Uint8Array);
        total += bytes.length;
        return bytes;
      } catch (thrown) {
        throw asReadFailure(thrown, name);
      }
    },
    async close() {
      // Its late errors have nobody left to hear them.
      stream.on('error', () => {});
      stream.destroy();
    },
  };
}

/** The same bytes, through gunzip where they start with gzip's magic number (RFC 1952, 2.3.1). Nothing accumulates. */
async function unpacked(source: ByteSource): Promise<ByteSource> {
  const head = await readAtLeast(source, 2);
  let first: Uint8Array | null = head.length > 0 ? head : null;
  const plain: ByteSource = {
    ...source,
    async read() {
      if (first === null) return source.read();
      const bytes = first;
      first = null;
      return bytes;
    },
  };
  if (head[0] !== 0x1f || head[1] !== 0x8b) return plain;

  const gunzip = process.getBuiltinModule('node:zlib').createGunzip({ chunkSize: chunkBytes });
  pipeline(Readable.from(copies(plain), { objectMode: false }), gunzip, () => {});
  const output = openStream(gunzip, source.name);
  return {
    ...source,
    read: () => output.read(),
    async close() {
      await output.close();
      await source.close();
    },
  };
}

async function* copies(source: ByteSource): AsyncGenerator<Buffer> {
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

/** Ends an open that waits for a writer, which would keep the process alive, by being that writer for a moment. */
function releasePipe(path: string): void {
  stat(path)
    .then(async (found) => {
      if (found.isFIFO()) await (await open(path, constants.O_WRONLY | constants.O_NONBLOCK)).close();
    })
    // The pipe went away, or nothing waits for it any more.
    .catch(() => {});
}

/** Work that fails as soon as the signal says so, whatever the input does; what comes of it later is handed to `late`. */
function interruptible<T>(
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
  late?: (value: T) => void,
  release?: () => void,
): Promise<T> {
  if (signal === undefined) return work();
  return new Promise((resolve, reject) => {
    const interrupt = () => {
      reject(new Failure('interrupted', 'Interrupted.', { cause: signal.reason }));
      release?.();
    };
    if (signal.aborted) return interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    work()
      .then((value) => {
        if (signal.aborted) late?.(value);
        resolve(value);
      }, reject)
      .finally(() => signal.removeEventListener('abort', interrupt));
  });
}
