import type { ResultEvidence } from '../model/evidence.js';
import type { ForgetReport, Job, JobState, RowVerdict } from '../model/job.js';
import type { ValidationResult } from '../model/result.js';
import type { RowKind } from '../model/row-kind.js';
import type { Status } from '../model/verdict.js';
import type { ResultFormat } from './results-codec.js';

/** What confirming an upload with a column would do. */
export interface UploadPlan {
  rows: number;
  /** Rows with a non-empty cell. */
  addresses: number;
  /** Distinct mailboxes, which are probed and charged. */
  unique: number;
  empty: number;
  duplicates: number;
  /** 0 for the administrator. */
  credits: number;
  /** Before the upload; null: without limit. */
  balance: number | null;
}

/** Which jobs to list. */
export interface JobsQuery {
  /** A part of the file name. */
  search?: string;
  status?: JobState;
  /** For administrators only; other users see only their own jobs. */
  owner?: string;
  /** Jobs of the last `days` days. */
  days?: number;
  /** 0 by default. */
  skip?: number;
  /** 20 by default. */
  limit?: number;
}

/** The owner of a job or of usage. `local`: the command line of the same machine. */
export interface Owner {
  kind: 'admin' | 'member' | 'key' | 'local';
  /** The id of the member or key; otherwise equal to `kind`. */
  id: string;
  name: string;
}

/** A job of the API with all optional fields, and what the pages add. */
export interface AppJob extends Job {
  owner: Owner;
  /** From 1, if several columns have the name `email_column`. */
  email_column_number?: number;
  last_run_at: string | null;
  /** Rows whose mail server said "try later", and the time of the next retry. */
  waiting: { rows: number; next_at: string | null };
}

export interface AppJobPage {
  jobs: AppJob[];
  total: number;
  skip: number;
  limit: number;
}

/** What was deleted for an address, with the names of the lists that still contain it. */
export interface AppForgetReport extends Omit<ForgetReport, 'unfinished'> {
  unfinished: Pick<AppJob, 'id' | 'filename' | 'owner'>[];
}

/** The counts of answered rows, without duplicates. */
export interface StatusCounts {
  valid: number;
  risky: number;
  invalid: number;
  unknown: number;
}

export interface ReasonCount extends Explained {
  status: Status;
  count: number;
}

/** A domain or a mail provider. */
export interface NameCount extends StatusCounts {
  name: string;
  rows: number;
}

/** The charts of a job. Lists are sorted by count and bounded; `others` is the rest. */
export interface JobStats {
  job: AppJob;
  /** Rows with duplicates; every row is in exactly one part. */
  parts: Record<ResultPart, number>;
  /** Rows that had an answer when they were counted. */
  answered: number;
  /** The reasons of all statuses except `valid`. */
  reasons: ReasonCount[];
  domains: { top: NameCount[]; others: NameCount & { names: number } };
  made_at: string;
}

/** Rows by status (comma-separated), or by part as in `bulk --clean`. */
export interface ResultsQuery {
  only?: string;
  part?: ResultPart;
  format?: DownloadFormat;
  /** Keeps only the first row of each mailbox. */
  duplicates?: 'remove';
  /** Begins a CSV with a byte order mark, by which Excel recognizes UTF-8. */
  bom?: 'add';
}

export const downloadFormats = ['csv', 'xlsx', 'ndjson', 'json'] as const satisfies readonly (ResultFormat | 'xlsx')[];
export type DownloadFormat = (typeof downloadFormats)[number];

/** `clean`: valid. `rejected`: invalid. `review`: all others, and rows without an address or an answer. */
export type ResultPart = RowKind;

export interface RowsQuery {
  only?: string;
  /** A part of any cell. */
  search?: string;
  skip?: number;
  /** 50 by default. */
  limit?: number;
}

export interface RowPage {
  columns: string[];
  /** Indexes of the columns with addresses; empty if unknown. */
  email_columns: number[];
  rows: AppRow[];
  skip: number;
  limit: number;
  more: boolean;
}

/** `verdict` is null until the row is answered. */
export interface AppRow {
  /** Counted from 1, with the header. */
  number: number;
  cells: string[];
  email: string;
  verdict: (RowVerdict & { means: string }) | null;
}

interface Explained {
  code: string;
  means: string;
  /** May be empty. */
  advice: string;
}

export interface CheckAnswer {
  result: ValidationResult;
  /** The leading code: the sub_status, or the typo that makes the address risky. */
  verdict: Explained;
  /** The other reasons, most important first. */
  reasons: Explained[];
  /** Null if the level collects no evidence. */
  evidence: ResultEvidence | null;
  /** Lines such as "not valid, since …". */
  why_not: string[];
}
