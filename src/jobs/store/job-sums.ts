import { Failure } from '../../model/failure.js';
import type { RowReset } from './result-chunk.js';
import type { JobRecord, RowResult } from './store.js';

type SubCounts = Record<string, number>;

/** Counts by reason with more added. */
export function addSubCounts(known: SubCounts, more: ReadonlyMap<string, number>): SubCounts {
  const sums = new Map(Object.entries(known));
  for (const [sub, count] of more) sums.set(sub, (sums.get(sub) ?? 0) + count);
  return Object.fromEntries(sums);
}

/** What is left of a job's results and counts without its unknown rows; null where it has none. */
export function withoutUnknown(
  job: Pick<JobRecord, 'subCounts'>,
  results: readonly RowResult[],
): { rows: number[]; duplicates: number; subCounts: SubCounts } | null {
  const unknown = results.filter(({ verdict }) => verdict.status === 'unknown');
  if (unknown.length === 0) return null;
  const subCounts = new Map(Object.entries(job.subCounts));
  for (const { verdict, duplicate } of unknown) {
    if (duplicate) continue;
    const left = (subCounts.get(verdict.sub_status) ?? 0) - 1;
    if (left > 0) subCounts.set(verdict.sub_status, left);
    else subCounts.delete(verdict.sub_status);
  }
  return {
    rows: unknown.map(({ row }) => row),
    duplicates: unknown.filter(({ duplicate }) => duplicate).length,
    subCounts: Object.fromEntries(subCounts),
  };
}

/** The last result of each row, of commits in their order. */
export function latestResults(commits: Iterable<readonly (RowResult | RowReset)[]>): RowResult[] {
  const latest = openLatestResults();
  for (const commit of commits) latest.add(commit);
  return latest.all();
}

/** The same for commits that come one by one. */
export function openLatestResults() {
  const rows = new Map<number, RowResult>();
  return {
    add: (commit: readonly (RowResult | RowReset)[]): void => {
      for (const entry of commit) {
        if ('reset' in entry) rows.delete(entry.row);
        else rows.set(entry.row, entry);
      }
    },
    all: (): RowResult[] => [...rows.values()],
  };
}

/** The jobs of lists that nobody has worked on since `before`. A list goes as a whole: its parts share one file. */
export function oldJobs(jobs: readonly JobRecord[], before: number): JobRecord[] {
  const groups = new Map<string, JobRecord[]>();
  for (const job of jobs) {
    const group = groups.get(job.groupId);
    if (group === undefined) groups.set(job.groupId, [job]);
    else group.push(job);
  }
  return [...groups.values()].filter((group) => group.every((job) => isOver(job) && lastMoved(job) < before)).flat();
}

/** Nobody is at work on it: it has ended, was never begun, or its worker is dead. */
function isOver({ state, worker, interrupted }: JobRecord): boolean {
  return state !== 'running' || worker === null || interrupted;
}

function lastMoved({ createdAt, runStartedAt, finishedAt, leaseUntil }: JobRecord): number {
  return finishedAt ?? Math.max(createdAt, runStartedAt ?? 0, leaseUntil ?? 0);
}

/** Why a job that is done is not resumed. */
export function nothingLeft(): Failure {
  return new Failure('conflict', 'The job is completed; there is nothing left to do.', {
    hint: 'To ask again for the addresses that are still unknown, add --only-unknown.',
  });
}

/** Why an upload that is not there is not confirmed. */
export function uploadGone(): Failure {
  return new Failure('not_found', 'There is no such upload; it may have expired.', { hint: 'Upload the file again.' });
}
