import type { FastifyInstance, FastifyRequest } from 'fastify';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { makeKey, toApiKey } from '../../jobs/api-keys.js';
import type { KeyRecord } from '../../jobs/store/keys.js';
import { isMemberId } from '../../jobs/store/members.js';
import { adminOwner } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import { safeText } from '../../model/text/safe-text.js';
import type { AppKey, KeyChange, KeyState, NewKeyRequest } from '../../wire/app-server.js';
import { callerOf } from '../server-context.js';
import { defineAppRoute, idOf } from './define-app-route.js';
import { isAdmin, type WebContext } from './web-context.js';

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
      test: { type: 'boolean' },
    },
  },
  change: {
    type: 'object',
    properties: { name, expires_at: time, add_credits: { type: 'integer', minimum: 1, maximum: maxCredits } },
  },
} as const;

const maxKeysOfMember = 1_000;

/** The API Keys page: all keys for administrators; a member sees only theirs. */
export function registerKeyRoutes(app: FastifyInstance, { store, sessions, audit }: WebContext): void {
  const record = (request: FastifyRequest, action: string, { id, name: keyName }: KeyRecord): Promise<void> =>
    audit.record(request, { action, subject: id, subjectName: keyName });
  /** A key that the caller may change, otherwise `not_found`, whether it exists or not. */
  const keyOf = async (request: FastifyRequest): Promise<KeyRecord> => {
    const key = await store.getKey(idOf(request));
    if (key === null || (!isAdmin(request) && key.memberId !== callerOf(request).id)) throw keyNotFound();
    return key;
  };
  const refuseTooMany = async (memberId: string | null): Promise<void> => {
    if (memberId === null) return;
    const owned = (await store.listKeys()).filter((key) => key.memberId === memberId && key.revokedAt === null);
    if (owned.length < maxKeysOfMember) return;
    throw new Failure('conflict', `You have ${formatAmount(owned.length, 'key')}, the most a member can have.`, {
      hint: 'Revoke keys that are not needed.',
    });
  };
  const viewOf = async (key: KeyRecord): Promise<AppKey> => toAppKey(key, Date.now(), await memberNames(store));
  defineAppRoute(app, 'listKeys', {
    answer: async (request) => {
      const { maybeYield } = timeSlicesFor({ priority: 'bulk', owner: adminOwner, taskId: 'keys' });
      const memberNameOf = await memberNames(store);
      const owner = isAdmin(request) ? null : callerOf(request).id;
      const keys: AppKey[] = [];
      for (const key of (await store.listKeys()).reverse()) {
        const pause = maybeYield();
        if (pause !== null) await pause;
        if (owner === null || key.memberId === owner) keys.push(toAppKey(key, Date.now(), memberNameOf));
      }
      return { keys };
    },
  });
  defineAppRoute(app, 'createKey', {
    body: bodies.create,
    answer: async (request) => {
      const body = request.body as NewKeyRequest;
      if (!isAdmin(request) && (body.plan !== undefined || body.credits != null)) throw onlyByAdministrators();
      const now = Date.now();
      const options = {
        name: requireName(body.name),
        plan: body.plan ?? 'self-hosted',
        credits: body.test === true ? null : (body.credits ?? null),
        isTest: body.test === true,
        expiresAt: parseExpiry(body.expires_at, now) ?? null,
        memberId: request.session !== null && isMemberId(request.session.owner) ? request.session.owner : null,
      };
      await refuseTooMany(options.memberId);
      const { key, hash, record: created } = makeKey(options, now);
      await store.addKey(created, hash);
      await record(request, 'key_created', created);
      return { key, record: await viewOf(created) };
    },
  });
  defineAppRoute(app, 'changeKey', {
    body: bodies.change,
    answer: async (request) => {
      const { name: newName, add_credits, expires_at } = request.body as KeyChange;
      const expiresAt = parseExpiry(expires_at, Date.now());
      const current = await keyOf(request);
      if (add_credits !== undefined && !isAdmin(request)) throw onlyByAdministrators();
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
      await record(request, 'key_changed', changed);
      return viewOf(changed);
    },
  });
  defineAppRoute(app, 'revokeKey', {
    answer: async (request) => {
      const revoked = await store.revokeKey((await keyOf(request)).id, Date.now());
      if (revoked === null) throw keyNotFound();
      await sessions.endAll(revoked.id);
      await record(request, 'key_revoked', revoked);
      return viewOf(revoked);
    },
  });
}

/** The name of a member by the id. */
async function memberNames(store: JobStore): Promise<(id: string) => string> {
  const names = new Map((await store.listMembers()).map(({ id, name: memberName }) => [id, memberName]));
  return (id) => names.get(id) ?? 'removed member';
}

function onlyByAdministrators(): Failure {
  return new Failure('forbidden', 'Administrators set plan and credits.', { hint: 'Leave them out.' });
}

function toAppKey(key: KeyRecord, now: number, memberNameOf: (id: string) => string): AppKey {
  const { memberId = null, granted } = key;
  const member = memberId === null ? null : memberNameOf(memberId);
  return { ...toApiKey(key), state: stateOf(key, now), granted, member };
}

function stateOf({ revokedAt, expiresAt, credits }: KeyRecord, now: number): KeyState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return credits === 0 ? 'no_credits' : 'active';
}

/** The name without surrounding spaces, so that no two names look equal. */
function requireName(text: string): string {
  const trimmed = text.trim();
  // Half of a character is stored as another one.
  if (safeText(trimmed) !== trimmed || /\p{Surrogate}/u.test(trimmed))
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
