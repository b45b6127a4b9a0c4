import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeKey } from '../../../src/jobs/api-keys.js';
import { claim, type OpenStoreLab, queueJob, type StoreLab } from './store-lab.js';

const session = (owner: string) => ({ owner, userAgent: '', address: '', createdAt: 1_000, lastUsedAt: 1_000 });
const member = (id: string, email: string) => ({
  ...{ id: `member-${id}`, email, name: id, createdAt: Number.parseInt(id, 36) },
  ...{ role: 'member' as const, lastSignInAt: null, passwordHash: null, invitedUntil: 50 },
});
const invite = (hash: string) => ({ hash, until: 50, createdBy: 'admin' });

/** Tests of members, their invitations, and the audit log, for each store. */
export function membersSuite(open: OpenStoreLab): void {
  let lab: StoreLab;
  beforeEach(async () => {
    lab = await open();
  });
  afterEach(() => lab.close());

  test('an address is invited once; accepting works once, in time, and ends every earlier session', async () => {
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
    expect(await store.inviteMember(ada.id, { hash: 'second', until: 90, createdBy: 'admin' })).toMatchObject({
      passwordHash: 'hash',
    });
    expect(await store.findInvitation('first', 1)).toBeNull();
    await store.recordSignIn(ada.id, 7);
    expect(await store.changeMember(ada.id, { name: 'Ada', role: 'administrator' })).toMatchObject({
      ...{ name: 'Ada', role: 'administrator', lastSignInAt: 7 },
    });
    await store.addSession('s', session(ada.id));
    expect(await store.changeMemberPassword(ada.id, 'new hash', 'another')).toBe(false);
    expect(await store.findSession('s')).not.toBeNull();
    expect(await store.changeMemberPassword(ada.id, 'new hash', 'hash')).toBe(true);
    expect(await store.findSession('s')).toBeNull();
    expect(await store.findMember('ada@python.org')).toMatchObject({ passwordHash: 'new hash' });
    expect(await store.getMember('member-nobody')).toBeNull();
    expect(await store.changeMember('member-nobody', { name: 'x' })).toBeNull();
  });

  test('an invitation that is accepted twice at once is accepted once', async () => {
    const { store } = lab;
    await store.addMember(member('a', 'ada@python.org'), invite('token'));
    const outcomes = await Promise.all(['one', 'two'].map((hash) => store.acceptInvitation('token', hash, 1)));
    expect(outcomes.filter((found) => found !== null)).toHaveLength(1);
  });

  test('removing a member removes their sessions and keys, but none of other members', async () => {
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
    const late = makeKey({ name: 'k', plan: 'p', credits: null, expiresAt: null, memberId: ada.id }, 5);
    await expect(store.addKey(late.record, late.hash)).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.addMember(member('c', 'ada@python.org'), invite('c'))).toBe('added');
  });

  test('the audit log is read newest first, and is pruned by age and by number', async () => {
    const { store } = lab;
    const entry = (at: number) => ({
      ...{ at, actor: 'admin', actorName: 'Admin', action: 'key_created', subject: 'k', subjectName: `n${at}` },
      network: '203.0.113.7',
    });
    for (let at = 1; at <= 5; at++) await store.addAudit(entry(at));
    expect(await store.listAudit({ skip: 1, limit: 2 })).toEqual({ entries: [entry(4), entry(3)], total: 5 });
    expect(await store.pruneAudit(3, 10)).toBe(2);
    expect(await store.pruneAudit(0, 2)).toBe(1);
    expect((await store.listAudit({ skip: 0, limit: 9 })).entries).toEqual([entry(5), entry(4)]);
  });

  const webhook = (id: string, owner: string, createdBy = owner) => ({
    ...{ id, owner, url: 'https://a.example/', events: ['job.completed'], secret: 'whsec_YQ==', createdAt: 1 },
    ...{ oldSecret: null, oldSecretUntil: null, createdBy },
  });
  const delivery = (id: string, createdAt: number, webhookId = 'w') => ({
    ...{ id, webhookId, event: 'job.completed', payload: '{}', createdAt, state: 'pending' as const },
    ...{ attempts: 0, nextAt: createdAt, lastStatus: null, lastError: null },
  });

  test('webhooks are listed by owner, rotate their secrets, and are deleted with their member, deliveries included', async () => {
    const { store } = lab;
    await store.addMember(member('a', 'ada@python.org'), invite('a'));
    for (const one of [webhook('w', 'admin'), webhook('x', 'member-a')]) expect(await store.addWebhook(one)).toBe(true);
    expect(await store.listWebhooks('admin')).toEqual([webhook('w', 'admin')]);
    expect(await store.rotateWebhook('w', 'whsec_Yg==', 50)).toMatchObject({
      ...{ secret: 'whsec_Yg==', oldSecret: 'whsec_YQ==', oldSecretUntil: 50 },
    });
    await store.addDeliveries([delivery('d', 1)]);
    expect(await store.removeWebhook('w')).toBe(true);
    expect(await store.removeWebhook('w')).toBe(false);
    expect(await store.lastDelivery('w')).toBeNull();
    await store.removeMember('member-a', 9);
    expect(await store.listWebhooks(null)).toEqual([]);
  });

  test('an administrator who is removed or demoted leaves no webhook and no invitation behind', async () => {
    const { store } = lab;
    for (const id of ['a', 'b']) await store.addMember(member(id, `${id}@python.org`), invite(id));
    for (const end of [
      () => store.changeMember('member-a', { role: 'member' }),
      () => store.removeMember('member-a', 9),
    ]) {
      await store.addWebhook(webhook('w', 'admin', 'member-a'));
      await store.addWebhook(webhook('x', 'admin'));
      await store.inviteMember('member-b', { hash: 'reset', until: 50, createdBy: 'member-a' });
      await end();
      expect((await store.listWebhooks(null)).map(({ id }) => id)).toEqual(['x']);
      expect(await store.findInvitation('reset', 1)).toBeNull();
      await store.removeWebhook('x');
    }
  });

  test('a flood of failed sign-ins does not displace other entries of the audit log', async () => {
    const { store } = lab;
    const entry = (at: number, action: string) => ({
      ...{ at, actor: '', actorName: '', action, subject: '', subjectName: '', network: '203.0.113.7' },
    });
    await store.addAudit(entry(1, 'key_created'));
    for (let at = 2; at <= 5; at++) await store.addAudit(entry(at, 'sign_in_failed'));
    expect(await store.pruneAudit(0, 2)).toBe(2);
    expect((await store.listAudit({ skip: 0, limit: 9 })).entries.map(({ at }) => at)).toEqual([5, 4, 1]);
  });

  test('the 101st session of an owner ends the least recently used one', async () => {
    const { store } = lab;
    for (let index = 0; index <= 100; index++) {
      await store.addSession(`s${index}`, { ...session('member-a'), lastUsedAt: index });
    }
    expect(await store.findSession('s0')).toBeNull();
    expect(await store.findSession('s1')).not.toBeNull();
  });

  test('a delivery is added once, claimed by one process at a time in order, retried, ended and deleted', async () => {
    const { store } = lab;
    await store.addWebhook(webhook('w', 'admin'));
    await store.addDeliveries([delivery('two', 2), delivery('one', 1)]);
    await store.addDeliveries([{ ...delivery('one', 9), payload: 'changed' }, delivery('late', 100)]);
    const claims = await Promise.all([store.claimDeliveries(10, 60, 5), store.claimDeliveries(10, 60, 5)]);
    expect(claims.map((claim) => claim.map(({ id }) => id)).sort()).toEqual([[], ['one', 'two']]);
    expect(await store.claimDeliveries(59, 99, 5)).toEqual([]);
    expect(await store.claimDeliveries(60, 90, 5, ['w'])).toEqual([]);
    // The lease of a dead process ends.
    expect((await store.claimDeliveries(60, 90, 5)).map(({ id }) => id)).toEqual(['one', 'two']);
    await store.recordAttempt({ id: 'one', state: 'pending', nextAt: 80, status: null, error: 'refused' });
    await store.recordAttempt({ id: 'two', state: 'delivered', nextAt: null, status: 200, error: null });
    expect(await store.claimDeliveries(79, 99, 5)).toEqual([]);
    expect(await store.claimDeliveries(80, 99, 5)).toMatchObject([{ id: 'one', attempts: 1, lastError: 'refused' }]);
    expect(await store.lastDelivery('w')).toMatchObject({ id: 'two', state: 'delivered' });
    expect(await store.pruneDeliveries(2, 100)).toBe(1);
    expect(await store.pruneDeliveries(0, 1)).toBe(0);
    expect(await store.pruneDeliveries(0, 0)).toBe(1);
  });

  test('ended jobs are found by time', async () => {
    const { store } = lab;
    const id = await queueJob(store, 3);
    expect(await store.jobsEndedSince(0)).toEqual([]);
    await claim(store, 'w');
    await store.finishJob(id, 'w', 'completed', 5_000);
    expect(await store.jobsEndedSince(4_999)).toMatchObject([{ id, state: 'completed', finishedAt: 5_000, total: 10 }]);
    expect(await store.jobsEndedSince(5_000)).toEqual([]);
  });
}
