import type { FastifyInstance } from 'fastify';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { makeKey, toApiKey } from '../../jobs/api-keys.js';
import type { KeyRecord } from '../../jobs/store/keys.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import { Failure } from '../../model/failure.js';
import { safeText } from '../../model/text/safe-text.js';
import type { AppKey, KeyChange, KeyState, NewKeyRequest } from '../../wire/app-server.js';
import { defineAppRoute, idOf } from './define-app-route.js';
import type { WebContext } from './web-context.js';

const maxCredits = 1_000_000_000_000;
const name = { type: 'string', minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' } as const;
const plan = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' } as const;
const time = { type: ['string', 'null'], maxLength: 40 } as const;
const bodies = {
  create: {
    type: 'object',
    required: ['name'],
    properties: {
      name,
      plan,
      expires_at: time,
      credits: { type: ['integer', 'null'], minimum: 0, maximum: maxCredits },
    },
  },
  change: {
    type: 'object',
    properties: { name, expires_at: time, add_credits: { type: 'integer', minimum: 1, maximum: maxCredits } },
  },
} as const;

/** The API Keys page. */
export function registerKeyRoutes(app: FastifyInstance, { store, sessions }: WebContext): void {
  defineAppRoute(app, 'listKeys', {
    to: 'admin',
    answer: async () => {
      const { maybeYield } = timeSlicesFor({ priority: 'bulk', owner: adminOwner, taskId: 'keys' });
      const keys: AppKey[] = [];
      for (const key of (await store.listKeys()).reverse()) {
        const pause = maybeYield();
        if (pause !== null) await pause;
        keys.push(toAppKey(key, Date.now()));
      }
      return { keys };
    },
  });
  defineAppRoute(app, 'createKey', {
    to: 'admin',
    body: bodies.create,
    answer: async (request) => {
      const body = request.body as NewKeyRequest;
      const now = Date.now();
      const options = {
        name: requireName(body.name),
        plan: body.plan ?? 'self-hosted',
        credits: body.credits ?? null,
        expiresAt: parseExpiry(body.expires_at, now) ?? null,
      };
      const { key, hash, record } = makeKey(options, now);
      await store.addKey(record, hash);
      return { key, record: toAppKey(record, now) };
    },
  });
  defineAppRoute(app, 'changeKey', {
    to: 'admin',
    body: bodies.change,
    answer: async (request) => {
      const { name: newName, add_credits, expires_at } = request.body as KeyChange;
      const now = Date.now();
      const expiresAt = parseExpiry(expires_at, now);
      const current = await store.getKey(idOf(request));
      if (current === null) throw keyNotFound();
      if (current.revokedAt !== null) throw new Failure('conflict', 'The key was revoked; create a new one instead.');
      if (add_credits !== undefined && current.credits === null) {
        throw new Failure('conflict', 'The key has no limit, so there is nothing to add to.');
      }
      const changed = await store.changeKey(current.id, {
        ...(newName !== undefined && { name: requireName(newName) }),
        ...(add_credits !== undefined && { addCredits: add_credits }),
        ...(expiresAt !== undefined && { expiresAt }),
      });
      if (changed === null) throw keyNotFound();
      return toAppKey(changed, now);
    },
  });
  defineAppRoute(app, 'revokeKey', {
    to: 'admin',
    answer: async (request) => {
      const now = Date.now();
      const revoked = await store.revokeKey(idOf(request), now);
      if (revoked === null) throw keyNotFound();
      await sessions.endAll(revoked.id);
      return toAppKey(revoked, now);
    },
  });
}

function toAppKey(key: KeyRecord, now: number): AppKey {
  return { ...toApiKey(key), state: stateOf(key, now), granted: key.granted };
}

function stateOf({ revokedAt, expiresAt, credits }: KeyRecord, now: number): KeyState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return credits === 0 ? 'no_credits' : 'active';
}

/** The name without spaces around it, so that no two look alike. */
function requireName(text: string): string {
  const trimmed = text.trim();
  if (safeText(trimmed) !== trimmed)
    throw new Failure('bad_input', 'The name contains characters that cannot be seen.');
  if (trimmed !== '') return trimmed;
  throw new Failure('bad_input', 'The key needs a name.', {
    hint: 'Name the program or person that uses it, e.g. billing.',
  });
}

function parseExpiry(text: string | null | undefined, now: number): number | null | undefined {
  if (text === undefined || text === null) return text;
  const expiresAt = Date.parse(text);
  if (expiresAt > now && /^\d{4}-\d\d-\d\d/.test(text)) return expiresAt;
  throw new Failure('bad_input', 'The expiry time must be in the future.', {
    hint: 'Write it as 2027-01-31T12:00:00Z.',
  });
}

function keyNotFound(): Failure {
  return new Failure('not_found', 'There is no such key.', { hint: 'Reload the page to see all keys.' });
}
