import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Failure } from '../../model/failure.js';
import { openText } from '../../rows/read/decode/open-text.js';
import { asReadFailure } from '../../rows/read/decode/read-failure.js';
import { EmailField } from '../../rows/read/json/json-fields.js';
import { readJsonObjects } from '../../rows/read/open-list.js';
import { type EarlierItem, noResultsFailure, type ReadingOptions } from './earlier-item.js';
import { findEarlierFiles } from './find-files.js';
import { fromObjects } from './from-objects.js';
import { fromTable } from './from-table.js';

export { type EarlierItem, findEarlierFiles };

/**
 * The results of an earlier run as CSV, xlsx, JSON or NDJSON, complete or truncated, in one or several files. `column` is
 * the email column of a CSV.
 */
export async function openEarlierResults(files: readonly string[], column?: string) {
  const paths = (await Promise.all(files.map(findEarlierFiles))).flat();
  if (paths.length === 0) {
    throw new Failure('bad_input', `There are no earlier results in ${files[0]}.`, {
      hint: 'Give --resume the file that the interrupted run wrote.',
    });
  }
  const opened = await Promise.all(
    paths.map((each) => openResultsIn(each, column, { mayBeTruncated: !files.includes(each) })),
  );
  return {
    /** The run did not wait for its open requests, so some missing results may have been charged. */
    wasKilled: paths.some((each) => each.endsWith('.tmp')),
    answers: concatenate(opened),
  };
}

async function* concatenate<Item>(sources: readonly AsyncIterable<Item>[]): AsyncGenerator<Item> {
  for (const source of sources) yield* source;
}

/** JSON reformatted by another program; ours has one result per line. */
const reformattedJsonStart = /^\s*(?:\{\s*\n|\[[ \t]*\{|\[\s*\n[ \t]+\{|\{"results":[ \t]*\[[ \t]*\{)/;

/**
 * The results of exactly that file. A non-empty file without results is a Failure: all of them would be requested
 * again.
 */
export async function openResultsIn(
  path: string,
  column?: string,
  options: ReadingOptions = {},
): Promise<AsyncIterable<readonly EarlierItem[]>> {
  const { mayBeTruncated = false } = options;
  const { start, isPacked } = await readStart(path, mayBeTruncated);
  if (!/^\s*[[{]/.test(start)) return fromTable(path, column, options);
  const resultLines = isPacked ? unpackedLinesIn(path, mayBeTruncated) : linesIn(path);
  const lines = reformattedJsonStart.test(start) ? objectsIn(path) : resultLines;
  return fromObjects(lines, path, new EmailField(column), options);
}

/** RFC 1952 §2.3.1: the two bytes that every gzip file starts with. */
const gzipStart = Buffer.of(0x1f, 0x8b);
const startLength = 100;

async function readStart(path: string, mayBeTruncated: boolean): Promise<{ start: string; isPacked: boolean }> {
  const bytes: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { end: startLength - 1 })) bytes.push(chunk);
  } catch (error) {
    throw asReadFailure(error, JSON.stringify(path));
  }
  const head = Buffer.concat(bytes);
  if (!head.subarray(0, 2).equals(gzipStart)) return { start: head.toString(), isPacked: false };
  const text = await openText({ path }, { mayBeTruncated });
  await text.close();
  return { start: text.sample.slice(0, startLength), isPacked: true };
}

/** Opened lazily: lines that come earlier would be lost. */
async function* linesIn(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

async function* unpackedLinesIn(path: string, mayBeTruncated: boolean): AsyncGenerator<string> {
  const text = (await openText({ path }, { mayBeTruncated })).decoded();
  try {
    let rest = '';
    for await (const piece of text.pieces(0)) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    yield rest;
  } finally {
    await text.close();
  }
}

async function* objectsIn(path: string): AsyncGenerator<string> {
  try {
    yield* readJsonObjects(await openText({ path }));
  } catch (error) {
    throw noResultsFailure(path, error);
  }
}
