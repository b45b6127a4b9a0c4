import type { Invited, MemberView, NewMember } from '../model/member.js';
import type {
  AppForgetReport,
  AppJob,
  AppJobPage,
  CheckAnswer,
  JobStats,
  JobsQuery,
  RowPage,
  RowsQuery,
  UploadPlan,
} from './app-jobs.js';
import type { AuditPage, InvitationView, MemberChange, OwnSession } from './app-members.js';
import type { AppKey, KeyChange, NewKeyRequest, SessionView, StatusView, UsageView } from './app-server.js';
import type { CreatedWebhook, NewWebhook, WebhookView } from './app-webhooks.js';
import { fillPath } from './routes.js';

/**
 * The private API between the web pages and their server. Both are shipped together, so it may change with every
 * version; programs use /api/v1. Uploads, jobs and their results under /api/v1 accept the session cookie, too. Errors
 * have the shape of `wire/problem`: 401 means "sign in", 403 a cross-site request or a page for administrators only.
 */
export const appPrefix = '/app';

/** All of these paths serve the same page. */
export const pagePaths = [
  '/',
  '/setup',
  '/invitation',
  '/lists',
  '/jobs',
  '/jobs/{job_id}',
  '/keys',
  '/api-docs',
  '/webhooks',
  '/members',
  '/audit',
  '/account',
  '/usage',
  '/status',
] as const;

/** Every call, with its method and path below the prefix. */
export const appRoutes = {
  session: { method: 'GET', path: '/session' },
  setUp: { method: 'POST', path: '/setup' },
  signIn: { method: 'POST', path: '/sign-in' },
  signOut: { method: 'POST', path: '/sign-out' },
  changePassword: { method: 'POST', path: '/password' },
  checkInvitation: { method: 'POST', path: '/invitation/check' },
  acceptInvitation: { method: 'POST', path: '/invitation' },
  listSessions: { method: 'GET', path: '/sessions' },
  endSession: { method: 'DELETE', path: '/sessions/{id}' },
  listMembers: { method: 'GET', path: '/members' },
  addMember: { method: 'POST', path: '/members' },
  changeMember: { method: 'PATCH', path: '/members/{id}' },
  inviteMember: { method: 'POST', path: '/members/{id}/invitation' },
  removeMember: { method: 'DELETE', path: '/members/{id}' },
  listAudit: { method: 'GET', path: '/audit' },
  listWebhooks: { method: 'GET', path: '/webhooks' },
  addWebhook: { method: 'POST', path: '/webhooks' },
  removeWebhook: { method: 'DELETE', path: '/webhooks/{id}' },
  rotateWebhook: { method: 'POST', path: '/webhooks/{id}/secret' },
  check: { method: 'POST', path: '/check' },
  uploadPlan: { method: 'GET', path: '/uploads/{id}/plan' },
  listJobs: { method: 'GET', path: '/jobs' },
  getJob: { method: 'GET', path: '/jobs/{id}' },
  resumeJob: { method: 'POST', path: '/jobs/{id}/resume' },
  retryUnknown: { method: 'POST', path: '/jobs/{id}/retry-unknown' },
  deleteJob: { method: 'DELETE', path: '/jobs/{id}' },
  forgetAddress: { method: 'POST', path: '/forget' },
  setRetention: { method: 'PATCH', path: '/retention' },
  jobStats: { method: 'GET', path: '/jobs/{id}/stats' },
  jobRows: { method: 'GET', path: '/jobs/{id}/rows' },
  listKeys: { method: 'GET', path: '/keys' },
  createKey: { method: 'POST', path: '/keys' },
  changeKey: { method: 'PATCH', path: '/keys/{id}' },
  revokeKey: { method: 'DELETE', path: '/keys/{id}' },
  usage: { method: 'GET', path: '/usage' },
  status: { method: 'GET', path: '/status' },
  runAllChecks: { method: 'POST', path: '/status' },
} as const satisfies Record<string, AppRoute>;

/** Downloads by a link. */
export const appDownloads = {
  /** Takes a `ResultsQuery`. */
  results: { method: 'GET', path: '/jobs/{id}/results' },
  /** One self-contained HTML file. */
  report: { method: 'GET', path: '/jobs/{id}/report' },
} as const satisfies Record<string, AppRoute>;

export interface AppRoute {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
}

/** Bodies and responses of each call. */
export interface AppCalls {
  session: { answer: SessionView };
  /** Works once, with the token of the link that the server printed; signs in as administrator. */
  setUp: { body: { token: string; password: string }; answer: SessionView };
  /** Without `email`: the administrator's password. */
  signIn: { body: { email?: string; password: string } | { api_key: string }; answer: SessionView };
  /** `everywhere` ends all sessions of the user. */
  signOut: { body: { everywhere?: boolean }; answer: SessionView };
  /** Changes the password of the signed-in user. Ends all other sessions. */
  changePassword: { body: { old_password: string; password: string }; answer: SessionView };
  checkInvitation: { body: { token: string }; answer: InvitationView };
  /** Works once for each invitation; signs in as the member. */
  acceptInvitation: { body: { token: string; password: string }; answer: SessionView };
  /** The sessions of the signed-in user, last used first. */
  listSessions: { answer: { sessions: OwnSession[] } };
  endSession: { answer: { ended: true } };
  listMembers: { answer: { members: MemberView[] } };
  /** The token of the invitation is in this answer only. */
  addMember: { body: NewMember; answer: Invited };
  changeMember: { body: MemberChange; answer: MemberView };
  /** A new invitation, which replaces an earlier one; also for a forgotten password. */
  inviteMember: { answer: Invited };
  /** Also ends the sessions and revokes the keys of the member. */
  removeMember: { answer: MemberView };
  /** Newest first. */
  listAudit: { query: { skip?: number; limit?: number }; answer: AuditPage };
  /** Administrators see those of all administrators; a member sees only theirs. */
  listWebhooks: { answer: { webhooks: WebhookView[] } };
  addWebhook: { body: NewWebhook; answer: CreatedWebhook };
  removeWebhook: { answer: { deleted: true } };
  /** A new secret; the old one is valid for another day. */
  rotateWebhook: { answer: CreatedWebhook };
  /** Costs a credit of the key. */
  check: { body: { email: string }; answer: CheckAnswer };
  /** Reads the whole file. The number counts from 1 and distinguishes columns of one name. */
  uploadPlan: { query: { email_column: string; email_column_number?: number }; answer: UploadPlan };
  /** Newest first. */
  listJobs: { query: JobsQuery; answer: AppJobPage };
  /** Reads no rows, so it can be polled every second. */
  getJob: { answer: AppJob };
  /** Resumes a canceled or failed job. */
  resumeJob: { answer: AppJob };
  /** Probes the unknown rows of an ended job again. */
  retryUnknown: { answer: AppJob };
  /** Cancels the job, and deletes its file, addresses and results. */
  deleteJob: { answer: { deleted: true } };
  /** Null: lists are kept until they are deleted. */
  setRetention: { body: { keep_days: number | null }; answer: { keep_days: number | null } };
  /** Deletes an address from all lists that have ended, and from the cached verdicts. */
  forgetAddress: { body: { email: string }; answer: AppForgetReport };
  /** Reads all rows, at most every few seconds while the job runs. */
  jobStats: { answer: JobStats };
  jobRows: { query: RowsQuery; answer: RowPage };
  /** All keys for an administrator; a member sees only theirs. */
  listKeys: { answer: { keys: AppKey[] } };
  createKey: { body: NewKeyRequest; answer: { key: string; record: AppKey } };
  changeKey: { body: KeyChange; answer: AppKey };
  revokeKey: { answer: AppKey };
  /** `days` is 90 by default. A key sees its own usage, members see all. */
  usage: { query: { days?: number }; answer: UsageView };
  /** Administrators only. Contacts no mail server. */
  status: { answer: StatusView };
  /** Administrators only. Runs all checks, the mail port included, which takes some seconds. */
  runAllChecks: { answer: StatusView };
}

export type AppCall = keyof AppCalls;

/** Fills in the id and the query of a path. */
export function appPath(
  { path }: AppRoute,
  fill: { id?: string; query?: Readonly<Record<string, string | number | undefined>> } = {},
): string {
  return appPrefix + fillPath(path, fill.id, fill.query);
}

/** The link that sets the first password. A fragment is never sent, so that no log or referrer has the token. */
export function setUpLink(origin: string, token: string): string {
  return `${origin}/setup#${token}`;
}

/** The link that accepts an invitation. */
export function invitationLink(origin: string, token: string): string {
  return `${origin}/invitation#${token}`;
}
