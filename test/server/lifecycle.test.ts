import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { describe, expect, test } from 'vitest';
import { newIdentity } from '../../src/disk/process-identity.js';
import type { Failure } from '../../src/model/failure.js';
import { checkReady } from '../../src/server/check-ready.js';
import { createEngine } from '../../src/service/create-engine.js';
import { makeHome } from '../fakes/job-lab.js';
import { ask, openServer, sendWith, startList, untilCompleted } from './run-server.js';
import { startForTest } from './use-server.js';

const engine = createEngine({ level: 'syntax' });

/** Validates when the test releases it, or when the signal aborts. */
function gate() {
  let open: () => void = () => {};
  let enter: () => void = () => {};
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const validate: typeof engine.validate = async (email, { signal } = {}) => {
    enter();
    await new Promise<void>((resolve, reject) => {
      open = resolve;
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
    return engine.validate(email);
  };
  return { validate, entered, open: () => open() };
}

test('starting removes the partial uploads of a killed server at once, and none of a live one', async () => {
  const home = makeHome();
  const incoming = join(home, 'incoming');
  const id = '00000000-0000-4000-8000-000000000001';
  const dead = newIdentity().split('~').with(3, '4194305').join('~');
  mkdirSync(incoming);
  for (const process of [dead, newIdentity()]) writeFileSync(join(incoming, `${id}.${process}`), 'email\n');
  const server = await openServer({ home });
  expect(readdirSync(incoming)).toEqual([expect.not.stringContaining('4194305')]);
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

describe('stopping', () => {
  test('finishes requests in progress, accepts no new ones, and readyz fails', async () => {
    const { validate, entered, open } = gate();
    const server = await openServer({ validation: { validate } });
    const agent = new Agent({ connections: 5 });
    const inFlight = ask(`${server.url}/validation/single`, { key: server.key, body: { email: 'ada@python.org' } });
    await entered;
    const stopped = server.stop();
    const statusOf = async (path: string): Promise<number> => {
      const { statusCode, body } = await request(server.root + path, {
        dispatcher: agent,
        headers: { 'x-api-key': server.key },
      });
      await body.dump();
      return statusCode;
    };
    expect(await statusOf('/readyz')).toBe(503);
    expect(await statusOf('/healthz')).toBe(200);
    expect(await statusOf('/api/v1/credits')).toBe(503);
    open();
    expect(await inFlight).toMatchObject({ status: 200, json: { email: 'ada@python.org' } });
    await stopped;
    await expect(statusOf('/healthz')).rejects.toThrow();
    await agent.close();
  });

  test('ends requests that take too long, and refunds their credits', async () => {
    const home = makeHome();
    const { validate, entered } = gate();
    const first = await openServer({ home, validation: { validate }, limits: { drainMs: 50 } });
    const { key } = await first.makeKey({ credits: 5 });
    const inFlight = ask(`${first.url}/validation/single`, { key, body: { email: 'ada@python.org' } });
    await entered;
    await first.stop();
    expect(await inFlight).toMatchObject({ status: 503, json: { error: { code: 'interrupted' } } });
    const second = await openServer({ home });
    expect((await ask(`${second.url}/credits`, { key })).json).toMatchObject({ credits: 5 });
    await second.stop();
    rmSync(home, { recursive: true, force: true });
  });

  test('leaves jobs for the next start to continue', async () => {
    const home = makeHome();
    const first = await openServer({ home });
    const { key } = await first.makeKey();
    const rows = Array.from({ length: 50_000 }, (_, row) => `user${row}@python.org\n`).join('');
    const id = await startList(sendWith(first, key), `email\n${rows}`);
    await first.stop();
    const second = await openServer({ home });
    const job = await untilCompleted(sendWith(second, key), id);
    expect(job).toMatchObject({ total: 50_000, processed: 50_000, valid_count: 50_000, credits_used: 50_000 });
    await second.stop();
    rmSync(home, { recursive: true, force: true });
  });
});

test('readyz fails while the store is missing', async () => {
  const server = await startForTest();
  const path = join(server.home, 'store.db');
  expect((await ask(`${server.root}/readyz`)).status).toBe(200);
  renameSync(path, `${path}.away`);
  await expect.poll(async () => (await ask(`${server.root}/readyz`)).status, { timeout: 5_000 }).toBe(503);
  renameSync(`${path}.away`, path);
  await expect.poll(async () => (await ask(`${server.root}/readyz`)).status, { timeout: 5_000 }).toBe(200);
});

test.each([
  { name: 'a ready one', status: 200, code: 'ready', says: '' },
  { name: 'a server that is stopping', status: 503, code: 'unavailable', says: 'is not ready (HTTP status 503).' },
  { name: 'none', status: null, code: 'network', says: 'No server answers on 127.0.0.1 port PORT.' },
])('serve --check reports $name', async ({ status, code, says }) => {
  const server = createServer((_, response) => response.writeHead(status ?? 0).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  if (status === null) await new Promise((done) => server.close(done));
  try {
    const outcome = checkReady({ host: '0.0.0.0', port, isTls: false }).then(
      () => ({ code: 'ready', message: '' }),
      (error: Failure) => error,
    );
    expect(await outcome).toMatchObject({ code, message: expect.stringContaining(says.replace('PORT', `${port}`)) });
  } finally {
    server.close();
  }
});

test('serve --check names the TLS flag if the connection is reset', async () => {
  const server = createServer().on('connection', (socket) => socket.resetAndDestroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const hintOf = (isTls: boolean) =>
      checkReady({ host: '127.0.0.1', port, isTls }).catch((error: Failure) => error.hint);
    expect(await hintOf(false)).toContain('serve.tls_cert');
    expect(await hintOf(true)).not.toContain('serve.tls_cert');
  } finally {
    server.close();
  }
});
