import type { ApiKey } from '../model/api-key.js';
import type { Level } from '../model/evidence.js';
import type { JobState } from '../model/job.js';
import type { Owner, ReasonCount, StatusCounts } from './app-jobs.js';

/** `no_credits` and `expired` keys are refused until credits or time are added. */
export type KeyState = 'active' | 'no_credits' | 'expired' | 'revoked';

export interface AppKey extends ApiKey {
  state: KeyState;
  /** The name of the member it belongs to; null: the administrators. */
  member: string | null;
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
  /** The key is accepted only for addresses of the sandbox; it has no credits. */
  test?: boolean;
}

export interface KeyChange {
  name?: string;
  /** Not for a key without limit. */
  add_credits?: number;
  /** ISO 8601; null: never. */
  expires_at?: string | null;
}

export type SignedInUser =
  /** `email` is absent for the administrator without an account. */
  | { kind: 'admin'; name: string; email?: string }
  | { kind: 'member'; id: string; name: string; email: string }
  /** `credits` null: without limit. */
  | { kind: 'key'; id: string; name: string; prefix: string; plan: string; credits: number | null };

/** The state of a browser. `setup`: no password exists yet, and only keys can sign in. */
export type SessionView =
  | { state: 'setup' | 'signed_out'; has_members: boolean }
  | { state: 'signed_in'; who: SignedInUser; expires_at: string; server: ServerInfo };

/** Sent only to signed-in users. */
export interface ServerInfo {
  version: string;
  level: Level;
  max_upload_bytes: number;
  max_rows: number;
  /** Lists are deleted this many days after they end, a fraction if `keep_jobs` is not in whole days; null: never. */
  keep_days: number | null;
  /** What sets the administrator's password at each start; null if it can be changed on the page. */
  password_source: string | null;
}

/** Bounds for the administrator's password. */
export const passwordLength = { min: 10, max: 1_000 } as const;

/** The findings of `doctor`, and the state of the server. */
export interface StatusView {
  findings: Finding[];
  looked_at: string;
  /** False if no mail server was contacted; `runAllChecks` does. */
  complete: boolean;
  server: ServerInfo & { started_at: string; store: string };
  jobs: Record<JobState, number>;
}

export interface Finding {
  /** A stable name such as `smtp_port`. */
  name: string;
  /** The name to show, such as "Mail port". */
  title: string;
  /** The subject, if several findings have this name. */
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
  /** In the form 2026-11-15. */
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
