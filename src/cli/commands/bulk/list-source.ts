import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Source } from '../../../lists/pipeline.js';
import type { Row } from '../../../rows/rows.js';
import type { Context } from '../../context.js';
import { digestFiles, isRegularFile } from '../../terminal/digest-files.js';
import { type BulkOptions, type OpenedList, openList } from './open-list.js';

/** A list, as the pipeline reads it. */
export interface BulkList {
  rows: OpenedList;
  source: Source<Row>;
  /** What the list is, for the memory of the run: a digest of its files, or of the beginning of a pipe. */
  digest(): Promise<string>;
}

/** A pipe is known by its beginning: a run that was interrupted has not read the rest. */
const headBytes = 64 * 1024;
/** A slow pipe is known by what has come until then. */
const maxHeadMs = 2_000;

type ListChoice = Pick<BulkOptions, 'paths' | 'list' | 'run'>;

/** Opens the lists of a command, or its standard input. */
export async function openBulkList(context: Context, options: ListChoice): Promise<BulkList> {
  const { paths } = options;
  if (paths.length === 0) {
    const head = headDigest();
    const { stdin } = context.terminal;
    const stream = stdin.stream.on('error', (error) => head.stream.destroy(error)).pipe(head.stream);
    const terminal = { ...context.terminal, stdin: { ...stdin, stream } };
    const rows = await openList({ ...context, terminal }, options);
    return { rows, source: { items: rows.chunks, from: null, close: rows.close }, digest: head.digest };
  }
  const rows = await openList(context, options);
  const canReadTwice = (await Promise.all(paths.map(isRegularFile))).every(Boolean);
  return {
    rows,
    source: { items: rows.chunks, close: rows.close, from: canReadTwice ? readAgain(context, options) : null },
    digest: () => digestFiles(paths),
  };
}

function readAgain(context: Context, options: ListChoice): (item: number) => Promise<Source<Row>> {
  const from = async (item: number): Promise<Source<Row>> => {
    const { chunks, close } = await openList(context, options);
    return { items: withoutFirst(chunks, item), from, close };
  };
  return from;
}

async function* withoutFirst(chunks: AsyncIterable<Row[]>, count: number): AsyncGenerator<Row[]> {
  let left = count;
  for await (const rows of chunks) {
    if (left < rows.length) yield left === 0 ? rows : rows.slice(left);
    left = Math.max(0, left - rows.length);
  }
}

/** Passes a stream on, and hashes its first bytes. */
function headDigest() {
  const hash = createHash('sha256');
  let size = 0;
  const stream = new Transform({
    transform: (chunk: Buffer, _, done) => {
      if (size < headBytes) hash.update(chunk.subarray(0, headBytes - size));
      size += chunk.length;
      if (size >= headBytes) stream.emit('head');
      done(null, chunk);
    },
    flush: (done) => {
      stream.emit('head');
      done();
    },
  });
  const isKnown = once(stream, 'head').catch(() => {});
  const digest = async (): Promise<string> => {
    await Promise.race([isKnown, sleep(maxHeadMs, null, { ref: false })]);
    return hash.copy().digest('hex');
  };
  return { stream, digest };
}
