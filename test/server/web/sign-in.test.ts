import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeHome } from '../../fakes/job-lab.js';
import { ask, openServer } from '../run-server.js';
import { startForTest, useServer } from '../use-server.js';
import { openBrowser, password, signedInAdmin, signedInKey } from './browser.js';

describe('signing in', () => {
  const server = useServer();

  test('without a password, only the set-up link and keys sign in', async () => {
    const browser = openBrowser(server);
    expect((await browser.ask('/app/session')).json).toEqual({ state: 'setup', has_members: false, proxy_user: null });
    expect((await browser.post('/app/sign-in', { password: '' })).status).toBe(401);
    expect((await browser.post('/app/sign-in', { password })).status).toBe(401);
    expect((await browser.post('/app/setup', { token: 'wrong', password })).status).toBe(401);
    expect(browser.cookie).toBeNull();
    const token = new URL(server.setUpUrl ?? '').hash.slice(1);
    expect((await browser.post('/app/setup', { token, password: 'short' })).status).toBe(422);
    const setUp = await browser.post('/app/setup', { token, password });
    expect(setUp.json).toMatchObject({ state: 'signed_in', who: { kind: 'admin' }, server: { level: 'syntax' } });
    expect((await openBrowser(server).post('/app/setup', { token, password: 'another password' })).status).toBe(409);
    expect((await openBrowser(server).ask('/app/session')).json).toEqual({
      state: 'signed_out',
      has_members: false,
      proxy_user: null,
    });
  });

  test('the cookie is out of reach for scripts and other sites, and new at each sign-in', async () => {
    const browser = openBrowser(server);
    const planted = `mailvet=${'A'.repeat(43)}`;
    browser.cookie = planted;
    const first = await browser.post('/app/sign-in', { password });
    expect(first.headers['set-cookie']).toEqual([
      expect.stringMatching(/^mailvet=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/),
      expect.stringMatching(/^mailvet-device=[\w.-]{66}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=15552000$/),
    ]);
    const before = browser.cookie;
    expect(before).not.toBe(planted);
    await browser.post('/app/sign-in', { password });
    expect(browser.cookie).not.toBe(before);
    const old = openBrowser(server);
    old.cookie = before;
    expect((await old.ask('/app/session')).json).toEqual({ state: 'signed_out', has_members: false, proxy_user: null });
  });

  test('signing out ends this session, or all of them', async () => {
    const [one, two, three] = [openBrowser(server), openBrowser(server), openBrowser(server)];
    for (const browser of [one, two, three]) await browser.post('/app/sign-in', { password });
    const oldCookie = one.cookie;
    expect((await one.post('/app/sign-out')).json).toEqual({
      state: 'signed_out',
      has_members: false,
      proxy_user: null,
    });
    expect(one.cookie).toBeNull();
    one.cookie = oldCookie;
    expect((await one.ask('/app/keys')).status).toBe(401);
    expect((await two.ask('/app/keys')).status).toBe(200);
    await two.post('/app/sign-out', { everywhere: true });
    expect((await three.ask('/app/keys')).status).toBe(401);
  });

  test('a new password needs the old one, and ends all other sessions', async () => {
    const [one, two] = [openBrowser(server), openBrowser(server)];
    for (const browser of [one, two]) await browser.post('/app/sign-in', { password });
    const next = 'a longer password';
    const refused = await one.post('/app/password', { old_password: 'wrong', password: next });
    // Not 401, which ends the session on the page.
    expect([refused.status, refused.json]).toMatchObject([
      422,
      { error: { message: 'The current password is wrong.' } },
    ]);
    expect((await one.ask('/app/keys')).status).toBe(200);
    const same = await one.post('/app/password', { old_password: password, password });
    expect([same.status, same.text]).toEqual([422, expect.stringContaining('the same as the current one')]);
    expect((await one.post('/app/password', { old_password: password, password: next })).status).toBe(200);
    expect((await one.ask('/app/keys')).status).toBe(200);
    expect((await two.ask('/app/keys')).status).toBe(401);
    await one.post('/app/password', { old_password: next, password });
  });

  test('a password from a setting cannot be changed on the page, which names the setting', async () => {
    const fixed = await startForTest({ web: { passwordSource: 'MAILVET_ADMIN_PASSWORD' } });
    const admin = await signedInAdmin(fixed);
    expect((await admin.ask('/app/session')).json).toMatchObject({
      server: { password_source: 'MAILVET_ADMIN_PASSWORD' },
    });
    const answer = await admin.post('/app/password', { old_password: password, password: 'a longer password' });
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('restart the server')]);
  });

  test('a key signs in as itself, and only while it is valid', async () => {
    const { key, id } = await server.makeKey({ name: 'billing', credits: 5 });
    const browser = await signedInKey(server, key);
    expect((await browser.ask('/app/session')).json).toMatchObject({
      who: { kind: 'key', id, name: 'billing', credits: 5, prefix: key.slice(0, 10) },
    });
    for (const path of ['/app/keys', '/app/status']) expect((await browser.ask(path)).status).toBe(403);
    const admin = openBrowser(server);
    await admin.post('/app/sign-in', { password });
    const lastUse = async () => {
      const { keys } = (await admin.ask('/app/keys')).json as { keys: { id: string; last_used_at: string | null }[] };
      return keys.find((each) => each.id === id)?.last_used_at;
    };
    // Uses are written every few seconds.
    await expect.poll(lastUse, { timeout: 10_000 }).toEqual(expect.any(String));
    await server.revoke(id);
    expect((await browser.ask('/app/jobs')).status).toBe(401);
    expect((await openBrowser(server).post('/app/sign-in', { api_key: key })).status).toBe(401);
  });

  test('a request with a key belongs to the key, with any cookie; without a cookie, the API is unchanged', async () => {
    const admin = openBrowser(server);
    await admin.post('/app/sign-in', { password });
    const cookie = admin.cookie ?? '';
    const same = { cookie, 'sec-fetch-site': 'same-origin' };
    expect((await ask(`${server.url}/bulk/jobs`, { key: 'mv_wrong-wrong-wrong', headers: same })).json).toMatchObject({
      error: { code: 'key_refused' },
    });
    expect((await ask(`${server.url}/bulk/jobs`, { headers: same })).status).toBe(200);
    const { key } = await server.makeKey({ name: 'other' });
    expect((await ask(`${server.url}/credits`, { key, headers: same })).json).toMatchObject({ name: 'other' });
    for (const headers of [{}, { cookie: 'other=1' }, { cookie: `mailvet=${'B'.repeat(43)}` }]) {
      const { status, json } = await ask(`${server.url}/bulk/jobs`, { headers });
      expect([status, json]).toEqual([
        401,
        {
          error: { code: 'key_missing', message: 'The request has no key.', hint: 'Send it in the header X-API-Key.' },
        },
      ]);
    }
    // A request that costs credits and could be a link accepts no session.
    expect((await ask(`${server.url}/validation/single?email=a@b.example`, { headers: same })).status).toBe(401);
  });

  test('sessions survive a restart of the server', async () => {
    const home = makeHome();
    const first = await openServer({ home });
    const { cookie } = await signedInAdmin(first);
    await first.stop();
    const second = await openServer({ home });
    const browser = openBrowser(second);
    browser.cookie = cookie;
    expect((await browser.ask('/app/session')).json).toMatchObject({ state: 'signed_in', who: { kind: 'admin' } });
    expect(second.setUpUrl).toBeNull();
    await second.stop();
    rmSync(home, { recursive: true, force: true });
  });
});
