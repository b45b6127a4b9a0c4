import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hashPassword, isPassword, type ScryptCost } from '../../jobs/admin-password.js';
import { hashKey } from '../../jobs/api-keys.js';
import type { SessionRecord, SessionStore } from '../../jobs/store/sessions.js';
import { Failure } from '../../model/failure.js';

/** Maximum age of a session: unused, and in total. */
export const sessionLife = { idleMs: 7 * 24 * 60 * 60_000, maxAgeMs: 30 * 24 * 60 * 60_000 } as const;

/** Resolution of the last use: a write per request is expensive. */
const touchIntervalMs = 60_000;
const maxAgentLength = 200;
/** 256 bits. */
const idShape = /^[A-Za-z0-9_-]{43}$/;

export interface FoundSession extends SessionRecord {
  hash: string;
}

/** Browser sessions. The store has only the hash of an id, so that a copy of the store is useless. */
export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(store: SessionStore, now: () => number = Date.now) {
  return {
    /** Begins a session under a new id, which is returned only here. */
    begin: async (owner: string, userAgent: string, address: string) => {
      const id = randomBytes(32).toString('base64url');
      const time = now();
      const agent = userAgent.replace(/[^\x20-\x7e]/g, '').slice(0, maxAgentLength);
      await store.addSession(hashOf(id), { owner, userAgent: agent, address, createdAt: time, lastUsedAt: time });
      return id;
    },
    find: async (id: string) => {
      if (!idShape.test(id)) return null;
      const key = hashOf(id);
      // Looked up by hash, so that timing reveals nothing about the id.
      const session = await store.findSession(key);
      const time = now();
      if (session === null || time >= expiryOf(session)) return null;
      if (time - session.lastUsedAt >= touchIntervalMs) await store.touchSession(key, time);
      return { ...session, hash: key };
    },
    /** The sessions of an owner; the store may still have expired ones. */
    list: async (owner: string): Promise<FoundSession[]> =>
      (await store.listSessions(owner)).filter((session) => now() < expiryOf(session)),
    end: (key: string) => store.endSession(key),
    endById: (id: string) => store.endSession(hashOf(id)),
    endAll: async (owner: string) => {
      await store.endSessions(owner);
    },
    expire: async () => {
      const time = now();
      await store.expireSessions({ lastUsedAt: time - sessionLife.idleMs, createdAt: time - sessionLife.maxAgeMs });
    },
  };
}

export function expiryOf({ createdAt, lastUsedAt }: SessionRecord): number {
  return Math.min(createdAt + sessionLife.maxAgeMs, lastUsedAt + sessionLife.idleMs);
}

function hashOf(id: string): string {
  return hash('sha256', id, 'hex');
}

/** Browsers accept the prefix only over TLS and from this host, so that a sibling domain cannot set the cookie. */
const securePrefix = '__Host-';
const cookieNames = { session: 'mailvet', device: 'mailvet-device' } as const;
type CookieName = keyof typeof cookieNames;

/** The value of our cookie; null for none or several. */
export function cookieIn({ headers }: IncomingMessage, name: CookieName, isEncrypted: boolean): string | null {
  const { cookie } = headers;
  if (cookie === undefined) return null;
  const start = `${isEncrypted ? securePrefix : ''}${cookieNames[name]}=`;
  const [pair, ...others] = cookie
    .split(';')
    .map((text) => text.trim())
    .filter((text) => text.startsWith(start));
  return pair === undefined || others.length > 0 ? null : pair.slice(start.length);
}

/** A Set-Cookie header that scripts cannot read and other sites cannot send. */
export function cookieOf(name: CookieName, value: string, maxAgeSeconds: number, isEncrypted: boolean): string {
  const [prefix, secure] = isEncrypted ? [securePrefix, '; Secure'] : ['', ''];
  return `${prefix}${cookieNames[name]}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
}

/** The first start: the link that the server printed sets the password, once. */
export type SetUp = ReturnType<typeof createSetUp>;

export function createSetUp(store: SessionStore, cost?: ScryptCost) {
  const token = randomBytes(24).toString('base64url');
  // Never reset, since the endpoint is public.
  let isDone = false;
  return {
    /** The secret of the link; null once a password exists. */
    token: async () => {
      isDone ||= (await store.adminPasswordHash()) !== null;
      return isDone ? null : token;
    },
    /** Sets the first password; throws for a wrong token, and if a password exists. */
    complete: async (candidate: string, password: string) => {
      // Compares hashes, so that timing reveals neither content nor length.
      const isCorrect = timingSafeEqual(Buffer.from(hashKey(candidate)), Buffer.from(hashKey(token)));
      if (!isCorrect) {
        throw new Failure('key_refused', 'This setup link is no longer valid.', {
          hint: 'Use the link that the server printed when it last started.',
        });
      }
      if (await store.setAdminPassword(await hashPassword(password, cost), Date.now(), true)) return;
      throw new Failure('conflict', 'A password has already been set.', { hint: 'Sign in with it.' });
    },
  };
}

/** Queue limit: the wait stays below two seconds. */
const maxWaiting = 8;

/**
 * Checks passwords one at a time: each takes 64 MiB and a core for a fifth of a second. Browsers that signed in before
 * have their own queue, which guesses from elsewhere cannot fill.
 */
export function createPasswordCheck(check: typeof isPassword = isPassword) {
  const queues = { known: createCheckQueue(check), unknown: createCheckQueue(check) };
  return {
    /** Throws the Failure `rate_limited` if too many wait already. */
    isCorrect: (password: string, stored: string, isKnownDevice = false): Promise<boolean> =>
      queues[isKnownDevice ? 'known' : 'unknown'].isCorrect(password, stored),
  };
}

function createCheckQueue(check: typeof isPassword) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    isCorrect: async (password: string, stored: string) => {
      if (waiting >= maxWaiting) {
        throw new Failure('rate_limited', 'Too many people are signing in at the same time.', {
          hint: 'Try again in a moment.',
          retryAfterSeconds: 2,
        });
      }
      waiting++;
      const turn = last.then(() => check(password, stored));
      last = turn.catch(() => {});
      try {
        return await turn;
      } finally {
        waiting--;
      }
    },
  };
}
