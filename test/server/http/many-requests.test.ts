import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ValidationResult } from '../../../src/model/result.js';
import { bundledEngine } from '../../../src/service/local/validation.js';
import { ask, sendBytes, sendWith, startList, type TestServer } from '../run-server.js';
import { startForTest } from '../use-server.js';

const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
/** Sends `count` requests without waiting for responses; yields the statuses as they arrive. */
async function pipeline(server: TestServer, count: number, requestText: (index: number) => string) {
  const socket = connect(Number(new URL(server.root).port), '127.0.0.1');
  sockets.push(socket);
  const statuses: string[] = [];
  const ids: string[] = [];
  let text = '';
  const done = new Promise<void>((resolve) => {
    socket.setEncoding('latin1').on('data', (data) => {
      text += data;
      const end = text.lastIndexOf('\r\n\r\n') + 4;
      for (const [, status] of text.slice(0, end).matchAll(/HTTP\/1\.1 (\d{3})/g)) statuses.push(status ?? '');
      for (const [, id] of text.slice(0, end).matchAll(/x-request-id: (\S+)/g)) ids.push(id ?? '');
      text = text.slice(end);
      if (statuses.length >= count) resolve();
    });
    socket.on('close', () => resolve());
    socket.on('error', () => {});
  });
  let all = '';
  for (let index = 0; index < count; index++) all += requestText(index);
  socket.write(all);
  await done;
  return { statuses, ids };
}

const single = (key: string) => (index: number) =>
  `GET /api/v1/validation/single?email=a${index}@python.org HTTP/1.1\r\nhost: x\r\nx-request-id: r${index}\r\nx-api-key: ${key}\r\n\r\n`;
const posted = (key: string) => (index: number) => {
  const body = `{"email":"a${index}@python.org"}`;
  return `POST /api/v1/validation/single HTTP/1.1\r\nhost: x\r\nx-request-id: r${index}\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

/** An answer that fails when the test triggers it. */
function makePendingAnswer() {
  let fail: (reason: Error) => void = () => {};
  const promise = new Promise<ValidationResult>((_, reject) => {
    fail = reject;
  });
  promise.catch(() => {});
  return { promise, reject: (reason: Error) => fail(reason) };
}

describe('many requests at once', () => {
  test.each([
    { name: 'GET', requestOf: single },
    { name: 'POST', requestOf: posted },
  ])(
    'thousands sent by $name without waiting are answered in order, with few in progress at a time',
    async ({ requestOf }) => {
      const engine = bundledEngine({ level: 'syntax' });
      let inFlight = 0;
      let maxInProgress = 0;
      const validate = async (email: string): Promise<ValidationResult> => {
        maxInProgress = Math.max(maxInProgress, ++inFlight);
        await new Promise((resolve) => setImmediate(resolve));
        inFlight--;
        return engine.validate(email);
      };
      const server = await startForTest({ validation: { validate }, keepLog: false });
      const { statuses, ids } = await pipeline(server, 3_000, requestOf(server.key));
      expect(new Set(statuses)).toEqual(new Set(['200']));
      expect(ids).toEqual(Array.from({ length: 3_000 }, (_, index) => `r${index}`));
      // The limit of one connection, and the requests of the same read.
      expect(maxInProgress).toBeLessThan(1_000);
    },
  );

  test('a caller with one request at a time gets its turn next to callers with a thousand', async () => {
    const server = await startForTest({ keepLog: false });
    const { key } = await server.makeKey();
    const url = `${server.url}/validation/single?email=ada@python.org`;
    await ask(url, { key });
    const floods = Array.from({ length: 8 }, () =>
      pipeline(server, 2_000, () => 'GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n'),
    );
    let flooded = true;
    const over = Promise.all(floods).then(() => {
      flooded = false;
    });
    const begun = performance.now();
    const waits: number[] = [];
    while (flooded) {
      const asked = performance.now();
      expect((await ask(url, { key })).status).toBe(200);
      waits.push(performance.now() - asked);
    }
    await over;
    const lasted = performance.now() - begun;
    waits.sort((a, b) => a - b);
    const wait = (share: number) => waits[Math.floor((waits.length - 1) * share)];
    // A flood that came first is served first; a later request waits for a few of its requests, never for all of them.
    expect(waits.length).toBeGreaterThan(100);
    expect(wait(0.99)).toBeLessThan(lasted / 50);
    expect(wait(1)).toBeLessThan(lasted / 2);
  });

  test('a broken connection ends its waiting requests before their header timeout', { timeout: 10_000 }, async () => {
    const server = await startForTest({ keepLog: false, validation: { validate: () => new Promise(() => {}) } });
    const socket = connect(Number(new URL(server.root).port), '127.0.0.1');
    socket.write(Array.from({ length: 2_000 }, (_, index) => single(server.key)(index)).join(''));
    const metrics = async () => (await ask(`${server.root}/metrics`, { key: server.key })).text;
    while (!/under_way (?:[6-9]\d|\d{3,})/.test(await metrics())) await new Promise(setImmediate);
    socket.destroy();
    while (!(await metrics()).includes('mailvet_http_requests_under_way 1\n')) await new Promise(setImmediate);
  });

  test('a key with too many requests in progress gets 429 with Retry-After, and another key is served', async () => {
    const stuck = makePendingAnswer();
    const validate = (email: string) => (email.startsWith('stuck') ? stuck.promise : Promise.reject(new Error('no')));
    const server = await startForTest({ limits: { requestsInFlightPerKey: 3 }, validation: { validate } });
    const held = Array.from({ length: 3 }, () =>
      ask(`${server.url}/validation/single?email=stuck@python.org`, { key: server.key }),
    );
    const other = await server.makeKey();
    while (!/under_way 4\n/.test((await ask(`${server.root}/metrics`, { key: other.key })).text));
    const refused = await ask(`${server.url}/credits`, { key: server.key });
    expect(refused).toMatchObject({ status: 429, json: { error: { code: 'rate_limited' } } });
    expect(refused.headers['retry-after']).toBe('1');
    expect((await ask(`${server.url}/credits`, { key: other.key })).status).toBe(200);
    stuck.reject(new Error('enough'));
    await Promise.all(held);
    expect((await ask(`${server.url}/credits`, { key: server.key })).status).toBe(200);
  });

  test('more requests than the server holds get 503 with Retry-After', async () => {
    const stuck = makePendingAnswer();
    const server = await startForTest({
      limits: { requestsInFlight: 3 },
      validation: { validate: () => stuck.promise },
    });
    const url = `${server.url}/validation/single?email=ada@python.org`;
    const held = Array.from({ length: 3 }, () => ask(url, { key: server.key }));
    let refused = await ask(`${server.root}/healthz`);
    while (refused.status === 200) refused = await ask(`${server.root}/healthz`);
    expect(refused).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } });
    expect(refused.headers['retry-after']).toBe('1');
    stuck.reject(new Error('enough'));
    await Promise.all(held);
    expect((await ask(`${server.root}/healthz`)).status).toBe(200);
  });
});

test('garbage in the middle of a response ends the connection, and is not answered within it', async () => {
  const server = await startForTest({ keepLog: false });
  const id = await startList(sendWith(server, server.key), `email\n${'ada@python.org\n'.repeat(20_000)}`);
  const path = `/api/v1/bulk/jobs/${id}/results`;
  const text = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(server.root).port), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (data) => {
      if (received === '') socket.write('garbage\r\n\r\n');
      received += data;
    });
    socket.on('error', () => {}).on('close', () => resolve(received));
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${server.key}\r\n\r\n`);
  });
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text).not.toContain('HTTP/1.1 400');
});

test.each(['/%', '/api/v1/bulk/jobs/%zz', '/%c0%80'])(
  'a path that cannot be read: %s is answered, counted and logged like any other',
  async (path) => {
    const server = await startForTest();
    const head = `GET ${path} HTTP/1.1\r\nhost: x\r\nx-request-id: odd-one\r\nconnection: close\r\n\r\n`;
    const answer = await sendBytes(server, head);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('x-request-id: odd-one');
    expect(answer).toContain('{"error":{"code":"usage","message":"The path is not properly escaped."');
    await server.logged('odd-one');
    expect((await ask(`${server.root}/metrics`, { key: server.key })).text).toContain('route="unknown",status="400"');
  },
);
