import type { ApiKey } from '../model/api-key.js';
import type { Evidence, Level } from '../model/evidence.js';
import type { Job, JobState, RowVerdict, Unpaired } from '../model/job.js';
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

/** The owner of a job or of usage. `local`: the command line of the same machine. */
export interface Owner {
  kind: 'admin' | 'key' | 'local';
  /** The id of the key; otherwise equal to `kind`. */
  id: string;
  name: string;
}

/** A job of the API with all optional fields, and what the pages add. */
export interface AppJob extends Job {
  owner: Owner;
  /** Rows whose mail server said "try later", and the time of the next retry. */
  waiting: { rows: number; next_at: string | null };
}

export interface AppJobPage {
  jobs: AppJob[];
  total: number;
  skip: number;
  limit: number;
}

/** Counts of answered rows without duplicates. */
interface StatusCounts {
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
  /** Without `valid`. */
  reasons: ReasonCount[];
  domains: { top: NameCount[]; others: NameCount & { names: number } };
  providers: { top: NameCount[]; others: NameCount & { names: number } };
  made_at: string;
}

/** Rows by status (comma-separated), or by part as in `bulk --clean`. */
export interface ResultsQuery {
  only?: string;
  part?: ResultPart;
  format?: ResultFormat;
}

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
  unpaired?: Unpaired;
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
  /** Null if the level gives none. */
  evidence: Evidence | null;
  /** Lines such as "not valid, since …". */
  why_not: string[];
}

/** `no_credits` and `expired` keys are refused until credits or time are added. */
export type KeyState = 'active' | 'no_credits' | 'expired' | 'revoked';

export interface AppKey extends ApiKey {
  state: KeyState;
  /** All credits ever granted; null if unknown or without limit. */
  granted: number | null;
}

export interface NewKeyRequest {
  name: string;
  /** `self-hosted` by default. */
  plan?: string;
  /** Null or absent: without limit. */
  credits?: number | null;
  /** ISO 8601; null or absent: never. */
  expires_at?: string | null;
}

export interface KeyChange {
  name?: string;
  /** Not for a key without limit. */
  add_credits?: number;
  /** ISO 8601; null: never. */
  expires_at?: string | null;
}

export type Who =
  | { kind: 'admin'; name: string }
  /** `credits` null: without limit. */
  | { kind: 'key'; id: string; name: string; prefix: string; plan: string; credits: number | null };

/** The state of a browser. `setup`: no password exists yet, and only keys can sign in. */
export type SessionView =
  | { state: 'setup' | 'signed_out' }
  | { state: 'signed_in'; who: Who; expires_at: string; server: ServerFacts };

/** Sent only to signed-in users. */
export interface ServerFacts {
  version: string;
  level: Level;
  max_upload_bytes: number;
  max_rows: number;
}

/** Bounds for the administrator's password. */
export const passwordLength = { min: 10, max: 1_000 } as const;

/** The findings of `doctor`, and the state of the server. */
export interface StatusView {
  findings: Finding[];
  looked_at: string;
  /** False if no mail server was contacted; `runAllChecks` does. */
  complete: boolean;
  server: ServerFacts & { started_at: string; store: string };
  jobs: Record<JobState, number>;
  workers: WorkerView[];
  /** Workers that mail servers refuse; empty for a store of one machine. */
  blocks: BlockView[];
}

export interface WorkerView {
  name: string;
  jobs: number;
  /** Null for a store of one machine. */
  cluster: {
    kind: 'worker' | 'node' | 'command';
    /** The configured source address. */
    source_ip: string | null;
    seen_at: string;
    alive: boolean;
    /** Shards that it owns. */
    lanes: number;
    /** Mailboxes in progress. */
    probes: number;
  } | null;
}

export interface BlockView {
  worker: string;
  /** The provider, or the mail host. */
  party: string;
  until: string;
  reply: string | null;
}

export interface Finding {
  /** Stable, as `smtp_port`. */
  name: string;
  /** For people, as "Mail port". */
  title: string;
  /** Which one, if there are several. */
  subject: string | null;
  /** `warn`: it works with limitations. `skipped`: not checked. */
  state: 'ok' | 'warn' | 'fail' | 'skipped';
  message: string;
  /** The next step. */
  hint: string | null;
}

/** Daily counts (UTC), without addresses. */
export interface UsageView {
  /** All requested days, oldest first. */
  days: UsageDay[];
  /** Sorted by use, at most 20; the last may be the sum of the rest, with the id `others`. */
  owners: OwnerUsage[];
  /** Without `valid`; at most 20. */
  reasons: ReasonCount[];
  /** At most 20. */
  domains: { name: string; count: number }[];
}

export interface UsageDay extends StatusCounts {
  /** As 2026-11-15. */
  day: string;
  requests: number;
}

export interface OwnerUsage {
  owner: Owner | { kind: 'others'; id: 'others'; name: string };
  requests: number;
  addresses: number;
  /** Addresses of each day of `days`. */
  by_day: number[];
}
