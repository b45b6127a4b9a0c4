import type { ApiKey } from '../model/api-key.js';
import type { Evidence, Level } from '../model/evidence.js';
import type { Job, JobState, RowVerdict } from '../model/job.js';
import type { ValidationResult } from '../model/result.js';
import type { RowKind } from '../model/row-kind.js';
import type { Status } from '../model/verdict.js';
import { fillPath } from './routes.js';

/**
 * The private interface between the pages of the web application and their server. Both are built from this file and shipped together,
 * so it may change with every version; programs use the interface under /api/v1. A session takes part in that, too: uploads, confirming,
 * jobs, their results and cancelling take the session's cookie in place of a key. Errors have the one shape of `wire/problem`:
 * 401 means "sign in (again)", 403 a request from elsewhere or a page that is the administrator's alone.
 */
export const appPrefix = '/app';

/** What the browser shows; every one of these paths is answered with the same page. */
export const pagePaths = ['/', '/setup', '/lists', '/jobs', '/jobs/{job_id}', '/keys', '/usage', '/status'] as const;

/** Every call, with its method and path below the prefix; `{id}` stands for the job, the key or the upload. */
export const appRoutes = {
  session: { method: 'GET', path: '/session' },
  setUp: { method: 'POST', path: '/setup' },
  signIn: { method: 'POST', path: '/sign-in' },
  signOut: { method: 'POST', path: '/sign-out' },
  changePassword: { method: 'POST', path: '/password' },
  check: { method: 'POST', path: '/check' },
  uploadPlan: { method: 'GET', path: '/uploads/{id}/plan' },
  listJobs: { method: 'GET', path: '/jobs' },
  getJob: { method: 'GET', path: '/jobs/{id}' },
  resumeJob: { method: 'POST', path: '/jobs/{id}/resume' },
  retryUnknown: { method: 'POST', path: '/jobs/{id}/retry-unknown' },
  deleteJob: { method: 'DELETE', path: '/jobs/{id}' },
  jobFigures: { method: 'GET', path: '/jobs/{id}/figures' },
  jobRows: { method: 'GET', path: '/jobs/{id}/rows' },
  listKeys: { method: 'GET', path: '/keys' },
  createKey: { method: 'POST', path: '/keys' },
  changeKey: { method: 'PATCH', path: '/keys/{id}' },
  revokeKey: { method: 'DELETE', path: '/keys/{id}' },
  usage: { method: 'GET', path: '/usage' },
  status: { method: 'GET', path: '/status' },
  lookAgain: { method: 'POST', path: '/status' },
} as const satisfies Record<string, AppRoute>;

/** What the browser downloads by following a link. */
export const appDownloads = {
  /** `ResultsQuery`; a file to save. */
  results: { method: 'GET', path: '/jobs/{id}/results' },
  /** One self-contained HTML file, to look at or to save. */
  report: { method: 'GET', path: '/jobs/{id}/report' },
} as const satisfies Record<string, AppRoute>;

export interface AppRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
}

/** What each call takes and gives. A call without `body` is sent without one. */
export interface AppCalls {
  session: { answer: SessionView };
  /** Once, with the token of the link that the server printed; signs in as administrator. */
  setUp: { body: { token: string; password: string }; answer: SessionView };
  signIn: { body: { password: string } | { api_key: string }; answer: SessionView };
  /** `everywhere` ends all sessions of the one who is signed in. */
  signOut: { body: { everywhere?: boolean }; answer: SessionView };
  /** Administrator. Ends all other sessions, of whomever. */
  changePassword: { body: { old_password: string; password: string }; answer: SessionView };
  /** Costs a credit of the key that is signed in, as any single validation does. */
  check: { body: { email: string }; answer: CheckAnswer };
  /** Reads the whole file, before it is confirmed with that column. */
  uploadPlan: { query: { email_column: string }; answer: UploadPlan };
  /** Newest first. `search` is a part of the file name; `skip` 0 and `limit` 20 where not given. */
  listJobs: { query: { search?: string; status?: JobState; skip?: number; limit?: number }; answer: AppJobPage };
  /** Cheap: ask for it as often as every second while a job runs. */
  getJob: { answer: AppJob };
  /** Goes on with a job that was canceled or failed. */
  resumeJob: { answer: AppJob };
  /** Asks once more for the unknown rows of a job that has ended. */
  retryUnknown: { answer: AppJob };
  /** Cancels the job where it has not ended, and deletes its file, its addresses and its results. */
  deleteJob: { answer: { deleted: true } };
  /** Reads all rows: the server makes it anew at most every few seconds while a job runs. */
  jobFigures: { answer: JobFigures };
  /** A page of rows to look at. */
  jobRows: { query: RowsQuery; answer: RowPage };
  /** Keys are the administrator's. */
  listKeys: { answer: { keys: AppKey[] } };
  createKey: { body: NewKeyRequest; answer: { key: string; record: AppKey } };
  changeKey: { body: KeyChange; answer: AppKey };
  revokeKey: { answer: AppKey };
  /** `days` 90 where not given. A key sees its own usage. */
  usage: { query: { days?: number }; answer: UsageView };
  /** Administrator. What is known now; no mail server is dialled for it. */
  status: { answer: StatusView };
  /** Administrator. Looks at everything again, the mail port included, which takes some seconds. */
  lookAgain: { answer: StatusView };
}

export type AppCall = keyof AppCalls;

/** Who is signed in. */
export type Who =
  | { kind: 'admin'; name: string }
  /** `credits` null: without limit. */
  | { kind: 'key'; id: string; name: string; prefix: string; plan: string; credits: number | null };

/** What the pages begin with. `setup`: no password exists yet, and only keys can sign in. */
export type SessionView =
  | { state: 'setup' | 'signed_out' }
  | { state: 'signed_in'; who: Who; expires_at: string; server: ServerFacts };

/** What the server is like, told only to those who are signed in. */
export interface ServerFacts {
  version: string;
  level: Level;
  max_upload_bytes: number;
  max_rows: number;
}

/** The least length of the administrator's password, and the most. */
export const passwordLength = { min: 10, max: 1_000 } as const;

/** A code with its sentence. */
export interface Explained {
  code: string;
  /** One sentence. */
  means: string;
  /** What to do; may be empty. */
  advice: string;
}

export interface CheckAnswer {
  /** The single result of the interface, as a program gets it. */
  result: ValidationResult;
  /** The verdict's sub_status in words. */
  verdict: Explained;
  /** The other reasons in words, most weighty first. */
  reasons: Explained[];
  /** Null where the level asked for gives none. */
  evidence: Evidence | null;
  /** Why this verdict and not the ones next to it: whole lines, as "not valid, since …". */
  why_not: string[];
}

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
  format?: 'csv' | 'ndjson' | 'json';
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
}

/** `no_credits` and `expired` keys are refused until somebody adds credits or time. */
export type KeyState = 'active' | 'no_credits' | 'expired' | 'revoked';

export interface AppKey extends ApiKey {
  state: KeyState;
  /** The credits that it was ever given; null where that is not known, or without limit. */
  granted: number | null;
}

export interface NewKeyRequest {
  name: string;
  /** `self-hosted` where not given. */
  plan?: string;
  /** Null or not given: without limit. */
  credits?: number | null;
  /** ISO 8601; null or not given: never. */
  expires_at?: string | null;
}

export interface KeyChange {
  name?: string;
  /** Not for a key without limit. */
  add_credits?: number;
  /** ISO 8601; null: never. */
  expires_at?: string | null;
}

/** Daily counts; no addresses are kept for it. Days are those of UTC. */
export interface UsageView {
  /** Every day asked for, oldest first, also those without any. */
  days: UsageDay[];
  /** Whoever used most first, at most 20; the last may be the sum of all others, with the id `others`. */
  owners: OwnerUsage[];
  /** Without the plain `valid`; at most 20. */
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

/** What `doctor` finds, and what the server is doing. */
export interface StatusView {
  findings: Finding[];
  /** When the findings were made; ISO 8601. */
  looked_at: string;
  /** False where no mail server was dialled: `lookAgain` does. */
  complete: boolean;
  server: ServerFacts & { started_at: string; store: string };
  jobs: Record<JobState, number>;
  /** Those who run jobs now. */
  workers: WorkerView[];
  /** Workers that mail servers refuse; empty where nobody shares the store. */
  blocks: BlockView[];
}

/** Who runs jobs or asks mail servers. */
export interface WorkerView {
  name: string;
  jobs: number;
  /** Null where the store is this machine's alone. */
  cluster: {
    kind: 'worker' | 'node' | 'command';
    /** The address that mail servers see, where one was chosen. */
    source_ip: string | null;
    seen_at: string;
    alive: boolean;
    /** Groups of mail servers that it alone may ask now. */
    lanes: number;
    /** Mailboxes that it asks for now. */
    probes: number;
  } | null;
}

export interface BlockView {
  worker: string;
  /** The provider, or the mail server. */
  party: string;
  until: string;
  /** What it said. */
  reply: string | null;
}

export interface Finding {
  /** Stable, as `smtp_port`. */
  name: string;
  /** For people, as "Mail port". */
  title: string;
  /** Which one, where there are several. */
  subject: string | null;
  state: 'ok' | 'warn' | 'fail' | 'skipped';
  /** One sentence. */
  message: string;
  /** The next step, where there is one. */
  hint: string | null;
}

/** The path of a call or a download with its id and its query filled in. */
export function appPath(
  { path }: AppRoute,
  fill: { id?: string; query?: Readonly<Record<string, string | number | undefined>> } = {},
): string {
  return appPrefix + fillPath(path, fill.id, fill.query);
}

/** The link that sets the first password. What stands behind # is sent to nobody: no log and no referrer has it. */
export function setUpLink(origin: string, token: string): string {
  return `${origin}/setup#${token}`;
}
