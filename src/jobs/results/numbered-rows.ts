import type { RowVerdict } from '../../model/job.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord, JobStore } from '../store/store.js';
import { EmailsLost, recordedEmail } from '../uploads/email-record.js';
import { acquireVerdictTable, type VerdictTable } from './verdict-table.js';

/** The rows of jobs by their numbers in the list: the address that each was recorded with, and the verdict on it. */
interface NumberedRows {
  /** False where `reach` has to come first. */
  isReady(number: number): boolean;
  /** Gets ready to tell of a row; false behind the last one of the jobs. */
  reach(number: number): Promise<boolean>;
  /** What a job says of a row with that address, null where that is nothing yet; a text where it cannot tell. */
  verdictOn(number: number, email: string): RowVerdict | null | 'another job' | 'another address';
  close(): Promise<void>;
}

/** A job whose rows come by. */
interface OpenJob {
  firstRow: number;
  end: number;
  verdicts: VerdictTable;
  leave(): void;
  record: AsyncGenerator<string[]>;
}

/** In their order: memory holds the verdicts of one job, which all readers share, and a few of its addresses. */
export function openNumberedRows(
  { store, files }: { store: JobStore; files: JobFiles },
  jobs: readonly JobRecord[],
): NumberedRows {
  let next = 0;
  let job: OpenJob | null = null;
  /** Addresses from the row `from` to before the row `ready`; null where the record is lost, and numbers are all there is. */
  let emails: readonly string[] | null = [];
  let from = 0;
  let ready = 0;

  const close = async (): Promise<void> => {
    const last = job;
    job = null;
    last?.leave();
    await last?.record.return(undefined);
  };
  const open = async (made: JobRecord): Promise<OpenJob> => {
    const { firstRow, total, id } = made;
    emails = [];
    ready = firstRow;
    return {
      firstRow,
      end: firstRow + total,
      ...(await acquireVerdictTable(store, made)),
      record: files.emailLists(id),
    };
  };
  const readOn = async ({ record, end }: OpenJob): Promise<void> => {
    emails = await nextEmails(record);
    from = ready;
    ready = emails === null ? end : from + emails.length;
  };
  return {
    isReady: (number) => job !== null && number < ready && number < job.end,
    reach: async (number) => {
      while (job === null || number >= job.end) {
        await close();
        const made = jobs[next++];
        if (made === undefined) return false;
        job = await open(made);
      }
      while (number >= ready) await readOn(job);
      return true;
    },
    verdictOn: (number, email) => {
      if (job === null || number < job.firstRow) return 'another job';
      if (emails !== null && emails[number - from] !== recordedEmail(email)) return 'another address';
      return job.verdicts[number - job.firstRow] ?? null;
    },
    close,
  };
}

/** Null where the record is lost, or ends before its job does. */
async function nextEmails(record: AsyncGenerator<string[]>): Promise<string[] | null> {
  try {
    const { value, done } = await record.next();
    return done === true ? null : value;
  } catch (error) {
    if (error instanceof EmailsLost) return null;
    throw error;
  }
}
