import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import { pathOf, routes } from '../../../src/wire/routes.js';
import { ask, confirmList, startList, untilCompleted, uploadList } from '../run-server.js';
import { startForTest, useServer } from '../use-server.js';
import { type Browser, openBrowser, password, signedInAdmin, signedInKey } from './browser.js';

const server = useServer({ edge: { publicUrls: ['http://vet.lan:8080'] } });
let admin: Browser;
beforeAll(async () => {
  admin = await signedInAdmin(server);
});

/** A completed job of the signed-in user. */
async function submit(browser: Browser, filename = 'list.csv'): Promise<string> {
  const list = 'email,note\na@python.org,x\nnot an address,y\na@python.org,z\n';
  const id = await startList(browser.api, list, filename);
  await untilCompleted(browser.api, id);
  return id;
}

describe('requests from another site', () => {
  const host = (): string => new URL(server.root).host;
  const ownOrigins: Record<string, () => string> = {
    ours: () => `http://${host()}`,
    'ours over https': () => `https://${host()}`,
  };
  test.each([
    ['from the page itself', 200, { 'sec-fetch-site': 'same-origin' }],
    ['from another site', 403, { 'sec-fetch-site': 'cross-site' }],
    ['from a neighbor of the same site', 403, { 'sec-fetch-site': 'same-site' }],
    ['posted, not typed by a user', 403, { 'sec-fetch-site': 'none' }],
    ['from another site, with our Origin', 403, { 'sec-fetch-site': 'cross-site', origin: 'ours' }],
    ['plain http: our Origin', 200, { origin: 'ours' }],
    ['plain http: another Origin', 403, { origin: 'http://evil.example' }],
    ['plain http: another port', 403, { origin: 'http://127.0.0.1:1' }],
    ['plain http: a frame without origin', 403, { origin: 'null' }],
    ['plain http: no Origin', 403, {}],
    ['plain http on a name, our own Origin', 200, { host: 'vet.lan:8080', origin: 'http://vet.lan:8080' }],
    ['https on plain http', 403, { origin: 'ours over https' }],
    ['a name that is not ours', 403, { host: 'evil.lan', origin: 'http://evil.lan' }],
    ['a name that is not ours, from a page', 403, { host: 'evil.lan', 'sec-fetch-site': 'same-origin' }],
    ['plain http on a name, another Origin', 403, { host: 'vet.lan:8080', origin: 'http://evil.lan:8080' }],
  ])('%s: %s', async (_name, status, headers) => {
    const all = Object.entries({ ...headers, 'content-type': 'application/json' });
    const ours = all.map(([name, value]) => [name, ownOrigins[value]?.() ?? value]);
    const ownHeaders = Object.fromEntries(ours);
    const init = {
      method: 'POST',
      headers: { ...ownHeaders, cookie: admin.cookie ?? '' },
      body: '{"name":"x"}',
    } as const;
    const answers = [
      await request(`${server.root}/app/keys`, init),
      await request(`${server.root}/app/sign-in`, { ...init, headers: ownHeaders, body: JSON.stringify({ password }) }),
    ];
    for (const { statusCode, body, headers: got } of answers) {
      await body.dump();
      expect(statusCode).toBe(status);
      expect(Object.keys(got).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  test('the same holds for a session in the API', async () => {
    const id = await submit(admin);
    const foreign = { 'sec-fetch-site': 'cross-site' };
    for (const [method, path] of [
      ['DELETE', `/api/v1/bulk/jobs/${id}`],
      ['POST', '/api/v1/bulk/upload/confirm'],
      ['GET', `/api/v1/bulk/jobs/${id}/results`],
    ] as const) {
      expect((await admin.ask(path, { method, headers: foreign, ...(method === 'POST' && { body: {} }) })).status).toBe(
        403,
      );
    }
    const preflight = await admin.ask('/app/keys', { method: 'OPTIONS', headers: { origin: 'http://evil.example' } });
    // The same as for any unknown path.
    expect(preflight.status).toBe(401);
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('guessing', () => {
  test('at a hundred a second is limited to ten attempts, and other requests are served', async () => {
    const fresh = await startForTest();
    const owner = await signedInAdmin(fresh);
    const guesser = openBrowser(fresh);
    const tries = await Promise.all(
      Array.from({ length: 100 }, (_, n) => guesser.post('/app/sign-in', { password: `guess number ${n}` })),
    );
    const counts = new Map<number, number>();
    for (const { status } of tries) counts.set(status, (counts.get(status) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual([401, 429]);
    expect(counts.get(401)).toBeLessThanOrEqual(10);
    const late = await guesser.post('/app/sign-in', { password });
    expect(late.status).toBe(429);
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(30);
    expect((await guesser.ask('/app/session')).status).toBe(200);
    // No header allows more guesses, and a browser on the same network that signed in before is not delayed.
    const elsewhere = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9', 'x-real-ip': '203.0.113.9' };
    const request = { method: 'POST', body: { password }, headers: elsewhere } as const;
    expect((await guesser.ask('/app/sign-in', request)).status).toBe(429);
    guesser.device = 'mailvet-device=AAAAAAAAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    expect((await guesser.post('/app/sign-in', { password })).status).toBe(429);
    await owner.post('/app/sign-out');
    expect((await owner.post('/app/sign-in', { password })).status).toBe(200);
  });

  test('behind a trusted proxy each client is counted by its own address', async () => {
    const fresh = await startForTest({ edge: { trustedProxies: ['127.0.0.1'] } });
    await signedInAdmin(fresh);
    const browser = openBrowser(fresh);
    const tryAs = (address: string, text: string) =>
      browser.ask('/app/sign-in', {
        method: 'POST',
        body: { password: text },
        headers: { 'x-forwarded-for': address },
      });
    for (let n = 0; n < 10; n++) expect((await tryAs('203.0.113.8', 'a wrong one')).status).toBe(401);
    expect((await tryAs('203.0.113.8', password)).status).toBe(429);
    expect((await tryAs('203.0.113.8, 203.0.113.9', password)).status).toBe(200);
    const encrypted = { headers: { 'x-forwarded-proto': 'https' } };
    for (const path of ['/', '/app/session', '/healthz', '/api/v1/credits']) {
      const { headers } = await browser.ask(path, encrypted);
      expect(headers['strict-transport-security']).toBe('max-age=31536000');
      expect((await browser.ask(path)).headers['strict-transport-security']).toBeUndefined();
    }
  });
});

test('jobs of others are inaccessible by every route, and look as if they did not exist', async () => {
  const owner = await signedInKey(server, (await server.makeKey({ name: 'owner' })).key);
  const stranger = await signedInKey(server, (await server.makeKey({ name: 'stranger' })).key);
  const id = await submit(owner);
  const uploadId = String((await uploadList(owner.api, 'email\na@b.example\n')).json?.['upload_id']);
  const ofJobs = Object.values(routes).filter(({ path }) => /^\/(app|api\/v1\/bulk)\/jobs\/\{/.test(path));
  expect(ofJobs.length).toBeGreaterThanOrEqual(8);
  const reach = (browser: Browser, job: string, file: string) => [
    ...ofJobs.map(
      (route) => () =>
        browser.ask(pathOf(route, { id: job }), {
          method: route.method,
          ...(route.method === 'POST' && { body: { max_age_days: 1 } }),
        }),
    ),
    () => browser.ask(pathOf(routes.uploadPlan, { id: file, query: { email_column: 'email' } })),
    () => confirmList(browser.api, file),
  ];
  const nothing = '00000000-0000-4000-8000-000000000000';
  const answers = async (job: string, file: string) => {
    const all = [];
    for (const go of reach(stranger, job, file)) {
      const { status, text } = await go();
      all.push([status, text]);
    }
    return all;
  };
  const theirs = await answers(id, uploadId);
  expect(theirs.map(([status]) => status)).toEqual(theirs.map(() => 404));
  expect(theirs).toEqual(await answers(nothing, nothing));
  expect((await stranger.ask('/app/jobs')).json).toMatchObject({ jobs: [], total: 0 });
  expect((await owner.ask(`/app/jobs/${id}`)).json).toMatchObject({ status: 'completed', owner: { name: 'owner' } });
  expect((await admin.ask(`/app/jobs/${id}`)).json).toMatchObject({ id, owner: { kind: 'key', name: 'owner' } });
});

describe('traces of a session', () => {
  test('responses forbid caches, referrers and frames', async () => {
    for (const path of ['/app/session', '/app/keys', '/app/jobs', '/app/usage', '/app/nothing', '/']) {
      const { headers } = await admin.ask(path);
      if (path !== '/') expect(headers['cache-control']).toBe('no-store');
      if (path === '/app/nothing') continue;
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['cross-origin-opener-policy']).toBe('same-origin');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; " +
          "frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      );
    }
  });

  test('the log has routes, but no session, key, token, password or address, nor the name of a list', async () => {
    const { key } = await server.makeKey();
    const browser = await signedInKey(server, key);
    await submit(browser, 'secret-customers.csv');
    await browser.post('/app/sign-in', { password: 'a wrong password' });
    await browser.ask('/app/jobs?search=secret-customers');
    const email = 'somebody.private@python.org';
    const single = `${server.url}/validation/single`;
    for (const url of [`${single}?email=${email}`, `${single}?email=${email}&email=x`, `${server.url}/${email}`])
      await ask(url, { key });
    await ask(single, { key: `${key}x`, body: { email }, headers: { 'x-request-id': 'the-last-one' } });
    await server.logged('the-last-one');
    for (const route of ['/app/jobs', '/api/v1/validation/single', 'unknown'])
      expect(server.log()).toContain(`"route":"${route}"`);
    const token = new URL(server.setUpUrl ?? '').hash.slice(1);
    for (const secret of [
      key,
      password,
      token,
      browser.cookie?.split('=')[1] ?? '',
      ...['secret-customers', 'a wrong password', 'somebody.private'],
    ]) {
      expect(secret.length).toBeGreaterThan(8);
      expect(server.log()).not.toContain(secret);
    }
  });

  test('no file has a session id, a password or a key; of a key only its hash is stored', async () => {
    const { key } = await server.makeKey();
    const browser = await signedInKey(server, key);
    const files = readdirSync(server.home, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const bytes = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('');
    expect(bytes).toContain(createHash('sha256').update(key).digest('hex'));
    for (const secret of [key, password, browser.cookie?.split('=')[1] ?? '']) expect(bytes).not.toContain(secret);
  });
});
