import type { Charset } from './charset.js';
import type { BulkItem, Counts, ValidationResult } from './result.js';
import { statuses } from './verdict.js';

/** Upload preview: §2.3, then our additions. */
export interface UploadPreview {
  upload_id: string;
  filename: string;
  columns: string[];
  suggested_email_column: string;
  /** From 1; column names may repeat. */
  suggested_email_column_number?: number;
  /** The first rows, as cells in column order. */
  sample_rows?: string[][];
  row_count?: number;
  /** False: estimated from the file size. */
  row_count_exact?: boolean;
}

/** The states of a local job: queued → running → completed | failed | canceled. */
export type JobState = 'queued' | 'running' | 'completed' | 'failed' | 'canceled';

/** Bulk job: §2.4, then our additions. A service may send other states and leave out all but id and status. */
export interface Job extends Partial<Counts> {
  id: string;
  status: string;
  filename?: string;
  email_column?: string;
  total?: number;
  processed?: number;
  /** Rows without an address, not in the five counts. */
  empty_count?: number;
  /** Addresses on a suppression list, not in the five counts. */
  suppressed_count?: number;
  credits_used?: number;
  /** ISO 8601, UTC. */
  created_at?: string;
  started_at?: string | null;
  finished_at?: string | null;
  /** The start of the last run of an ended job that was resumed; absent or null if it ran once. */
  last_run_at?: string | null;
  eta_seconds?: number | null;
  /** The rate of the current run, or of the last one. */
  rows_per_second?: number | null;
  error?: string | null;
  /** How often each sub_status occurred. */
  sub_status_counts?: Record<string, number>;
  /** The jobs that a list became at a service, if there are several. */
  jobs?: readonly Job[];
  /** Its worker was killed; it must be resumed. */
  interrupted?: boolean;
  /** The resolver was down while some of its rows were checked. */
  resolver_down?: boolean;
  /** Addresses with verdicts of earlier runs, included in the counts. */
  reused_count?: number;
  /** Rows that were deleted with their address, in none of the other counts. */
  forgotten_count?: number;
  /** Rows whose mail server said "try later". */
  waiting_count?: number;
  /** When the next of them is due, in Unix seconds as in results. */
  retry_at?: number | null;
}

/** What the counts of a job count: with several columns, each of their cells. */
export function unitOf({ email_column: column }: Job): 'row' | 'cell' {
  return column?.includes(',') ? 'cell' : 'row';
}

/** One page of jobs, newest first. */
export interface JobPage {
  jobs: Job[];
  total?: number;
  skip: number;
  limit: number;
}

/** What was deleted for an address. */
export interface ForgetReport {
  /** Cached verdicts. */
  cached: number;
  /** Lists that contained it, and their rows. */
  lists: number;
  rows: number;
  /** Jobs that contain it and have not ended: they are unchanged. */
  unfinished: string[];
}

/** The part of a result that every output row has. */
export type RowVerdict = Pick<
  ValidationResult,
  'status' | 'sub_status' | 'confidence' | 'safe_to_send' | 'did_you_mean'
>;

/** The verdict of a row without an address, not in the five counts. */
export const emptyVerdict: RowVerdict = {
  status: 'empty',
  sub_status: '',
  confidence: 0,
  safe_to_send: false,
  did_you_mean: null,
};

/** The verdict of an address on a suppression list, which is not checked. Not in the five counts. */
export const suppressedVerdict: RowVerdict = { ...emptyVerdict, status: 'suppressed' };

/** A verdict as an item of a bulk summary. */
export function itemOf(email: string, verdict: RowVerdict): BulkItem & RowVerdict {
  return { email, is_valid: verdict.status === 'valid', ...verdict };
}

/** The statuses of rows, for every filter. */
export const rowStatuses: readonly string[] = [...statuses, emptyVerdict.status, suppressedVerdict.status];

/** A row of a list, and the address in it; if it has several, one of them. */
export interface ListRow {
  /** The cells as text; those of a CSV record are parsed when they are first needed. */
  cells: readonly string[];
  /** Empty if the row has no address. One with U+FFFD in it is in an unknown encoding. */
  email: string;
  /** The line of the list that an editor shows, from 1; a record with line ends in its cells is one line. Absent for rows of no list. */
  line?: number;
  /** The raw text of a CSV record with its line end, and the empty lines before it, as its `Charset` holds them. */
  text?: string;
  /** The number of cells, if they are not parsed yet. */
  width?: number;
  /** The text of a JSON object, on one line, if the list has objects. */
  json?: string;
  /** The index of this address among several of one row, from 0, and their number. */
  part?: { index: number; of: number };
}

/** A row of a job. */
export interface JobResultRow extends ListRow {
  verdict: RowVerdict | null;
}

/** How a file is laid out around its cells. */
export interface FileLayout {
  /** False if a CSV has no header row, so none is written back. */
  hasHeader: boolean;
  delimiter: string;
  /** The text above the header or the first row: a byte order mark, a `sep=` line, junk lines. */
  preamble?: string;
  /** The raw text of the header. */
  headerText?: string;
  lineEnd?: string;
  /** Of the preamble, the header and the text of the rows; absent if these are UTF-8. */
  charset?: Charset;
  /** The empty lines after the last row that was read. */
  tail?(): string;
}

/** A job's rows in input order, then those no longer in the list; `verdict` is null for pending rows. */
export interface JobResults {
  columns: readonly string[];
  /** Indexes of the vetted columns, if known. */
  emailColumns?: readonly number[];
  /** The layout of the file, if known, to write it back unchanged. */
  layout?: FileLayout;
  /** Batches; addresses of one file row stay together. The consumer may empty a batch to free memory. */
  rows: AsyncIterable<JobResultRow[]>;
  /** The number of the first row in the list: 2 below a header, which is the default. */
  firstRowNumber?: number;
  /** Only some rows of the list were vetted, by `--limit`. */
  isPart?: boolean;
  /** Releases resources if the rows are never read. */
  close?(): Promise<void>;
}

/** An answer of an earlier run as the verdict of a row; null if it was never answered. */
export function rowVerdictOf(answer: Record<string, unknown> | null): RowVerdict | null {
  if (answer === null || typeof answer['status'] !== 'string') return null;
  const { status, sub_status, confidence, safe_to_send, did_you_mean } = answer;
  return {
    status,
    sub_status: typeof sub_status === 'string' ? sub_status : '',
    confidence: Number(confidence),
    safe_to_send: safe_to_send === true,
    did_you_mean: typeof did_you_mean === 'string' ? did_you_mean : null,
  };
}
