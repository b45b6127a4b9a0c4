import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeKey } from '../../../src/jobs/api-keys.js';
import type { OpenStoreLab, StoreLab } from './store-lab.js';

const session = (owner: string) => ({ owner, userAgent: '', address: '', createdAt: 1_000, lastUsedAt: 1_000 });
const member = (id: string, email: string) => ({
  ...{ id: `member-${id}`, email, name: id, createdAt: Number.parseInt(id, 36) },
  ...{ role: 'member' as const, lastSignInAt: null, passwordHash: null, invitedUntil: 50 },
});
const invite = (hash: string) => ({ hash, until: 50 });

/** Members, their invitations, and the audit log, on whichever store. */
export function membersSuite(open: OpenStoreLab): void {
  let lab: StoreLab;
  beforeEach(async () => {
    lab = await open();
  });
  afterEach(() => lab.close());

  test('a member is invited once for each address, accepts once and in time, and every session before ends', async () => {
    const { store } = lab;
    const ada = member('a', 'ada@python.org');
    expect(await store.addMember(ada, invite('first'))).toBe('added');
    expect(await store.addMember(member('b', 'ada@python.org'), invite('other'))).toBe('taken');
    expect(await store.listMembers()).toEqual([ada]);
    expect(await store.findInvitation('first', 49)).toEqual(ada);
    expect(await store.findInvitation('first', 50)).toBeNull();
    expect(await store.acceptInvitation('first', 'hash', 50)).toBeNull();
    await store.addSession('s', session(ada.id));
    const accepted = { ...ada, passwordHash: 'hash', invitedUntil: null };
    expect(await store.acceptInvitation('first', 'hash', 49)).toEqual(accepted);
    expect(await store.findSession('s')).toBeNull();
    expect(await store.acceptInvitation('first', 'stolen', 49)).toBeNull();
    expect(await store.inviteMember(ada.id, { hash: 'second', until: 90 })).toMatchObject({ passwordHash: 'hash' });
    expect(await store.findInvitation('first', 1)).toBeNull();
    await store.recordSignIn(ada.id, 7);
    expect(await store.changeMember(ada.id, { name: 'Ada', role: 'administrator' })).toMatchObject({
      ...{ name: 'Ada', role: 'administrator', lastSignInAt: 7 },
    });
    await store.addSession('s', session(ada.id));
    await store.setMemberPassword(ada.id, 'new hash');
    expect(await store.findSession('s')).toBeNull();
    expect(await store.findMember('ada@python.org')).toMatchObject({ passwordHash: 'new hash' });
    expect(await store.getMember('member-nobody')).toBeNull();
    expect(await store.changeMember('member-nobody', { name: 'x' })).toBeNull();
  });

  test('of two that accept one invitation at once, one does', async () => {
    const { store } = lab;
    await store.addMember(member('a', 'ada@python.org'), invite('token'));
    const outcomes = await Promise.all(['one', 'two'].map((hash) => store.acceptInvitation('token', hash, 1)));
    expect(outcomes.filter((found) => found !== null)).toHaveLength(1);
  });

  test('a member that is removed takes along sessions and keys, and not those of others', async () => {
    const { store } = lab;
    const ada = member('a', 'ada@python.org');
    await store.addMember(ada, invite('a'));
    await store.addMember(member('b', 'bob@python.org'), invite('b'));
    const keys = [ada.id, 'member-b', null].map((memberId) =>
      makeKey({ name: 'k', plan: 'p', credits: null, expiresAt: null, memberId }, 5),
    );
    for (const { record, hash } of keys) await store.addKey(record, hash);
    await store.addSession('s', session(ada.id));
    await store.addSession('t', session('member-b'));
    expect(await store.removeMember(ada.id, 9)).toMatchObject({ email: 'ada@python.org' });
    expect(await store.removeMember(ada.id, 9)).toBeNull();
    expect(await store.findSession('s')).toBeNull();
    expect(await store.findSession('t')).not.toBeNull();
    const revoked = (await store.listKeys()).map((key) => [key.memberId, key.revokedAt] as const);
    expect(new Map(revoked)).toEqual(
      new Map<string | null, number | null>([
        [ada.id, 9],
        ['member-b', null],
        [null, null],
      ]),
    );
    expect(await store.addMember(member('c', 'ada@python.org'), invite('c'))).toBe('added');
  });

  test('the audit log is read newest first, and forgets by age and by number', async () => {
    const { store } = lab;
    const entry = (at: number) => ({
      ...{ at, actor: 'admin', actorName: 'Admin', action: 'key_created', subject: 'k', subjectName: `n${at}` },
      address: '203.0.113.7',
    });
    for (let at = 1; at <= 5; at++) await store.addAudit(entry(at));
    expect(await store.listAudit({ skip: 1, limit: 2 })).toEqual({ entries: [entry(4), entry(3)], total: 5 });
    expect(await store.pruneAudit(3, 10)).toBe(2);
    expect(await store.pruneAudit(0, 2)).toBe(1);
    expect((await store.listAudit({ skip: 0, limit: 9 })).entries).toEqual([entry(5), entry(4)]);
  });
}
