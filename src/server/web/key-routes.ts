import type { FastifyRequest } from 'fastify';
import { timeSlicesFor } from '../../async/time-slicer.js';
import { keyRevoked, makeKey, toApiKey } from '../../jobs/api-keys.js';
import { requireName } from '../../jobs/members.js';
import type { KeyRecord } from '../../jobs/store/keys.js';
import { adminOwner, isMemberId } from '../../jobs/store/sessions.js';
import type { JobStore } from '../../jobs/store/store.js';
import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import type { AppKey } from '../../wire/app.js';
import type { Handlers } from '../routes/router.js';
import { callerOf, isAdmin } from '../server-context.js';
import type { WebContext } from './web-context.js';

const maxKeysOfMember = 1_000;

/** The API Keys page: all keys for administrators; a member sees only theirs. */
export function keyHandlers({ store, sessions, audit }: WebContext) {
  const record = (request: FastifyRequest, action: string, { id, name: keyName }: KeyRecord): Promise<void> =>
    audit.record(request, { action, subject: id, subjectName: keyName });
  /** A key that the caller may change, otherwise `not_found`, whether it exists or not. */
  const keyOf = async (request: FastifyRequest, id: string): Promise<KeyRecord> => {
    const key = await store.getKey(id);
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
  return {
    listKeys: async ({ request }) => {
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
    createKey: async ({ request, body: { name, plan = 'self-hosted', credits = null, expires_at, test = false } }) => {
      if (!isAdmin(request) && (plan !== 'self-hosted' || credits !== null)) throw onlyByAdministrators();
      const now = Date.now();
      const memberId = request.session !== null && isMemberId(request.session.owner) ? request.session.owner : null;
      await refuseTooMany(memberId);
      const expiresAt = parseExpiry(expires_at, now) ?? null;
      const options = { plan, credits: test ? null : credits, isTest: test, expiresAt, memberId };
      const { key, hash, record: created } = makeKey({ name: requireName(name), ...options }, now);
      await store.addKey(created, hash);
      await record(request, 'key_created', created);
      return { key, record: await viewOf(created) };
    },
    changeKey: async ({ request, id, body: { name, credits, expires_at } }) => {
      const expiresAt = parseExpiry(expires_at, Date.now());
      const current = await keyOf(request, id);
      if (credits !== undefined && !isAdmin(request)) throw onlyByAdministrators();
      if (current.revokedAt !== null) throw keyRevoked();
      const changed = await store.changeKey(current.id, {
        ...(name !== undefined && { name: requireName(name) }),
        ...(credits !== undefined && { credits }),
        ...(expiresAt !== undefined && { expiresAt }),
      });
      if (changed === null) throw keyNotFound();
      await record(request, 'key_changed', changed);
      return viewOf(changed);
    },
    revokeKey: async ({ request, id }) => {
      const revoked = await store.revokeKey((await keyOf(request, id)).id, Date.now());
      if (revoked === null) throw keyNotFound();
      await sessions.endAll(revoked.id);
      await record(request, 'key_revoked', revoked);
      return viewOf(revoked);
    },
  } satisfies Partial<Handlers>;
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

function stateOf({ revokedAt, expiresAt, credits }: KeyRecord, now: number): AppKey['state'] {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return credits === 0 ? 'no_credits' : 'active';
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
