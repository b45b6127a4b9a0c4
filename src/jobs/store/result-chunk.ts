import type { RowVerdict } from '../../model/job.js';
import { damagedRecord } from './records.js';
import type { RowResult, VerdictPage } from './store.js';

/** Cancels the earlier result of a row. */
interface RowReset {
  row: number;
  reset: true;
}

/** Results of one commit: each distinct verdict once, and its index for each row. */
interface Chunk {
  verdicts: PackedVerdict[];
  /** Pairs of a row and the index of its verdict, flattened. */
  rows: number[];
  /** Deferred results by their index in the commit: when to retry, and since when. */
  waits?: [index: number, retryAt: number, refusedAt: number | null][];
}

type PackedVerdict = [status: string, subStatus: string, confidence: number, flags: number, didYouMean?: string | null];

const safeFlag = 1;
const duplicateFlag = 2;
const reusedFlag = 4;

export function encodeChunk(results: readonly RowResult[]): string {
  const chunk: Chunk = { verdicts: [], rows: [] };
  const waits: Chunk['waits'] = [];
  const indexes = new Map<string, number>();
  const indexOf = ({ verdict, duplicate, reused }: RowResult): number => {
    const { status, sub_status, confidence, safe_to_send, did_you_mean } = verdict;
    const flags = (safe_to_send ? safeFlag : 0) | (duplicate ? duplicateFlag : 0) | (reused ? reusedFlag : 0);
    const key = `${status} ${sub_status} ${confidence} ${flags} ${did_you_mean ?? ''}`;
    const index = indexes.get(key) ?? chunk.verdicts.length;
    if (index < chunk.verdicts.length) return index;
    indexes.set(key, index);
    const packed: PackedVerdict = [status, sub_status, confidence, flags];
    chunk.verdicts.push(did_you_mean === null ? packed : [status, sub_status, confidence, flags, did_you_mean]);
    return index;
  };
  let last: RowResult | null = null;
  let index = -1;
  for (const result of results) {
    // Neighbors often share their verdict.
    const isSame = result.verdict === last?.verdict && result.duplicate === last.duplicate;
    if (!isSame || result.reused !== last?.reused) index = indexOf(result);
    last = result;
    const { row, retryAt, refusedAt } = result;
    if (retryAt !== null) waits.push([chunk.rows.length / 2, retryAt, refusedAt]);
    chunk.rows.push(row, index);
  }
  return JSON.stringify(waits.length === 0 ? chunk : { ...chunk, waits });
}

/** Encodes a chunk that cancels the results of rows. */
export function encodeResets(rows: readonly number[]): string {
  return JSON.stringify(rows.map((row) => [row]));
}

/** The rows of one chunk, in order. Throws `storage` for a damaged chunk. */
export function decodeChunk(text: string): (RowResult | RowReset)[] {
  return read(text, (chunk) => (Array.isArray(chunk) ? chunk.map(decodeListedRow) : decodeResults(chunk)));
}

/** Appends the verdicts of a chunk to a page, without an object for each row. A row that waits for a retry has none yet, as in the counts of its job. */
export function decodeVerdicts(text: string, page: Pick<VerdictPage, 'rows' | 'verdicts'>): void {
  read(text, (chunk) => {
    if (Array.isArray(chunk)) {
      for (const entry of chunk.map(decodeListedRow)) {
        page.rows.push(entry.row);
        page.verdicts.push('reset' in entry || entry.retryAt !== null ? null : entry.verdict);
      }
      return;
    }
    const verdicts = chunk.verdicts.map(decodeVerdict);
    const start = page.verdicts.length;
    for (let offset = 0; offset < chunk.rows.length; offset += 2) {
      const verdict = verdicts[chunk.rows[offset + 1] ?? -1];
      if (verdict === undefined) throw new TypeError('a row without a verdict');
      page.rows.push(rowNumber(chunk.rows[offset]));
      page.verdicts.push(verdict);
    }
    for (const [index] of chunk.waits ?? []) page.verdicts[start + index] = null;
  });
}

/** Returns the chunk without these suggested spellings; null if it has none of them. */
export function withoutSuggestions(text: string, suggestions: ReadonlySet<string>): string | null {
  let isChanged = false;
  const results = decodeChunk(text).map((entry) => {
    if ('reset' in entry || !suggestions.has(entry.verdict.did_you_mean ?? '')) return entry;
    isChanged = true;
    return { ...entry, verdict: { ...entry.verdict, did_you_mean: null } };
  });
  // A chunk has either results or resets.
  return isChanged ? encodeChunk(results.filter((entry): entry is RowResult => !('reset' in entry))) : null;
}

function read<T>(text: string, decode: (chunk: ListedRow[] | Chunk) => T): T {
  try {
    return decode(JSON.parse(text));
  } catch (cause) {
    throw damagedRecord('results of a job', cause);
  }
}

function decodeResults({ verdicts, rows, waits = [] }: Chunk): RowResult[] {
  const entries = verdicts.map((packed) => ({
    verdict: decodeVerdict(packed),
    duplicate: isDuplicate(packed),
    ...(isReused(packed) && { reused: true as const }),
  }));
  const results: RowResult[] = [];
  for (let offset = 0; offset < rows.length; offset += 2) {
    const entry = entries[rows[offset + 1] ?? -1];
    if (entry === undefined) throw new TypeError('a row without a verdict');
    results.push({ row: rowNumber(rows[offset]), ...entry, retryAt: null, refusedAt: null });
  }
  for (const [index, retryAt, refusedAt] of waits) {
    const result = results[index];
    if (result === undefined) throw new TypeError('a wait without a row');
    results[index] = { ...result, retryAt, refusedAt };
  }
  return results;
}

/** One row: canceled, or a result in the format of older stores. */
type ListedRow =
  | [row: number]
  | [
      row: number,
      status: string,
      subStatus: string,
      confidence: number,
      flags: number,
      unused?: number,
      didYouMean?: string | null,
      retryAt?: number,
      refusedAt?: number | null,
    ];

function decodeListedRow(entry: ListedRow): RowResult | RowReset {
  const row = rowNumber(entry[0]);
  if (entry.length === 1) return { row, reset: true };
  const [, status, subStatus, confidence, flags, , didYouMean = null, retryAt = null, refusedAt = null] = entry;
  const packed: PackedVerdict = [status, subStatus, confidence, flags, didYouMean];
  return { row, verdict: decodeVerdict(packed), duplicate: isDuplicate(packed), retryAt, refusedAt };
}

function decodeVerdict([status, sub_status, confidence, flags, did_you_mean = null]: PackedVerdict): RowVerdict {
  const kinds = [status, sub_status, confidence, flags].map((field) => typeof field).join(' ');
  if (kinds !== 'string string number number') throw new TypeError('not a verdict');
  return { status, sub_status, confidence, safe_to_send: (flags & safeFlag) !== 0, did_you_mean };
}

function isDuplicate([, , , flags]: PackedVerdict): boolean {
  return (flags & duplicateFlag) !== 0;
}

function isReused([, , , flags]: PackedVerdict): boolean {
  return (flags & reusedFlag) !== 0;
}

function rowNumber(value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new TypeError('not a row number');
}
