import type { ApiKey } from '../model/api-key.js';
import { levels, type ResultEvidence } from '../model/evidence.js';
import { type Job, jobStates, type RowVerdict } from '../model/job.js';
import type { RunSummary, ValidationResult } from '../model/result.js';
import { rowKinds } from '../model/row-kind.js';
import {
  flag,
  fraction,
  type TypeOf,
  text,
  textOrNull,
  time,
  timeOrNull,
  whole,
  wholeOrNull,
} from '../model/schema.js';
import type { Status } from '../model/verdict.js';
import { emailColumn } from './api.js';
import { content, get, type Permission, patch, post, remove } from './route.js';
import { limits, list, object, oneOf, orNull, paged, typed } from './schema.js';

/** The pages, and who may open them: all of these paths serve the same file. `name`: in the navigation. */
export const pages = [
  { path: '/', may: 'session', name: 'Check' },
  { path: '/setup', may: 'session' },
  { path: '/invitation', may: 'session' },
  { path: '/lists', may: 'session', name: 'Lists' },
  { path: '/lists/{id}', may: 'session' },
  { path: '/keys', may: 'member', name: 'API keys' },
  { path: '/interface', may: 'session' },
  { path: '/usage', may: 'session', name: 'Usage' },
  { path: '/settings', may: 'member', name: 'Settings' },
  { path: '/settings/{id}', may: 'member' },
  { path: '/status', may: 'administrator', name: 'Status' },
  { path: '/account', may: 'session' },
] as const satisfies readonly { path: string; may: Permission; name?: string }[];
export type PagePath = (typeof pages)[number]['path'];

const { name, plan, credits, expiry, email, password, address, search } = limits;
const jobState = oneOf(...jobStates);
const status = typed<Status>(text);

/** The owner of a job or of usage. `local`: the command line of the same machine. */
const owner = object({ kind: oneOf('admin', 'member', 'key', 'local'), id: text, name: text });
export type Owner = TypeOf<typeof owner>;

/** A job of the interface, and what the pages add. `email_column_number` counts from 1, if several have the name. */
const appJob = object({ owner }, { email_column_number: whole, earlier_id: text });
export type AppJob = Job & TypeOf<typeof appJob>;

/** What confirming an upload would do. `addresses`, `empty`: cells with and without one; `balance`: credits before the upload. */
const uploadPlan = object({
  rows: whole,
  addresses: whole,
  unique: whole,
  empty: whole,
  duplicates: whole,
  credits: whole,
  balance: wholeOrNull,
});
export type UploadPlan = TypeOf<typeof uploadPlan>;

/** Counts of a name: in total, and by status. */
const countedRow = object({ name: text, total: whole, valid: whole, risky: whole, invalid: whole, unknown: whole });
/** Most frequent first. `dropped`: rows of evicted rare names; if it is 0, all counts are exact. */
const statusCounts = object({ names: list(countedRow), dropped: whole });
export type CountedRow = TypeOf<typeof countedRow>;
export type StatusCounts = TypeOf<typeof statusCounts>;

/** Statistics of a run, whose size does not depend on the length of the list. */
const runStats = object(
  {
    summary: typed<RunSummary>({ type: 'object' }),
    /** `name`: null for a pipe. `otherColumns`: not vetted, with addresses. `emptyUnit`: what `empty_count` counts. */
    list: object(
      { name: textOrNull, columns: list(text), otherColumns: list(object({ name: text, rows: whole })) },
      { skippedLines: whole, part: textOrNull, emptyUnit: oneOf('row', 'cell') },
    ),
    /** By sub_status; `""` is an unqualified `valid`. This and the next two leave out duplicates. */
    reasons: statusCounts,
    domains: statusCounts,
    /** Empty if the providers of some addresses are unknown. */
    providers: statusCounts,
    suggestions: object({ count: whole, examples: list(object({ email: text, suggestion: text })) }),
    timeline: object({ sliceMs: whole, answered: list(whole) }),
    /** The first rows that are not valid, and their number. Empty unless requested. */
    bad: object({
      rows: list(object({ email: text, status: text, subStatus: text, suggestion: textOrNull })),
      total: whole,
    }),
    startedAt: fraction,
    endedAt: fraction,
  },
  {
    /** The times are those of the last run of several. */
    isLastRun: flag,
    /** False: how long it ran is unknown. */
    hasDuration: flag,
    /** The rate of a job, which knows it itself. */
    rowsPerSecond: { type: ['number', 'null'] },
  },
);
export type RunStats = TypeOf<typeof runStats>;

const rowCounts = object({ clean: whole, review: whole, rejected: whole });
/** `rows`: every row is in exactly one file. `unique`: the first row of each mailbox. `answered`: rows with an answer. */
const jobStats = object({ stats: runStats, rows: rowCounts, unique: rowCounts, answered: whole });
export type JobStats = TypeOf<typeof jobStats>;

/** Which rows: by status or sub-status (comma-separated), by file as in `bulk --clean`, or by a part of any cell. */
const rowSelection = {
  only: { type: 'string', maxLength: 100 },
  reason: { type: 'string', maxLength: 1_000 },
  part: oneOf(...rowKinds),
  search,
} as const;
export type RowSelection = TypeOf<ReturnType<typeof object<Record<never, never>, typeof rowSelection>>>;
export const downloadFormats = ['csv', 'xlsx', 'ndjson', 'json'] as const;

/** `number` counts from 1, with the header; `verdict` is null until the row is answered. */
const appRow = object({
  number: whole,
  cells: list(text),
  email: text,
  verdict: orNull(typed<RowVerdict & { means: string }>({ type: 'object' })),
});
export type AppRow = TypeOf<typeof appRow>;
const rowPage = object({
  columns: list(text),
  email_columns: list(whole),
  rows: list(appRow),
  skip: whole,
  limit: whole,
  more: flag,
});
export type RowPage = TypeOf<typeof rowPage>;

/** What changed since the list was last checked. */
const changes = object({
  new: whole,
  same: whole,
  changed: whole,
  gone: whole,
  moves: { type: 'object', additionalProperties: whole },
  earlier_at: time,
  rows: list(object({ email: text, before: text, now: text, why: text })),
});
export type Changes = TypeOf<typeof changes>;

const explained = object({ code: text, means: text, advice: text });
const checkAnswer = object({
  result: typed<ValidationResult>({ type: 'object' }),
  /** The leading code: the sub_status, or the typo that makes the address risky. */
  verdict: explained,
  reasons: list(explained),
  evidence: orNull(typed<ResultEvidence>({ type: 'object' })),
  /** Lines such as "not valid, since …". */
  why_not: list(text),
});
export type CheckAnswer = TypeOf<typeof checkAnswer>;

/** `member`: its owner, null for the administrators. `granted`: all credits ever granted. */
const appKey = object({
  state: oneOf('active', 'no_credits', 'expired', 'revoked'),
  member: textOrNull,
  granted: wholeOrNull,
});
export type AppKey = ApiKey & TypeOf<typeof appKey>;
const key = typed<AppKey>(appKey);
const keyChange = object({}, { name, credits, expires_at: expiry });

/** Sent only to signed-in users. `keep_days`: a fraction if `keep_jobs` is not in whole days; null: for ever. */
const serverInfo = object({
  level: oneOf(...levels),
  max_upload_bytes: whole,
  max_rows: whole,
  keep_days: { type: ['number', 'null'] },
  /** What sets the administrator's password at each start; null if it can be changed on the page. */
  password_source: textOrNull,
});

/** `email` is absent for the administrator without an account. */
export type SignedInUser =
  | { kind: 'admin'; name: string; email?: string }
  | { kind: 'member'; id: string; name: string; email: string }
  | { kind: 'key'; id: string; name: string; prefix: string; plan: string; credits: number | null };

/** `setup`: no password exists yet, and only keys can sign in. `by_proxy`: a proxy signs in and out; `proxy_user` is who it names, who is not a member. */
const session = {
  anyOf: [
    object({ state: oneOf('setup', 'signed_out'), has_members: flag, proxy_user: textOrNull }),
    object({
      state: oneOf('signed_in'),
      who: typed<SignedInUser>({ type: 'object' }),
      expires_at: time,
      by_proxy: flag,
      server: serverInfo,
    }),
  ],
} as const;
export type SessionView = TypeOf<typeof session>;

/** `address`: the network that signed in. `current`: the session of this request. */
const ownSession = object({
  id: text,
  user_agent: text,
  address: text,
  created_at: time,
  last_used_at: time,
  current: flag,
});
export type OwnSession = TypeOf<typeof ownSession>;

/** Administrators may do everything; members have their own lists and keys. */
export const memberRoles = ['administrator', 'member'] as const;
export type MemberRole = (typeof memberRoles)[number];
const role = oneOf(...memberRoles);

/** Who signs in to the pages. `expired`: the invitation was not accepted in time. `invited_until`: of an open one. */
const member = object({
  id: text,
  email: text,
  name: text,
  role,
  state: oneOf('active', 'invited', 'expired'),
  created_at: time,
  last_sign_in_at: timeOrNull,
  invited_until: timeOrNull,
});
export type MemberView = TypeOf<typeof member>;
const newMember = object({ email, name, role });
export type NewMember = TypeOf<typeof newMember>;
/** The one-time secret of the invitation is never shown again. */
const invited = object({ member, token: text });
export type Invited = TypeOf<typeof invited>;

/** `actor_name`: empty for an unknown caller. */
const auditEntry = object({
  at: time,
  actor_name: text,
  action: text,
  subject: text,
  subject_name: text,
  address: text,
});
export type AuditView = TypeOf<typeof auditEntry>;

export const webhookEvents = ['job.completed', 'job.failed'] as const;
const webhook = object({
  id: text,
  url: text,
  events: list(text),
  created_at: time,
  /** The old secret is valid until then. */
  old_secret_until: timeOrNull,
  /** The newest delivery that was tried. */
  last_delivery: orNull(object({ state: oneOf('pending', 'delivered', 'failed'), error: textOrNull, at: time })),
});
export type WebhookView = TypeOf<typeof webhook>;
/** The secret is never shown again. */
const createdWebhook = object({ webhook, secret: text });
export type CreatedWebhook = TypeOf<typeof createdWebhook>;

/** `warn`: it works with limitations. `skipped`: not checked. `hint`: the next step. */
const finding = object({
  name: text,
  title: text,
  subject: textOrNull,
  state: oneOf('ok', 'warn', 'fail', 'skipped'),
  message: text,
  hint: textOrNull,
});
export type Finding = TypeOf<typeof finding>;
/** `complete`: false if no mail server was contacted; `runAllChecks` does. */
const statusView = object({ findings: list(finding), looked_at: time, complete: flag });
export type StatusView = TypeOf<typeof statusView>;

const reasonCount = object({ code: text, status, count: whole });
const usageDay = object({
  day: text,
  requests: whole,
  valid: whole,
  risky: whole,
  invalid: whole,
  unknown: whole,
});
/** `others`: the sum of the rest. `by_day`: addresses of each day. */
const ownerUsage = object({
  owner: object({ kind: oneOf('admin', 'member', 'key', 'local', 'others'), id: text, name: text }),
  requests: whole,
  addresses: whole,
  by_day: list(whole),
});
/** Daily counts (UTC), oldest first. Owners, reasons and domains: the most frequent. */
const usage = object({
  days: list(usageDay),
  owners: list(ownerUsage),
  reasons: list(reasonCount),
  domains: list(object({ name: text, count: whole })),
});
export type UsageView = TypeOf<typeof usage>;
export type UsageDay = TypeOf<typeof usageDay>;
export type OwnerUsage = TypeOf<typeof ownerUsage>;
export type ReasonCount = TypeOf<typeof reasonCount>;

/** What was deleted for an address, with the lists that still contain it. */
const forgotten = object({
  cached: whole,
  lists: whole,
  rows: whole,
  unfinished: list(object({ id: text, filename: text, owner })),
});
export type AppForgetReport = TypeOf<typeof forgotten>;

const secret = object({ token: password });
const secretAndPassword = object({ token: password, password });
const listRow = typed<AppJob>(appJob);

/** The requests of the pages beside those of the interface. They are private, and may change with every version. */
export const appRoutes = {
  session: get('/app/session', 'public', session),
  /** Works once, with the token of the link that the server printed; signs in as administrator. */
  setUp: post('/app/setup', 'public', session, { body: secretAndPassword }),
  /** Without `email`: the administrator's password. */
  signIn: post('/app/sign-in', 'public', session, {
    body: object({}, { email: { type: 'string', maxLength: 320 }, password, api_key: password }),
  }),
  /** `everywhere` ends all sessions of the user. */
  signOut: post('/app/sign-out', 'public', session, { body: orNull(object({}, { everywhere: flag })) }),
  checkInvitation: post('/app/invitation/check', 'public', object({ email: text, name: text, expires_at: time }), {
    body: secret,
  }),
  /** Works once for each invitation; signs in as the member. */
  acceptInvitation: post('/app/invitation', 'public', session, { body: secretAndPassword }),
  /** Ends all other sessions. */
  changePassword: post('/app/password', 'member', session, { body: object({ old_password: password, password }) }),
  /** Last used first. */
  listSessions: get('/app/sessions', 'session', object({ sessions: list(ownSession) })),
  endSession: remove('/app/sessions/{id}', 'session', object({ ended: flag })),
  listMembers: get('/app/members', 'administrator', object({ members: list(member) })),
  addMember: post('/app/members', 'administrator', invited, { body: newMember }),
  changeMember: patch('/app/members/{id}', 'administrator', member, {
    body: { ...object({}, { name, role }), minProperties: 1 },
  }),
  /** A new invitation, which replaces an earlier one; also for a forgotten password. */
  inviteMember: post('/app/members/{id}/invitation', 'administrator', invited),
  /** Also ends the sessions and revokes the keys of the member. */
  removeMember: remove('/app/members/{id}', 'administrator', member),
  listAudit: get('/app/audit', 'administrator', object({ entries: list(auditEntry), total: whole, kept_days: whole }), {
    query: object({}, { ...paged(50, 200), search }),
  }),
  exportAudit: get('/app/audit.csv', 'administrator', content('The audit log', 'text/csv'), {
    query: object({}, { search }),
  }),
  /** Administrators see those of all administrators; a member sees only theirs. */
  listWebhooks: get('/app/webhooks', 'member', object({ webhooks: list(webhook) })),
  addWebhook: post('/app/webhooks', 'member', createdWebhook, {
    body: object({ url: limits.url, events: { ...list(oneOf(...webhookEvents)), minItems: 1, maxItems: 10 } }),
  }),
  removeWebhook: remove('/app/webhooks/{id}', 'member', object({ deleted: flag })),
  /** The old secret is valid for another day. */
  rotateWebhook: post('/app/webhooks/{id}/secret', 'member', createdWebhook),
  /** Costs a credit of the key. */
  check: post('/app/check', 'session', checkAnswer, { body: object({ email: address }) }),
  /** Reads the whole file. */
  uploadPlan: get('/app/uploads/{id}/plan', 'session', uploadPlan, {
    query: object({ email_column: emailColumn.name }, { email_column_numbers: emailColumn.numbers }),
  }),
  /** Newest first. `owner`: for administrators; others see their own. */
  listLists: get('/app/jobs', 'session', object({ jobs: list(listRow), total: whole }), {
    query: object({}, { ...paged(20, 100), search, status: jobState, owner: { type: 'string', maxLength: 100 } }),
  }),
  /** Reads no rows, so it can be polled every second. */
  getList: get('/app/jobs/{id}', 'session', listRow),
  /** A new list of the same rows; verdicts up to this age are kept. */
  checkAgain: post('/app/jobs/{id}/check-again', 'session', listRow, {
    body: object({ max_age_days: limits.maxAgeDays }),
  }),
  listChanges: get('/app/jobs/{id}/changes', 'session', changes),
  /** Reads all rows, at most every few seconds while the job runs. */
  jobStats: get('/app/jobs/{id}/stats', 'session', jobStats),
  jobRows: get('/app/jobs/{id}/rows', 'session', rowPage, {
    query: object({}, { ...rowSelection, ...paged(50, 500) }),
  }),
  /** `columns` counts from 1, comma-separated. */
  download: get('/app/jobs/{id}/results', 'session', content('Rows of a list', 'text/csv'), {
    query: object(
      {},
      {
        ...rowSelection,
        format: { ...oneOf(...downloadFormats), default: 'csv' },
        duplicates: oneOf('remove'),
        columns: { type: 'string', maxLength: 10_000 },
      },
    ),
  }),
  /** One self-contained HTML file. */
  report: get('/app/jobs/{id}/report', 'session', content('The report', 'text/html')),
  /** Deletes an address from all lists that have ended, and from the cached verdicts. */
  forgetAddress: post('/app/forget', 'administrator', forgotten, {
    body: object({ email: limits.mention }),
  }),
  /** Null: lists are kept until they are deleted. */
  setRetention: patch('/app/retention', 'administrator', object({ keep_days: wholeOrNull }), {
    body: object({ keep_days: limits.keepDays }),
  }),
  /** All keys for an administrator; a member sees only theirs. */
  listKeys: get('/app/keys', 'member', object({ keys: list(key) })),
  /** `test`: the key is accepted only for addresses of the sandbox. */
  createKey: post('/app/keys', 'member', object({ key: text, record: key }), {
    body: object({ name }, { plan, credits, expires_at: expiry, test: flag }),
  }),
  changeKey: patch('/app/keys/{id}', 'member', key, { body: keyChange }),
  revokeKey: remove('/app/keys/{id}', 'member', key),
  /** Up to the last day that has any. A key sees its own usage, members see all. */
  usage: get('/app/usage', 'session', usage, {
    query: object({}, { days: { type: 'integer', minimum: 1, maximum: 90, default: 90 } }),
  }),
  /** Contacts no mail server. */
  status: get('/app/status', 'administrator', statusView),
  /** Runs all checks, the mail port included, which takes some seconds. */
  runAllChecks: post('/app/status', 'administrator', statusView),
};

/** The link that sets the first password. A fragment is never sent, so that no log or referrer has the token. */
export function setUpLink(origin: string, token: string): string {
  return `${origin}/setup#${token}`;
}

/** The link that accepts an invitation. */
export function invitationLink(origin: string, token: string): string {
  return `${origin}/invitation#${token}`;
}
