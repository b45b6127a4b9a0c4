import type { Charset } from './charset.js';
import { type BulkItem, countFields, type ValidationResult } from './result.js';
import { type FieldsOf, flag, says, text, textOrNull, time, timeOrNull, whole, wholeOrNull } from './schema.js';
import { statuses } from './verdict.js';

/** The fields of an upload preview (§2.3), then our additions. */
export const previewFields = {
  upload_id: { type: 'string', format: 'uuid' },
  filename: text,
  columns: { type: 'array', items: text },
  suggested_email_column: text,
} as const;
export const previewAdditions = {
  suggested_email_column_number: says(whole, 'From 1; column names may repeat'),
  /** The first rows, as cells in column order. */
  sample_rows: { type: 'array', items: { type: 'array', items: text } },
  row_count: whole,
  /** False: estimated from the file size. */
  row_count_exact: flag,
} as const;
export type UploadPreview = FieldsOf<typeof previewFields> & Partial<FieldsOf<typeof previewAdditions>>;

/** The states of a local job: queued → running → completed | failed | canceled. */
export const jobStates = ['queued', 'running', 'completed', 'failed', 'canceled'] as const;
export type JobState = (typeof jobStates)[number];

/** The fields of a bulk job (§2.4), then our additions. */
export const jobFields = {
  id: { type: 'string', format: 'uuid' },
  status: says(text, 'queued, running, completed, failed or canceled'),
  filename: text,
  email_column: text,
  total: says(whole, 'all rows, also those of empty_count and suppressed_count'),
  processed: says(whole, 'rows of the total that are done'),
  ...countFields,
  credits_used: whole,
  created_at: time,
  started_at: timeOrNull,
  finished_at: timeOrNull,
  eta_seconds: wholeOrNull,
  /** The rate of the current run, or of the last one. */
  rows_per_second: { type: ['number', 'null'] },
  error: textOrNull,
  /** How often each sub_status occurred. */
  sub_status_counts: { type: 'object', additionalProperties: whole },
} as const;
export const jobAdditions = {
  empty_count: says(whole, 'rows without an address, which are in none of the other counts'),
  suppressed_count: says(whole, 'addresses on a suppression list, which are in none of the other counts'),
  /** Absent or null if it ran once. */
  last_run_at: says(timeOrNull, 'start of the last run of an ended job that was resumed'),
  interrupted: says(flag, 'its worker was killed: it must be resumed'),
  resolver_down: says(flag, 'true if the DNS server was down while the job ran'),
  reused_count: says(whole, 'addresses with verdicts of earlier runs, which are in the other counts'),
  forgotten_count: says(whole, 'rows that were deleted with their address, which are in none of the other counts'),
  waiting_count: says(whole, 'rows whose mail server said "try later"'),
  retry_at: says({ type: ['number', 'null'] }, 'Unix seconds at which the next of them is due'),
} as const;
type JobFields = FieldsOf<typeof jobFields & typeof jobAdditions>;

/** A bulk job. A service may send other states and leave out all but id and status. */
export interface Job extends Pick<JobFields, 'id' | 'status'>, Partial<Omit<JobFields, 'id' | 'status'>> {
  /** The jobs that a list became at a service, if there are several. */
  jobs?: readonly Job[];
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
