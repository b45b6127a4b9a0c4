import type { RowVerdict } from '../../model/job.js';
import { countedAs } from '../../model/result.js';
import type { Batch, RowResult } from '../store/store.js';
import { isWorthKeeping } from './verdict-age.js';

type Part = Pick<Batch, 'results' | 'counts' | 'subCounts' | 'cache'>;

/** The cache is ordered by address, and many at once cost half as much as few; losing some to a crash only means asking again. */
const rememberRows = 100_000;

/** Gathers results until they are committed. */
export interface Tally {
  size(): number;
  /** `email` is the canonical address to remember the verdict by, or null. */
  add(result: RowResult, email: string | null): void;
  /** All that was gathered since the last time; verdicts to remember are held back until they are worth a write, or `all` is asked for. */
  drain(all: boolean): Part;
}

/** An empty tally; verdicts are remembered under `scope`. */
export function openTally(scope: string): Tally {
  let part = emptyPart();
  let remembered: { email: string; verdict: RowVerdict }[] = [];
  return {
    size: () => part.results.length,
    add: (result, email) => {
      part.results.push(result);
      if (result.retryAt !== null) return;
      const { verdict, duplicate } = result;
      part.counts.processed++;
      part.counts[countedAs(verdict.status, duplicate)]++;
      if (duplicate) return;
      part.subCounts.set(verdict.sub_status, (part.subCounts.get(verdict.sub_status) ?? 0) + 1);
      if (email !== null && isWorthKeeping(verdict)) remembered.push({ email, verdict });
    },
    drain: (all) => {
      const entries = all || remembered.length >= rememberRows ? remembered : [];
      if (entries.length > 0) remembered = [];
      const drained = { ...part, cache: { scope, entries } };
      part = emptyPart();
      return drained;
    },
  };
}

function emptyPart() {
  return {
    results: [] as RowResult[],
    counts: { processed: 0, valid: 0, invalid: 0, risky: 0, unknown: 0, duplicate: 0 },
    subCounts: new Map<string, number>(),
  };
}
