import type { Counts } from './result.js';

/** Upload preview: §2.3, then our additions. */
export interface UploadPreview {
  upload_id: string;
  filename: string;
  columns: string[];
  suggested_email_column: string;
  /** Its number from 1: several columns may have one name. */
  suggested_email_column_number?: number;
  /** The first rows, as cells in column order. */
  sample_rows?: string[][];
  row_count?: number;
  /** False where the count was estimated from the file's size. */
  row_count_exact?: boolean;
}

/** The moves a job of ours makes: queued → running → completed | failed | canceled. */
export type JobState = 'queued' | 'running' | 'completed' | 'failed' | 'canceled';

/** Bulk job: §2.4, then our additions. A service may send other states and leave out all but id and status. */
export interface Job extends Partial<Counts> {
  id: string;
  status: string;
  filename?: string;
  email_column?: string;
  total?: number;
  processed?: number;
  /** Rows without an address, which are in none of the five counts. */
  empty_count?: number;
  credits_used?: number;
  /** ISO 8601, UTC. */
  created_at?: string;
  started_at?: string | null;
  finished_at?: string | null;
  eta_seconds?: number | null;
  /** Of the current run, or of the last one. */
  rows_per_second?: number | null;
  error?: string | null;
  /** How often each sub_status occurred. */
  sub_status_counts?: Record<string, number>;
  /** Jobs made from one split file share it. */
  group_id?: string | null;
  /** Its worker was killed: it stands still until someone resumes it. */
  interrupted?: boolean;
  /** The resolver answered nobody, or denied everything, when DNS told nothing about some of its rows. */
  resolver_down?: boolean;
  /** Addresses whose verdicts came from earlier runs; they are in the counts. */
  reused_count?: number;
}

/** One page of jobs, newest first. */
export interface JobPage {
  jobs: Job[];
  total?: number;
  skip: number;
  limit: number;
}

/** The part of a result that every output row carries. */
export interface RowVerdict {
  status: string;
  sub_status: string;
  confidence: number;
  safe_to_send: boolean;
  did_you_mean: string | null;
}

/** What a row without an address gets: a state of its own, in none of the five counts. */
export const emptyVerdict: RowVerdict = {
  status: 'empty',
  sub_status: '',
  confidence: 0,
  safe_to_send: false,
  did_you_mean: null,
};

/** A row of a job, or one of its several addresses. */
export interface JobResultRow {
  cells: string[];
  email: string;
  /** The row just as it stood, with its line end, where that is known. */
  text?: string;
  /** Which of several addresses of one row this is, from 0, and of how many. */
  part?: { index: number; of: number };
  verdict: RowVerdict | null;
  /** Only where the list is read otherwise than when the job was made. */
  unpaired?: Unpaired;
}

/** `not_vetted`: a row of the list that the job never saw. `not_in_list`: an address that the job vetted, and no row of the list any more. */
export const unpairedKinds = ['not_vetted', 'not_in_list'] as const;

export type Unpaired = (typeof unpairedKinds)[number];

/** A job's rows in input order, then what the list does not hold any more; `verdict` is null while a row is not done. */
export interface JobResults {
  columns: string[];
  /** Which of them were vetted, by number from 0, where that is known. */
  emailColumns?: readonly number[];
  /** How the file was laid out, to write it back the same way; absent where that is not known. */
  layout?: { hasHeader: boolean; delimiter: string; preamble?: string; headerText?: string; lineEnd?: string };
  /** Some at a time; those of one row of the file stay together. Whoever has taken some may empty the list, so that nobody holds them longer. */
  rows: AsyncIterable<JobResultRow[]>;
  /** For whoever may never begin to read the rows. */
  close?(): Promise<void>;
}
