import { exitStatuses, Failure } from '../../model/failure.js';
import type { JobResultRow, JobResults } from '../../model/job.js';
import type { Row, RowSource } from '../../rows/rows.js';
import type { JobRecord } from '../store/store.js';
import { type AddressDependencies, type AddressedRows, openAddressedRows } from './addressed-rows.js';
import { openNumberedRows } from './numbered-rows.js';

/**
 * The rows of a list with the verdicts of its jobs: by their numbers as long as each has the address that it was recorded with, and
 * by their addresses from the first row on that has another. Whatever the list gives, no verdict goes to another address and none is lost.
 */
export async function* rowsWithVerdicts(
  dependencies: AddressDependencies,
  jobs: readonly JobRecord[],
  list: Pick<RowSource, 'chunks' | 'columns' | 'emailColumns'>,
): JobResults['rows'] {
  const numbered = openNumberedRows(dependencies, jobs);
  let addressed: AddressedRows | null = null;
  let number = -1;
  try {
    for await (const chunk of readableChunks(list.chunks)) {
      // In its place: whoever takes the rows and empties the list of them leaves none to anybody.
      const rows = chunk as JobResultRow[];
      let kept = 0;
      for (let place = 0; place < chunk.length; place++) {
        const row = chunk[place] as Row;
        number++;
        if (addressed === null) {
          const isTheirs = numbered.isReady(number) || (await numbered.reach(number));
          if (!isTheirs && !includesLastPart(jobs)) {
            rows.length = kept;
            if (kept > 0) yield rows;
            return;
          }
          const verdict = isTheirs ? numbered.verdictOn(number, row.email) : 'another address';
          if (verdict === 'another job') continue;
          if (verdict !== 'another address') {
            rows[kept++] = Object.assign(row, { verdict });
            continue;
          }
          await numbered.close();
          addressed = await openAddressedRows(dependencies, jobs, number);
        }
        const paired = addressed.pair(chunk, place);
        if (paired !== null) rows[kept++] = paired;
      }
      rows.length = kept;
      if (kept > 0) yield rows;
    }
    if (addressed === null && number + 1 < endOf(jobs)) {
      addressed = await openAddressedRows(dependencies, jobs, number + 1);
    }
    if (addressed !== null) yield* addressed.unlisted(list);
  } finally {
    await numbered.close();
  }
}

/** The row after the last one of the jobs. */
function endOf(jobs: readonly JobRecord[]): number {
  const last = jobs.at(-1);
  return last === undefined ? 0 : last.firstRow + last.total;
}

/** After the last of these jobs the list had no more rows. */
function includesLastPart(jobs: readonly JobRecord[]): boolean {
  const last = jobs.at(-1);
  return last !== undefined && last.part === last.parts - 1;
}

async function* readableChunks(chunks: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
  try {
    yield* chunks;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
}

/** The stored list is gone, or not what this version takes for a list; trouble that may pass is neither. */
export function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Failure) || exitStatuses[error.code] !== exitStatuses.bad_input) return false;
  const { code, syscall } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return syscall === undefined || code === 'ENOENT';
}
