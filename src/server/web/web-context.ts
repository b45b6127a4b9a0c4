import type { FastifyRequest } from 'fastify';
import type { ScryptCost } from '../../jobs/admin-password.js';
import type { KeyRecord } from '../../jobs/store/keys.js';
import { adminOwner, type SessionRecord } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import type { Level } from '../../model/evidence.js';
import type { Check } from '../../service/diagnosis/check.js';
import type { ServerFacts } from '../../wire/app-session.js';
import { callerOf, type ServerContext } from '../server-context.js';
import type { PasswordCheck } from './password-check.js';
import type { FoundSession, Sessions } from './sessions.js';
import type { SetUp } from './set-up.js';
import type { SignInThrottle } from './sign-in-throttle.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session that the request came with, where it has no key of its own. */
    session: FoundSession | null;
  }
}

/** How the web application is offered. */
export interface WebOptions {
  /** Where the build put the pages. */
  folder: string;
  level: Level;
  /** What a guess at the password costs; the usual where not given. */
  passwordCost?: ScryptCost;
  /** What is kept where, for people. */
  storeName: string;
  /** Looks at what the server needs; dials mail servers only with `dial`. */
  diagnose(options: { dial: boolean; signal: AbortSignal }): AsyncIterable<Check>;
}

/** What the web application works with, beside what all handlers do. */
export interface WebContext extends ServerContext {
  store: JobStore;
  sessions: Sessions;
  /** The administrator, or the key as it is now; null for a key that is good no more. */
  ownerOfSession(session: SessionRecord): Promise<KeyRecord | null>;
  passwords: PasswordCheck;
  throttle: SignInThrottle;
  setUp: SetUp;
  web: WebOptions;
  startedAt: number;
}

/** What the server is like, for those who are signed in. */
export function serverFacts({ web, limits }: WebContext): ServerFacts {
  return { version: __VERSION__, level: web.level, max_upload_bytes: limits.fileBytes, max_rows: limits.rows };
}

/** The administrator where a key would be: without limit, and not charged. */
export const adminCaller: KeyRecord = {
  id: adminOwner,
  name: 'Admin',
  prefix: '',
  plan: 'self-hosted',
  credits: null,
  granted: null,
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
};

/** True for the administrator, who sees everybody's jobs. */
export function isAdmin(request: FastifyRequest): boolean {
  return callerOf(request).id === adminOwner;
}

/** Whose things the caller sees: his own, or everybody's (null). */
export function seenOwner(request: FastifyRequest): string | null {
  return isAdmin(request) ? null : callerOf(request).id;
}
