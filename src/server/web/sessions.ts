import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { SessionRecord, SessionStore } from '../../jobs/store/sessions.js';
import { isEncrypted } from './sign-in-throttle.js';

/** Maximum age of a session: unused, and in total. */
export const sessionLife = { idleMs: 7 * 24 * 60 * 60_000, wholeMs: 30 * 24 * 60 * 60_000 } as const;

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
    /** Always under a new id, which is returned only here. */
    begin: async (owner: string, userAgent: string) => {
      const id = randomBytes(32).toString('base64url');
      const at = now();
      const agent = userAgent.replace(/[^\x20-\x7e]/g, '').slice(0, maxAgentLength);
      await store.addSession(hashOf(id), { owner, userAgent: agent, createdAt: at, lastUsedAt: at });
      return id;
    },
    find: async (id: string) => {
      if (!idShape.test(id)) return null;
      const key = hashOf(id);
      // Looked up by hash, so that timing reveals nothing about the id.
      const found = await store.findSession(key);
      const at = now();
      if (found === null || isOver(found, at)) return null;
      if (at - found.lastUsedAt >= touchIntervalMs) await store.touchSession(key, at);
      return { ...found, hash: key };
    },
    end: (key: string) => store.endSession(key),
    endAll: async (owner: string) => {
      await store.endSessions(owner);
    },
    /** Deletes expired sessions. */
    expire: async () => {
      const at = now();
      await store.expireSessions({ idle: at - sessionLife.idleMs, begun: at - sessionLife.wholeMs });
    },
  };
}

export function expiryOf({ createdAt, lastUsedAt }: SessionRecord): number {
  return Math.min(createdAt + sessionLife.wholeMs, lastUsedAt + sessionLife.idleMs);
}

function isOver(session: SessionRecord, now: number): boolean {
  return now >= expiryOf(session);
}

function hashOf(id: string): string {
  return hash('sha256', id, 'hex');
}

/** Browsers accept the prefix only over TLS and from this host, so that a sibling domain cannot set the cookie. */
function cookieName(request: IncomingMessage): string {
  return isEncrypted(request) ? '__Host-mailvet' : 'mailvet';
}

/** The session id of the cookie; null for none or several. */
export function sessionIdIn(request: IncomingMessage): string | null {
  const { cookie } = request.headers;
  if (cookie === undefined) return null;
  const start = `${cookieName(request)}=`;
  const [found, ...others] = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start));
  return found === undefined || others.length > 0 ? null : found.slice(start.length);
}

export function sessionCookie(request: IncomingMessage, id: string, maxAgeSeconds: number): string {
  const secure = isEncrypted(request) ? '; Secure' : '';
  return `${cookieName(request)}=${id}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
}
