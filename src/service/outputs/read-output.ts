import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { openText } from '../../rows/read/decode/open-text.js';
import { asReadFailure } from '../../rows/read/decode/read-failure.js';
import { EmailField } from '../../rows/read/json/json-fields.js';
import { readJsonObjects } from '../../rows/read/open-list.js';
import { fromObjects } from './from-objects.js';
import { fromTable } from './from-table.js';
import { noResultsFailure, type OutputItem, type ReadingOptions } from './output-item.js';

/** JSON reformatted by another program; ours has one result per line. */
const reformattedJsonStart = /^\s*(?:\{\s*\n|\[[ \t]*\{|\[\s*\n[ \t]+\{|\{"results":[ \t]*\[[ \t]*\{)/;

/** The results in an output: CSV, xlsx, JSON or NDJSON. A non-empty file without results is a Failure. */
export async function readOutput(
  path: string,
  column?: string,
  options: ReadingOptions = {},
): Promise<AsyncIterable<readonly OutputItem[]>> {
  const { start, isPacked } = await readStart(path);
  if (!/^\s*[[{]/.test(start)) return fromTable(path, column, options);
  const resultLines = isPacked ? unpackedLinesIn(path) : linesIn(path);
  const lines = reformattedJsonStart.test(start) ? objectsIn(path) : resultLines;
  return fromObjects(lines, path, new EmailField(column), options);
}

/** RFC 1952 §2.3.1: the two bytes that every gzip file starts with. */
const gzipStart = Buffer.of(0x1f, 0x8b);
const startLength = 100;

async function readStart(path: string): Promise<{ start: string; isPacked: boolean }> {
  const bytes: Buffer[] = [];
  try {
    for await (const chunk of createReadStream(path, { end: startLength - 1 })) bytes.push(chunk);
  } catch (error) {
    throw asReadFailure(error, JSON.stringify(path));
  }
  const head = Buffer.concat(bytes);
  if (!head.subarray(0, 2).equals(gzipStart)) return { start: head.toString(), isPacked: false };
  const text = await openText({ path });
  await text.close();
  return { start: text.sample.slice(0, startLength), isPacked: true };
}

/** Opened lazily: lines that come earlier would be lost. */
async function* linesIn(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

async function* unpackedLinesIn(path: string): AsyncGenerator<string> {
  const text = (await openText({ path })).decoded();
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
