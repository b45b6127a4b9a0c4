import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AppKey, Invited, MemberView, OwnSession } from '../../../src/wire/app.js';
import { type AnswerOf, pathOf, routes } from '../../../src/wire/routes.js';
import { sendWith, startList, uploadList } from '../run-server.js';
import { startForTest, useServer } from '../use-server.js';
import { type Browser, openBrowser, password, signedInAdmin, signedInKey } from './browser.js';

const server = useServer();
let admin: Browser;
beforeAll(async () => {
  admin = await signedInAdmin(server);
});

let count = 0;
const ownPassword = 'the password of a member';

async function invite(role: 'administrator' | 'member' = 'member', by = admin): Promise<Invited> {
  const email = `member${++count}@python.org`;
  const { status, json } = await by.post('/app/members', { email, name: `Member ${count}`, role });
  expect(status).toBe(200);
  return json as unknown as Invited;
}

async function join(role: 'administrator' | 'member' = 'member'): Promise<{ browser: Browser; member: MemberView }> {
  const { member, token } = await invite(role);
  const browser = openBrowser(server);
  expect((await browser.post('/app/invitation', { token, password: ownPassword })).status).toBe(200);
  return { browser, member };
}

const list = 'email\nada@python.org\n';
const submit = ({ api }: Browser): Promise<string> => startList(api, list);

const auditOf = async (): Promise<AnswerOf<'listAudit'>> =>
  (await admin.ask('/app/audit?limit=200')).json as unknown as AnswerOf<'listAudit'>;

describe('an invitation', () => {
  test('is shown once and signs in once; later sign-ins need address and password', async () => {
    const { member, token } = await invite();
    expect(member).toMatchObject({ state: 'invited', role: 'member', last_sign_in_at: null });
    const browser = openBrowser(server);
    expect((await browser.post('/app/invitation/check', { token })).json).toMatchObject({ email: member.email });
    expect((await browser.post('/app/invitation', { token, password: 'short' })).status).toBe(422);
    const accepted = await browser.post('/app/invitation', { token, password: ownPassword });
    expect(accepted.json).toMatchObject({ state: 'signed_in', who: { kind: 'member', email: member.email } });
    for (const path of ['/app/invitation', '/app/invitation/check'])
      expect((await openBrowser(server).post(path, { token, password: ownPassword })).status).toBe(401);
    const laterBrowser = openBrowser(server);
    const email = ` ${member.email.toUpperCase()} `;
    expect((await laterBrowser.post('/app/sign-in', { email, password: ownPassword })).status).toBe(200);
    expect((await laterBrowser.post('/app/sign-in', { email, password })).status).toBe(401);
    expect((await laterBrowser.post('/app/sign-in', { password: ownPassword })).status).toBe(401);
    const listed = JSON.stringify((await admin.ask('/app/members')).json);
    expect(listed).toContain('"state":"active"');
    expect(listed).not.toContain(token);
  });

  test('replaces an earlier one, and resets a forgotten password, which ends earlier sessions', async () => {
    const { browser, member } = await join();
    const first = (await admin.post(`/app/members/${member.id}/invitation`)).json as unknown as Invited;
    const second = (await admin.post(`/app/members/${member.id}/invitation`)).json as unknown as Invited;
    expect((await openBrowser(server).post('/app/invitation/check', { token: first.token })).status).toBe(401);
    expect((await browser.ask('/app/jobs')).status).toBe(200);
    const { token } = second;
    const next = { token, password: 'another long password' };
    expect((await openBrowser(server).post('/app/invitation', next)).status).toBe(200);
    expect((await browser.ask('/app/jobs')).status).toBe(401);
  });

  test.each([
    ['no address', { email: 'ada', name: 'Ada', role: 'member' }, 422],
    ['an address with a direction mark', { email: 'a\u202e@b.org', name: 'A', role: 'member' }, 422],
    ['a name that no key may have', { email: 'a@b.org', name: 'A\ud800', role: 'member' }, 422],
    ['another role', { email: 'a@b.org', name: 'Ada', role: 'owner' }, 422],
    ['no role', { email: 'a@b.org', name: 'Ada' }, 422],
    ['a long name', { email: 'a@b.org', name: 'x'.repeat(101), role: 'member' }, 422],
  ])('is refused with %s', async (_name, body, status) => {
    expect((await admin.post('/app/members', body)).status).toBe(status);
  });

  test('is refused for an address that has a member', async () => {
    const { member } = await invite();
    const body = { email: member.email.toUpperCase(), name: 'Other', role: 'member' };
    expect((await admin.post('/app/members', body)).status).toBe(409);
  });
});

describe('permissions', () => {
  const ofPages = Object.entries(routes).filter(([, { path }]) => path.startsWith('/app/'));

  test('no session, a key, a member and an administrator get what the table says', async () => {
    const key = await signedInKey(server, server.key);
    const { browser: member } = await join();
    const { browser: administrator } = await join('administrator');
    const ranks: Record<string, number> = { session: 1, member: 2, administrator: 3 };
    const actors = [
      { browser: openBrowser(server), rank: 0 },
      { browser: key, rank: 1 },
      { browser: member, rank: 2 },
      { browser: administrator, rank: 3 },
    ];
    for (const [name, route] of ofPages) {
      if (route.may === 'public') continue;
      const asking = { method: route.method, ...(['POST', 'PATCH'].includes(route.method) && { body: {} }) };
      for (const { browser, rank } of actors) {
        const { status } = await browser.ask(pathOf(route, { id: 'none' }), asking);
        const want = rank === 0 ? 401 : rank < (ranks[route.may] ?? 0) ? 403 : null;
        if (want === null) expect([name, rank, [401, 403].includes(status)]).toEqual([name, rank, false]);
        else expect([name, rank, status]).toEqual([name, rank, want]);
      }
    }
  });

  test('a member sees and changes only their own lists and keys', async () => {
    const [{ browser: one }, { browser: two, member }] = [await join(), await join()];
    const job = await submit(one);
    expect((await one.ask(`/app/jobs/${job}`)).json).toMatchObject({ owner: { kind: 'member' } });
    expect((await two.ask(`/app/jobs/${job}`)).status).toBe(404);
    expect((await admin.ask(`/app/jobs/${job}`)).status).toBe(200);

    const created = (await two.post('/app/keys', { name: 'mine' })).json as unknown as { record: AppKey };
    expect(created.record).toMatchObject({ credits: null, member: member.name });
    for (const body of [
      { name: 'x', credits: 5 },
      { name: 'x', plan: 'team' },
    ])
      expect((await two.post('/app/keys', body)).status).toBe(403);
    const path = `/app/keys/${created.record.id}`;
    expect((await one.ask(path, { method: 'DELETE' })).status).toBe(404);
    expect((await one.ask(path, { method: 'PATCH', body: { name: 'stolen' } })).status).toBe(404);
    expect((await two.ask(path, { method: 'PATCH', body: { credits: 5 } })).status).toBe(403);
    const keysOf = async (browser: Browser) => ((await browser.ask('/app/keys')).json as { keys: AppKey[] }).keys;
    expect((await keysOf(one)).length).toBe(0);
    expect((await keysOf(two)).map(({ name }) => name)).toEqual(['mine']);
    expect((await keysOf(admin)).some(({ member: name }) => name === member.name)).toBe(true);
    expect((await two.ask(path, { method: 'DELETE' })).json).toMatchObject({ state: 'revoked' });
  });

  test('a member sees and deletes the lists of their own keys; other members do not', async () => {
    const [{ browser: one }, { browser: two }] = [await join(), await join()];
    const { key, record } = (await one.post('/app/keys', { name: 'nightly' })).json as unknown as {
      key: string;
      record: AppKey;
    };
    const job = await startList(sendWith(server, key), list);
    const ownJob = await submit(one);
    const jobsOf = async (browser: Browser) => (await browser.ask('/app/jobs')).json as { total: number } | null;
    expect(await jobsOf(one)).toMatchObject({
      total: 2,
      jobs: [{ id: ownJob }, { id: job, owner: { name: 'nightly' } }],
    });
    expect(await jobsOf(two)).toMatchObject({ total: 0 });
    expect((await one.ask(`/app/jobs/${job}/rows`)).json).toHaveProperty('rows.length', 1);
    expect((await one.ask(`/api/v1/bulk/jobs/${job}/results`)).text).toContain('ada@python.org');
    expect((await two.ask(`/app/jobs/${job}`)).status).toBe(404);
    await one.ask(`/app/keys/${record.id}`, { method: 'DELETE' });
    expect((await one.ask(`/api/v1/bulk/jobs/${job}`, { method: 'DELETE' })).json).toMatchObject({ id: job });
    expect(await jobsOf(one)).toMatchObject({ total: 1 });
  });

  test('an old password does not sign in, even for sign-ins in progress', async () => {
    const { browser, member } = await join();
    const guests = Array.from({ length: 6 }, () => openBrowser(server));
    const body = { email: member.email, password: ownPassword };
    const [changed] = await Promise.all([
      browser.post('/app/password', { old_password: ownPassword, password: 'a new and long password' }),
      ...guests.map((guest) => guest.post('/app/sign-in', body)),
    ]);
    expect(changed.status).toBe(200);
    for (const guest of guests) expect((await guest.ask('/app/jobs')).status).toBe(401);
    expect((await browser.ask('/app/jobs')).status).toBe(200);
  });

  test('only one of two concurrent password changes succeeds', async () => {
    const { browser } = await join();
    const change = (password: string) => browser.post('/app/password', { old_password: ownPassword, password });
    const { cookie } = browser;
    const first = change('the first new password');
    const second = change('the second new password');
    const statuses = [(await first).status, (await second).status].sort();
    expect(cookie).not.toBeNull();
    expect(statuses[0]).toBe(200);
    expect(statuses[1]).not.toBe(200);
  });

  test('a trusted proxy names the member; requests of other sites, unknown names and keys are unchanged', async () => {
    const fresh = await startForTest({ edge: { trustedProxies: ['127.0.0.1'], userHeader: 'Remote-Email' } });
    const owner = await signedInAdmin(fresh);
    await owner.post('/app/members', { email: 'ada@python.org', name: 'Ada', role: 'member' });
    const browser = openBrowser(fresh);
    const as = (email: string, headers = {}) => ({ headers: { 'remote-email': email, ...headers } });
    expect((await browser.ask('/app/session', as('Ada@python.org'))).json).toMatchObject({
      state: 'signed_in',
      who: { kind: 'member', name: 'Ada' },
    });
    expect((await browser.ask('/app/jobs', as('ada@python.org'))).status).toBe(200);
    expect((await browser.ask('/app/members', as('ada@python.org'))).status).toBe(403);
    expect((await browser.ask('/api/v1/bulk/jobs', as('ada@python.org'))).json).toMatchObject({ total: 0 });
    const foreign = as('ada@python.org', { 'sec-fetch-site': 'cross-site' });
    expect((await browser.ask('/app/keys', { ...foreign, method: 'POST', body: { name: 'x' } })).status).toBe(403);
    for (const email of ['bob@python.org', 'ada@python.org, bob@python.org', ''])
      expect((await browser.ask('/app/jobs', as(email))).status).toBe(401);
    expect((await browser.ask('/app/jobs')).status).toBe(401);
    expect((await browser.ask('/app/session', as('bob@python.org'))).json).toEqual({
      ...{ state: 'signed_out', has_members: true, proxy_user: 'bob@python.org' },
    });
  });

  test('a role takes effect at once, a removed member is signed out at once, and no member can do either to themselves', async () => {
    const { browser, member } = await join();
    expect((await browser.ask('/app/members')).status).toBe(403);
    const path = `/app/members/${member.id}`;
    const change = (by: Browser, role: string) => by.ask(path, { method: 'PATCH', body: { role } });
    expect((await change(admin, 'administrator')).json).toMatchObject({ role: 'administrator' });
    expect((await browser.ask('/app/members')).status).toBe(200);
    expect((await browser.ask('/app/session')).json).toMatchObject({ who: { kind: 'admin', email: member.email } });
    expect((await change(browser, 'member')).status).toBe(409);
    expect((await browser.ask(path, { method: 'DELETE' })).status).toBe(409);
    expect((await change(admin, 'member')).json).toMatchObject({ role: 'member' });
    expect((await browser.ask('/app/members')).status).toBe(403);
    const { key } = (await browser.post('/app/keys', { name: 'theirs' })).json as unknown as { key: string };
    expect((await admin.ask(path, { method: 'DELETE' })).status).toBe(200);
    expect((await browser.ask('/app/jobs')).status).toBe(401);
    expect((await openBrowser(server).post('/app/sign-in', { api_key: key })).status).toBe(401);
    const signIn = { email: member.email, password: ownPassword };
    expect((await openBrowser(server).post('/app/sign-in', signIn)).status).toBe(401);
    for (const method of ['PATCH', 'DELETE'] as const)
      expect((await admin.ask(path, { method, ...(method === 'PATCH' && { body: { name: 'Ada' } }) })).status).toBe(
        404,
      );
  });

  test('a request that was held while its sender was demoted is refused', async () => {
    const { browser, member } = await join('administrator');
    const path = `/app/members/${member.id}`;
    const body = JSON.stringify({ role: 'administrator' });
    const held = request(`${server.root}${path}`, {
      method: 'PATCH',
      headers: {
        ...{ 'sec-fetch-site': 'same-origin', cookie: browser.cookie ?? '', expect: '100-continue' },
        ...{ 'content-type': 'application/json', 'content-length': body.length },
      },
    });
    held.flushHeaders();
    await once(held, 'continue');
    expect((await admin.ask(path, { method: 'PATCH', body: { role: 'member' } })).status).toBe(200);
    held.end(body);
    const [response] = (await once(held, 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(401);
    expect((await browser.ask('/app/members')).status).toBe(403);
  });

  test('members change their own password, but not that of the administrator', async () => {
    const { browser, member } = await join();
    const other = openBrowser(server);
    await other.post('/app/sign-in', { email: member.email, password: ownPassword });
    const next = 'a new password for me';
    expect((await browser.post('/app/password', { old_password: password, password: next })).status).toBe(422);
    expect((await browser.post('/app/password', { old_password: ownPassword, password: next })).status).toBe(200);
    expect((await browser.ask('/app/jobs')).status).toBe(200);
    expect((await other.ask('/app/jobs')).status).toBe(401);
    expect((await admin.ask('/app/keys')).status).toBe(200);
    expect((await openBrowser(server).post('/app/sign-in', { password })).status).toBe(200);
  });
});

test('a list costs a member no credits, and the plan says so', async () => {
  const { browser } = await join();
  const preview = await uploadList(browser.api, list);
  const plan = await browser.ask(`/app/uploads/${preview.json?.['upload_id']}/plan?email_column=email`);
  expect(plan.json).toMatchObject({ unique: 1, credits: 0 });
});

test('own sessions are listed with their place and last use, and end singly; those of others are not found', async () => {
  const { browser, member } = await join();
  const other = openBrowser(server);
  await other.post('/app/sign-in', { email: member.email, password: ownPassword });
  const list = async (from: Browser): Promise<OwnSession[]> =>
    ((await from.ask('/app/sessions')).json as { sessions: OwnSession[] }).sessions;
  const sessions = await list(browser);
  expect(sessions).toHaveLength(2);
  expect(sessions.filter(({ current }) => current)).toHaveLength(1);
  expect(sessions[0]).toMatchObject({ address: '127.0.0.1' });
  expect(JSON.stringify(sessions)).not.toContain(browser.cookie?.split('=')[1] ?? '?');
  const otherSession = sessions.find(({ current }) => !current)?.id ?? '';
  expect((await admin.ask(`/app/sessions/${otherSession}`, { method: 'DELETE' })).status).toBe(404);
  expect((await browser.ask(`/app/sessions/${otherSession}`, { method: 'DELETE' })).status).toBe(200);
  expect((await other.ask('/app/jobs')).status).toBe(401);
  expect(await list(browser)).toHaveLength(1);
});

describe('the audit log', () => {
  test('has an entry for each change of a member, and none for an empty one', async () => {
    const { member } = await join();
    const change = (body: object) => admin.ask(`/app/members/${member.id}`, { method: 'PATCH', body });
    expect((await change({})).status).toBe(422);
    expect((await change({ name: 'Mia', role: 'administrator' })).status).toBe(200);
    const [last, first] = (await auditOf()).entries.map(({ action }) => action);
    expect([first, last]).toEqual(['member_renamed', 'member_made_administrator']);
  });

  test('names the actor, the action and its subject, and contains no secret', async () => {
    const { browser, member } = await join();
    const created = (await browser.post('/app/keys', { name: 'audited' })).json as unknown as {
      key: string;
      record: AppKey;
    };
    await browser.ask(`/app/keys/${created.record.id}`, { method: 'DELETE' });
    const job = await submit(browser);
    await expect.poll(async () => (await browser.ask(`/app/jobs/${job}`)).json?.['status']).toBe('completed');
    await browser.post(`/api/v1/bulk/jobs/${job}/cancel`);
    await browser.ask(`/api/v1/bulk/jobs/${job}`, { method: 'DELETE' });
    await openBrowser(server).post('/app/sign-in', { email: member.email, password: 'guess the password' });
    await openBrowser(server).post('/app/sign-in', { email: 'stranger@python.org', password: 'guess the password' });
    const page = await auditOf();
    const found = page.entries
      .slice(0, 9)
      .map(({ actor_name, action, subject_name }) => [actor_name, action, subject_name]);
    expect(found).toEqual([
      ['', 'sign_in_failed', ''],
      ['', 'sign_in_failed', member.name],
      [member.name, 'list_deleted', 'list.csv'],
      [member.name, 'list_canceled', 'list.csv'],
      [member.name, 'list_started', 'list.csv'],
      [member.name, 'key_revoked', 'audited'],
      [member.name, 'key_created', 'audited'],
      [member.name, 'invitation_accepted', member.name],
      ['Admin', 'member_invited', member.name],
    ]);
    expect(page.entries[0]).toMatchObject({ address: '127.0.0.1' });
    const text = JSON.stringify(page);
    for (const secret of [created.key, ownPassword, password, 'guess the password', 'stranger@', 'ada@python.org'])
      expect(text).not.toContain(secret);
  });
});

describe('guessing', () => {
  test('an address without a member looks and counts like one with a member', async () => {
    const fresh = await startForTest();
    const owner = await signedInAdmin(fresh);
    await owner.post('/app/members', { email: 'ada@python.org', name: 'Ada', role: 'member' });
    const answers = new Map<string, string[]>();
    for (const email of ['ada@python.org', 'nobody@python.org']) {
      const tries: string[] = [];
      for (let n = 0; n < 11; n++) {
        const { status, text } = await openBrowser(fresh).post('/app/sign-in', { email, password: 'a wrong one' });
        tries.push(`${status} ${text}`);
      }
      answers.set(email, tries);
    }
    expect(answers.get('ada@python.org')).toEqual(answers.get('nobody@python.org'));
    expect(answers.get('ada@python.org')?.at(-1)).toMatch(/^429/);
    // The administrator is another account.
    expect((await openBrowser(fresh).post('/app/sign-in', { password })).status).toBe(200);
  });

  test('a closed invitation does not sign in, nor does a password before the invitation is accepted', async () => {
    const { member, token } = await invite();
    const browser = openBrowser(server);
    for (const guess of ['', token.slice(1), `${token}A`, 'A'.repeat(43), 'null'])
      expect((await browser.post('/app/invitation', { token: guess, password: ownPassword })).status).toBe(401);
    for (const guess of ['', 'null', 'undefined'])
      expect((await browser.post('/app/sign-in', { email: member.email, password: guess })).status).toBe(401);
    expect(browser.cookie).toBeNull();
  });
});
