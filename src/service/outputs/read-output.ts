import { openText } from '../../rows/read/decode/open-text.js';
import { readJsonObjects } from '../../rows/read/open-list.js';
import { fromTable, isAnswer, noResultsFailure, type OutputItem } from './from-table.js';

/** JSON reformatted by another program; ours has one result per line. */
const reformattedJsonStart = /^\s*(?:\{\s*\n|\[[ \t]*\{|\[\s*\n[ \t]+\{|\{"results":[ \t]*\[[ \t]*\{)/;

/** The results in an output: CSV, xlsx, JSON or NDJSON. A non-empty file without results is a Failure. */
export async function readOutput(path: string, column?: string): Promise<AsyncIterable<readonly OutputItem[]>> {
  // A workbook is unpacked once, with its rows.
  const start = /\.xlsx$/i.test(path) ? '' : await startOf(path);
  if (!/^\s*[[{]/.test(start)) return fromTable(path, column);
  const lines = reformattedJsonStart.test(start) ? objectsIn(path) : linesIn(path);
  return fromObjects(lines, path);
}

async function startOf(path: string): Promise<string> {
  const { sample, close } = await openText({ path });
  await close();
  return sample;
}

async function* linesIn(path: string): AsyncGenerator<string> {
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

const chunkLength = 1_000;

/** NDJSON and our summary have one result per line. Other lines, and a truncated one, are skipped. */
async function* fromObjects(lines: AsyncIterable<string>, path: string): AsyncGenerator<readonly OutputItem[]> {
  let items: OutputItem[] = [];
  let results = 0;
  let otherObjects = 0;
  for await (const line of lines) {
    const raw = fieldsIn(line.trim().replace(/,$/, ''));
    if (raw === null) continue;
    if (!isResult(raw)) {
      otherObjects++;
      continue;
    }
    results++;
    const item = itemOf(raw);
    if (item !== null) items.push(item);
    if (items.length < chunkLength) continue;
    yield items;
    items = [];
  }
  if (results === 0 && otherObjects > 0) throw noResultsFailure(path);
  yield items;
}

function fieldsIn(line: string): Partial<OutputItem> | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isResult({ email, status, confidence = 0 }: Partial<OutputItem>): boolean {
  return typeof email === 'string' && typeof status === 'string' && typeof confidence === 'number';
}

/** Null for an unanswered address. */
function itemOf(raw: Partial<OutputItem>): OutputItem | null {
  const { email = '', status = '', is_valid = status === 'valid', confidence = 0 } = raw;
  const { sub_status, safe_to_send, did_you_mean } = raw;
  if (!isAnswer(status, sub_status)) return null;
  return {
    ...{ email, status, is_valid: is_valid === true, confidence },
    ...(typeof sub_status === 'string' && { sub_status }),
    ...(typeof safe_to_send === 'boolean' && { safe_to_send }),
    ...((typeof did_you_mean === 'string' || did_you_mean === null) && { did_you_mean }),
  };
}
