import type { JobState } from '../model/job.js';
import type { CheckAnswer } from './app-check.js';
import type { AppJob, AppJobPage, JobFigures, RowPage, RowsQuery, UploadPlan } from './app-jobs.js';
import type { AppKey, KeyChange, NewKeyRequest } from './app-keys.js';
import type { SessionView } from './app-session.js';
import type { StatusView } from './app-status.js';
import type { UsageView } from './app-usage.js';
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
