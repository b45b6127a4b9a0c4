import type { Job, RowVerdict, Unpaired } from '../model/job.js';
import type { RowKind } from '../model/row-kind.js';
import type { Status } from '../model/verdict.js';
import type { Explained } from './app-check.js';
import type { ResultFormat } from './results-codec.js';

/** What confirming an upload with a column would do. */
export interface UploadPlan {
  rows: number;
  /** Rows whose cell is not empty. */
  addresses: number;
  /** Mailboxes: what is asked for, and paid. */
  unique: number;
  empty: number;
  duplicates: number;
  /** What it costs; 0 for the administrator. */
  credits: number;
  /** What is left before; null: without limit. */
  balance: number | null;
}

/** Whose job or usage it is. `local`: made on the command line of the same machine. */
export interface Owner {
  kind: 'admin' | 'key' | 'local';
  /** The id of the key; equal to `kind` for the others. */
  id: string;
  /** The key's name. */
  name: string;
}

/** A job as the interface has it, and what the pages show beside. All of its optional fields are there. */
export interface AppJob extends Job {
  owner: Owner;
  /** Rows whose mail server said "try later", and when the next one is asked again. */
  waiting: { rows: number; next_at: string | null };
}

export interface AppJobPage {
  jobs: AppJob[];
  total: number;
  skip: number;
  limit: number;
}

/** How often something occurred among the rows that are answered, duplicates left out. */
export interface StatusCounts {
  valid: number;
  risky: number;
  invalid: number;
  unknown: number;
}

/** A sub_status that occurred. */
export interface ReasonCount extends Explained {
  status: Status;
  count: number;
}

/** A domain or a provider of mail. */
export interface PlaceCount extends StatusCounts {
  name: string;
  rows: number;
}

/** The charts of a job. Lists are sorted by count, and bounded; `others` is what they leave out. */
export interface JobFigures {
  job: AppJob;
  /** Rows, duplicates included: every row is in exactly one. */
  parts: Record<ResultPart, number>;
  /** Without the plain `valid`. */
  reasons: ReasonCount[];
  domains: { top: PlaceCount[]; others: PlaceCount & { names: number } };
  providers: { top: PlaceCount[]; others: PlaceCount & { names: number } };
  /** ISO 8601. */
  made_at: string;
}

/** Rows to be downloaded, or looked at: by the words for status (several, with commas), or as `bulk --clean` sorts them. */
export interface ResultsQuery {
  only?: string;
  part?: ResultPart;
  format?: ResultFormat;
}

/** `clean`: valid. `rejected`: invalid. `review`: all others, rows without an address or an answer among them. */
export type ResultPart = RowKind;

export interface RowsQuery {
  only?: string;
  /** A part of any cell. */
  search?: string;
  skip?: number;
  /** 50 where not given. */
  limit?: number;
}

export interface RowPage {
  columns: string[];
  rows: AppRow[];
  skip: number;
  limit: number;
  /** There are more behind these. */
  more: boolean;
}

/** A row of a job; `verdict` is null while it is not answered. */
export interface AppRow {
  /** Counted from 1, the header included. */
  number: number;
  cells: string[];
  email: string;
  verdict: (RowVerdict & { means: string }) | null;
  unpaired?: Unpaired;
}
