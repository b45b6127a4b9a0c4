import type { RowVerdict } from '../../model/job.js';
import type { RowResult } from './job-record.js';
import { damagedRecord } from './records.js';
import { all, forJob, run, type SqlBackend } from './sql.js';

/** Stored for a duplicate whose mailbox another worker asks: readers take the verdict of its first row. */
export const sameAsEarlierRow: RowVerdict = {
  ...{ status: 'duplicate', sub_status: '', confidence: 0, safe_to_send: false, did_you_mean: null },
};

interface StoredChunk {
  num: number;
  data: string;
}

export function resultsTable(backend: SqlBackend) {
  return {
    /** The results of each commit, in order; a later one of a row replaces an earlier one. With `slice`, those of its rows, and maybe others. */
    readResults: async function* (jobId: string, slice: number | null = null): AsyncGenerator<RowResult[]> {
      for await (const { data } of eachChunk(backend, jobId, slice)) yield decodeChunk(data);
    },
    /** Deletes these suggested spellings from the results of a job. */
    forgetSuggestions: async (jobId: string, suggestions: ReadonlySet<string>) => {
      for await (const { num, data } of eachChunk(backend, jobId)) {
        const changed = withoutSuggestions(data, suggestions);
        if (changed === null) continue;
        await backend.write(function* () {
          yield* run('UPDATE chunks SET data = ? WHERE num = ?', changed, num);
          // Nodes keep verdicts of ended jobs for a moment.
          yield* backend.notifyNodes();
        });
      }
    },
  };
}

/** The chunks of a job, some a transaction. */
async function* eachChunk(
  { read, maxChunks }: SqlBackend,
  jobId: string,
  slice: number | null = null,
): AsyncGenerator<StoredChunk> {
  const select = `SELECT chunks.num, data FROM chunks JOIN jobs ON jobs.num = chunks.job
    WHERE jobs.id = ? AND chunks.num > ? AND (slice IS NULL OR slice = coalesce(?, slice)) ORDER BY chunks.num LIMIT ?`;
  for (let last: number | null = 0; last !== null; ) {
    const from: number = last;
    const chunks = await read(() => all<StoredChunk>(select, jobId, from, slice, maxChunks), forJob(jobId));
    yield* chunks;
    last = chunks.length < maxChunks ? null : (chunks.at(-1)?.num ?? null);
  }
}

/** Results of one commit: each distinct verdict once, and its index for each row. */
interface Chunk {
  verdicts: PackedVerdict[];
  /** Pairs of a row and the index of its verdict, flattened; a negative number is how many rows after it have the same verdict. */
  rows: number[];
  /** Deferred results by their index in the commit: when to retry, since when, and the worker that is to. */
  waits?: [index: number, retryAt: number, refusedAt: number | null, home?: string | null][];
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
  const { rows } = chunk;
  for (const [number, result] of results.entries()) {
    // Neighbors often share their verdict.
    const { row, verdict, duplicate, reused, retryAt, refusedAt, home } = result;
    const isSame = verdict === last?.verdict && duplicate === last.duplicate && reused === last.reused;
    if (!isSame) index = indexOf(result);
    if (!isSame || row !== (last?.row ?? row) + 1) rows.push(row, index);
    else rows.push((rows.at(-1) ?? 0) < 0 ? (rows.pop() ?? 0) - 1 : -1);
    last = result;
    if (retryAt !== null) waits.push([number, retryAt, refusedAt, home ?? null]);
  }
  return JSON.stringify(waits.length === 0 ? chunk : { ...chunk, waits });
}

/** The rows of one chunk, in order. Throws `storage` for a damaged chunk. */
function decodeChunk(text: string): RowResult[] {
  return readChunk(text, ({ verdicts, rows, waits = [] }) => {
    const entries: RowResult[] = [];
    const unpacked = verdicts.map((packed) => ({ flags: packed[3], verdict: decodeVerdict(packed) }));
    for (let offset = 0; offset < rows.length; offset += 2) {
      const first = rows[offset] ?? -1;
      const found = unpacked[rows[offset + 1] ?? -1];
      if (!Number.isSafeInteger(first) || first < 0 || found === undefined)
        throw new TypeError('not a row with a verdict');
      const { flags, verdict } = found;
      const duplicate = (flags & duplicateFlag) !== 0;
      const next = rows[offset + 2] ?? 0;
      if (next < 0) offset++;
      const end = first + Math.max(1, 1 - next);
      for (let row = first; row < end; row++) {
        const entry: RowResult = { row, verdict, duplicate, retryAt: null, refusedAt: null };
        if ((flags & reusedFlag) !== 0) entry.reused = true;
        entries.push(entry);
      }
    }
    for (const [index, retryAt, refusedAt, home] of waits)
      Object.assign(entries[index] ?? {}, { retryAt, refusedAt, home: home ?? undefined });
    return entries;
  });
}

/** Returns the chunk without these suggested spellings; null if it has none of them. */
function withoutSuggestions(text: string, suggestions: ReadonlySet<string>): string | null {
  return readChunk(text, (chunk) => {
    const isForgotten = (packed: PackedVerdict): boolean => suggestions.has(packed[4] ?? '');
    if (!chunk.verdicts.some(isForgotten)) return null;
    const verdicts = chunk.verdicts.map((packed) => (isForgotten(packed) ? packed.slice(0, 4) : packed));
    return JSON.stringify({ ...chunk, verdicts });
  });
}

function readChunk<T>(text: string, decode: (chunk: Chunk) => T): T {
  try {
    return decode(JSON.parse(text));
  } catch (cause) {
    throw damagedRecord('results of a job', cause);
  }
}

function decodeVerdict([status, sub_status, confidence, flags, did_you_mean = null]: PackedVerdict): RowVerdict {
  const kinds = [status, sub_status, confidence, flags].map((field) => typeof field).join(' ');
  if (kinds !== 'string string number number') throw new TypeError('not a verdict');
  return { status, sub_status, confidence, safe_to_send: (flags & safeFlag) !== 0, did_you_mean };
}
