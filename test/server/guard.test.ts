import { describe, expect, test } from 'vitest';
import type { Route } from '../../src/wire/route.js';
import { pathOf, routes } from '../../src/wire/routes.js';
import { ask } from './run-server.js';
import { startForTest, useServer } from './use-server.js';

const server = useServer();

const id = '00000000-0000-4000-8000-000000000000';
const ofInterface = Object.values<Route>(routes).filter(({ summary }) => summary !== undefined);
const withKey = ofInterface
  .filter(({ may }) => may !== 'public')
  .map((route) => ({
    method: route.method,
    path: pathOf(route, { id }),
    ...(route.method === 'POST' && { body: {} }),
  }));

describe.each([...withKey, { method: 'GET', path: '/nowhere' }, { method: 'PUT', path: '/api/v1/bulk/jobs' }] as const)(
  '$method $path',
  ({ method, path, ...more }) => {
    test.each([
      { name: 'no key', key: null, code: 'key_missing' },
      { name: 'an empty key', key: '', code: 'key_missing' },
      { name: 'an unknown key', key: `mv_${'x'.repeat(43)}`, code: 'key_refused' },
      { name: 'text that does not look like a key', key: 'secret', code: 'key_refused' },
    ])('$name is refused', async ({ key, code }) => {
      const response = await ask(server.root + path, { method, key, ...more });
      expect(response.status).toBe(401);
      expect(response.json).toEqual({ error: { code, message: expect.any(String), hint: expect.any(String) } });
    });
  },
);

test.each([...new Set(ofInterface.map(({ path }) => path))])('methods: %s lists its methods', async (path) => {
  const isState = path === routes.health.path || path === routes.readiness.path;
  const offered: string[] = ofInterface.filter((route) => route.path === path).map(({ method }) => method);
  const allowed = isState ? [...offered, 'HEAD'] : offered;
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const) {
    if (allowed.includes(method)) continue;
    const response = await ask(server.root + pathOf({ path }, { id }), {
      ...{ method, key: server.key },
      ...(method === 'POST' && { body: '<x/>', headers: { 'content-type': 'text/xml' } }),
    });
    expect([response.status, response.headers['allow']]).toEqual([405, allowed.join(', ')]);
    if (method !== 'HEAD') expect(response.json).toHaveProperty('error.code', 'unsupported');
  }
});

describe('bodies', () => {
  const json = { 'content-type': 'application/json' };
  test.each([
    { name: 'broken JSON', body: '{"email":', headers: json, status: 400, code: 'usage', hint: 'JSON object' },
    { name: 'an empty body', body: '', headers: json, status: 400, code: 'usage', hint: 'JSON object' },
    { name: 'an array', body: '[]', headers: json, status: 422, code: 'bad_input', hint: 'JSON object' },
    { name: 'null', body: 'null', headers: json, status: 422, code: 'bad_input' },
    { name: 'no email', body: '{}', headers: json, status: 422, code: 'bad_input' },
    { name: 'a number for the email', body: '{"email":5}', headers: json, status: 422, code: 'bad_input' },
    { name: 'an array for the email', body: '{"email":["a@b.co"]}', headers: json, status: 422, code: 'bad_input' },
    { name: 'no content type', body: '{"email":"a@b.co"}', headers: {}, status: 415, code: 'unsupported' },
    { name: 'plain text', body: 'a@b.co', headers: { 'content-type': 'text/plain' }, status: 415, code: 'unsupported' },
    {
      name: 'a form',
      body: 'email=a@b.co',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      ...{ status: 415, code: 'unsupported', hint: 'application/json' },
    },
    {
      name: 'a multipart form',
      body: '--x\r\ncontent-disposition: form-data; name="email"\r\n\r\na@b.co\r\n--x--\r\n',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      ...{ status: 415, code: 'unsupported' },
    },
    {
      name: 'a body above the limit',
      body: `{"email":"${'a'.repeat(70_000)}"}`,
      headers: json,
      status: 413,
      code: 'too_large',
    },
    { name: 'unknown fields', body: '{"email":"a@b.co","x":{"y":[1]}}', headers: json, status: 200 },
    {
      name: 'a charset',
      body: '{"email":"a@b.co"}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      status: 200,
    },
    { name: 'a field named __proto__', body: '{"email":"a@b.co","__proto__":{"z":1}}', headers: json, status: 200 },
  ])('single with $name: $status', async ({ body, headers, status, code, hint }) => {
    const response = await ask(`${server.url}/validation/single`, { key: server.key, body, headers });
    expect(response.status).toBe(status);
    if (code !== undefined) expect(response.json).toHaveProperty('error.code', code);
    if (hint !== undefined) expect(response.json).toHaveProperty('error.hint', expect.stringContaining(hint));
    expect(response.text).not.toMatch(/node_modules|\.[jt]s:\d/);
  });

  test.each([
    { emails: undefined, says: 'The field emails is missing.' },
    { emails: 'a@b.co', says: 'The field emails must be a list' },
    { emails: ['a@b.co', 7], says: 'The field emails.1 must be a string' },
    { emails: [null], says: 'The field emails.0 must be a string' },
    { emails: {}, says: 'The field emails must be a list' },
  ])('bulk with $emails is refused', async ({ emails, says }) => {
    const response = await ask(`${server.url}/validation/bulk`, { key: server.key, body: { emails } });
    expect(response.status).toBe(422);
    expect(response.json).toHaveProperty('error.message', expect.stringContaining(says));
  });
});

test('a new key is accepted at once, a revoked one refused within a second, an expired one at once', async () => {
  const { key, id: keyId } = await server.makeKey();
  const status = async (): Promise<number> => (await ask(`${server.url}/credits`, { key })).status;
  expect(await status()).toBe(200);
  await server.revoke(keyId);
  const revokedAt = Date.now();
  while ((await status()) === 200) expect(Date.now() - revokedAt).toBeLessThan(1000);
  expect(await status()).toBe(401);
  const expired = await server.makeKey({ expiresAt: Date.now() - 1 });
  expect((await ask(`${server.url}/credits`, { key: expired.key })).status).toBe(401);
});

test('responses have the request id, the caller’s if it is well-formed, and no CORS header', async () => {
  const idOf = async (given: string): Promise<unknown> =>
    (await ask(`${server.root}/healthz`, { headers: { 'x-request-id': given, origin: 'https://x.example' } })).headers[
      'x-request-id'
    ];
  expect(await idOf('trace-7')).toBe('trace-7');
  expect(await idOf('a b<script>')).toMatch(/^[0-9a-f]{8}-\w+$/);
  const { headers } = await ask(`${server.root}/healthz`, { headers: { origin: 'https://x.example' } });
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test('a bug is answered with 500 and the request id; its stack is only in the log', async () => {
  const broken = await startForTest({
    validation: {
      validate: async () => {
        throw new TypeError('cannot read ada@python.org of undefined');
      },
    },
  });
  const response = await ask(`${broken.url}/validation/single`, {
    key: broken.key,
    body: { email: 'ada@python.org' },
  });
  expect(response.status).toBe(500);
  expect(response.json).toEqual({
    error: {
      code: 'internal',
      message: 'Something went wrong inside the service.',
      hint: expect.stringContaining('X-Request-Id'),
    },
  });
  await broken.logged('TypeError');
  expect(broken.log()).not.toContain('ada@');
});

test('a path outside the interface names the base URL as the cause', async () => {
  const { status, json } = await ask(`${server.root}/api/v2/credits`, { key: server.key });
  expect([status, json]).toEqual([
    404,
    { error: expect.objectContaining({ hint: expect.stringContaining('base URL') }) },
  ]);
});
