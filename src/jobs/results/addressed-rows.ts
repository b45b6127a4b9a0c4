import { timeSlicesFor } from '../../async/time-slicer.js';
import { Failure } from '../../model/failure.js';
import { emptyVerdict, type JobResultRow, type RowVerdict } from '../../model/job.js';
import { isFirstPart } from '../../rows/pick-rows.js';
import type { Row } from '../../rows/rows.js';
import { addressRow } from '../../rows/table/address-row.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord, JobStore } from '../store/store.js';
import { EmailsLost, recordedEmail } from '../uploads/email-record.js';
import { acquireVerdictTable } from './verdict-table.js';

/** Which mailboxes jobs have, and what they say of them, in few bytes each. */
export interface MailboxVerdicts {
  /** The entry of a mailbox, made where there is none; entries count from 0. */
  entryOf(key: string): number;
  /** True the first time it is asked of an entry. */
  meet(entry: number): boolean;
  remember(entry: number, verdict: RowVerdict): void;
  /** Null where nothing was remembered. */
  recall(entry: number): RowVerdict | null;
}

/** What verdicts are found by where numbers do not help. */
export interface AddressDependencies {
  store: JobStore;
  files: JobFiles;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  openMailboxes(): MailboxVerdicts;
}

/** The verdicts of jobs by the addresses of their records, whatever rows the list gives now. */
export interface AddressedRows {
  /** The row at that place of a chunk; null where it belongs to a job that was not asked for. */
  pair(chunk: readonly Row[], place: number): JobResultRow | null;
  /** Behind the last row: what was vetted and came in none, each address once. */
  unlisted(layout: { columns: readonly string[]; emailColumns: readonly number[] }): AsyncGenerator<JobResultRow[]>;
}

/** For a list that gave what it gave to the jobs up to before the row of that number, and then something else. */
export async function openAddressedRows(
  dependencies: AddressDependencies,
  jobs: readonly JobRecord[],
  number: number,
): Promise<AddressedRows> {
  const { canonical, openMailboxes } = dependencies;
  const mailboxes = openMailboxes();
  const entryOf = (email: string): number => mailboxes.entryOf(canonical(recordedEmail(email)));
  /** All entries below it are of the records. */
  let held = 0;
  let left = 0;
  for await (const { email, row, verdict } of recorded(dependencies, jobs)) {
    if (row >= number) left++;
    if (email === '') continue;
    const entry = entryOf(email);
    held = Math.max(held, entry + 1);
    if (verdict !== null) mailboxes.remember(entry, verdict);
    if (row < number) mailboxes.meet(entry);
  }

  // Which rows of a list a part of it had is known by its addresses alone, and others may have them, too.
  const isWhole = jobs.length === jobs[0]?.parts;
  let isOurs = true;
  const holds = ({ email }: Row): boolean => email !== '' && entryOf(email) < held;
  const choose = (chunk: readonly Row[], place: number): void => {
    const row = chunk[place];
    if (isWhole || row === undefined || !isFirstPart(row)) return;
    isOurs = left > 0 && chunk.slice(place, place + (row.part?.of ?? 1)).some(holds);
  };
  return {
    pair: (chunk, place) => {
      choose(chunk, place);
      const row = chunk[place];
      if (row === undefined || !isOurs) return null;
      left--;
      if (row.email === '') return Object.assign(row, { verdict: emptyVerdict });
      const entry = entryOf(row.email);
      mailboxes.meet(entry);
      if (entry < held) return Object.assign(row, { verdict: mailboxes.recall(entry) });
      return Object.assign(row, { verdict: null, unpaired: 'not_vetted' as const });
    },
    unlisted: async function* (layout) {
      let rows: JobResultRow[] = [];
      for await (const { email } of recorded(dependencies, jobs)) {
        const entry = email === '' ? null : entryOf(email);
        const verdict = entry !== null && mailboxes.meet(entry) ? mailboxes.recall(entry) : null;
        if (verdict === null) continue;
        rows.push(...addressRow(email, layout).map((row) => unlisted(row, verdict)));
        if (rows.length < rowsAtOnce) continue;
        yield rows;
        rows = [];
      }
      if (rows.length > 0) yield rows;
    },
  };
}

const rowsAtOnce = 500;

function unlisted(row: Row, verdict: RowVerdict): JobResultRow {
  return row.email === '' ? { ...row, verdict: emptyVerdict } : { ...row, verdict, unpaired: 'not_in_list' };
}

/** Every row of the jobs by its number in the list, as it was recorded. */
async function* recorded(
  { store, files }: AddressDependencies,
  jobs: readonly JobRecord[],
): AsyncGenerator<{ email: string; row: number; verdict: RowVerdict | null }> {
  for (const job of jobs) {
    const { maybeYield } = timeSlicesFor({ priority: 'job', owner: job.owner, work: job.id });
    const { verdicts, leave } = await acquireVerdictTable(store, job);
    let row = 0;
    try {
      for await (const emails of files.emailLists(job.id)) {
        for (const email of emails) {
          const rest = maybeYield();
          if (rest !== null) await rest;
          yield { email, row: job.firstRow + row, verdict: verdicts[row] ?? null };
          row++;
        }
      }
      if (row < job.total) throw new EmailsLost(null);
    } catch (error) {
      throw error instanceof EmailsLost ? nothingToGoBy(error) : error;
    } finally {
      leave();
    }
  }
}

function nothingToGoBy(cause: Failure): Failure {
  return new Failure(
    'storage',
    'The list does not give the rows that it gave when the job was made, and the record of its addresses is lost.',
    { hint: 'The data directory was changed by hand; upload the file again.', cause },
  );
}
