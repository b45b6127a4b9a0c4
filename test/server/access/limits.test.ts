import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { Agent, FormData, request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { createRateLimit } from '../../../src/server/access/rate-limit.js';
import { ask, confirmList, formWith, sendWith, type TestServer, uploadList } from '../run-server.js';
import { startForTest, useServer } from '../use-server.js';

const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
/** Sends raw bytes and returns the response when the server has closed the connection. */
async function raw(server: TestServer, bytes: string, drip = ''): Promise<string> {
  const socket = connect(Number(new URL(server.root).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (data) => {
    text += data;
  });
  socket.on('error', () => {});
  socket.write(bytes);
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < drip.length && socket.writable) socket.write(drip[sent++] ?? '');
  }, 20);
  await new Promise((resolve) => socket.on('close', resolve));
  clearInterval(timer);
  return text;
}

describe('slow clients', () => {
  const head = (server: TestServer, length: number): string =>
    `POST /api/v1/validation/single HTTP/1.1\r\nhost: x\r\nx-api-key: ${server.key}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;

  test('a client that sends its headers very slowly is cut off, and others are served meanwhile', async () => {
    const server = await startForTest({ limits: { headersMs: 300 } });
    const dripping = raw(server, 'GET /healthz HTTP/1.1\r\n', 'x-slow: 1\r\n'.repeat(1000));
    expect((await ask(`${server.root}/healthz`)).status).toBe(200);
    expect(await dripping).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"usage"/);
  });

  test('a silent client is disconnected', async () => {
    const server = await startForTest({ limits: { headersMs: 300 } });
    expect(await raw(server, '')).toContain('408');
  });

  test('the server does not wait for a stalled body', async () => {
    const server = await startForTest({ limits: { stallMs: 300 } });
    expect(await raw(server, `${head(server, 100)}{"ema`)).toBe('');
    expect((await ask(`${server.root}/healthz`)).status).toBe(200);
  });

  test.each([301, 1_000, 1])('a limit of %d ms for headers is used unchanged', async (headersMs) => {
    const server = await startForTest({ limits: { headersMs } });
    expect((await ask(`${server.root}/readyz`)).status).toBe(200);
  });

  test('a body that is sent very slowly is cut off', async () => {
    const server = await startForTest({ limits: { requestMs: 400, headersMs: 300 } });
    expect(await raw(server, head(server, 10_000), ' '.repeat(10_000))).toContain('408');
  });

  test('the server does not wait for a client that reads no responses', async () => {
    const server = await startForTest({ limits: { stallMs: 300 } });
    const socket = connect(Number(new URL(server.root).port), '127.0.0.1').pause();
    sockets.push(socket);
    socket.on('error', () => {});
    const request = `GET /openapi.json HTTP/1.1\r\nhost: x\r\nx-api-key: ${server.key}\r\n\r\n`;
    socket.write(request.repeat(3_000));
    // While nothing is read, only a write detects a lost connection.
    const timer = setInterval(() => socket.write(request), 20);
    await new Promise((resolve) => socket.on('close', resolve));
    clearInterval(timer);
    const { text } = await ask(`${server.root}/metrics`, { key: server.key });
    expect(text).toContain('mailvet_http_requests_under_way 1\n');
  });

  test('the server waits for work that takes longer than the stall limit', async () => {
    const { createEngine } = await import('../../../src/service/create-engine.js');
    const engine = createEngine({ level: 'syntax' });
    const validate: typeof engine.validate = async (email) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return engine.validate(email);
    };
    const server = await startForTest({ limits: { stallMs: 150 }, validation: { validate } });
    const asking = { key: server.key, body: { email: 'ada@python.org' } };
    expect((await ask(`${server.url}/validation/single`, asking)).status).toBe(200);
  });
});

describe('sizes', () => {
  const shared = useServer();
  test.each([
    {
      name: 'headers beyond the limit: 431',
      bytes: `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      want: '431',
    },
    { name: 'data that is not HTTP: 400', bytes: 'hello there\r\n\r\n', want: '400' },
    { name: 'no Host: 400', bytes: 'GET /healthz HTTP/1.1\r\n\r\n', want: '400' },
    { name: 'two Hosts: 400', bytes: 'GET /healthz HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n', want: '400' },
    {
      name: 'two Hosts that are equal: 400',
      bytes: 'GET /healthz HTTP/1.1\r\nhost: x\r\nhost: x\r\n\r\n',
      want: '400',
    },
    ...['gzip, chunked', 'x, chunked', 'chunked, chunked', 'chunked;q=1', 'chunked\r\ntransfer-encoding: chunked'].map(
      (coding) => ({
        name: `the transfer coding ${JSON.stringify(coding)}: refused`,
        bytes: `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: ${coding}\r\n\r\n0\r\n\r\n`,
        want: '(400|501)',
      }),
    ),
    {
      name: 'an expectation that cannot be met: 417',
      bytes: 'POST / HTTP/1.1\r\nhost: x\r\nexpect: wonders\r\ncontent-length: 1\r\n\r\n',
      want: '417',
    },
    {
      name: 'two lengths: 400',
      bytes: 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      want: '400',
    },
  ])('$name', async ({ bytes, want }) => {
    const text = await raw(shared, bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${want} `));
    expect(text).toContain('"error":{"code":');
  });

  test('a file beyond the limit gets 413, whether or not it declares its size, and nothing of it is kept', async () => {
    const server = await startForTest({ limits: { fileBytes: 100_000 } });
    const big = `email\n${'ada@python.org\n'.repeat(400_000)}`;
    const known = await ask(`${server.url}/bulk/upload/preview`, { key: server.key, body: formWith(big) }).catch(
      () => null,
    );
    if (known !== null) expect(known).toMatchObject({ status: 413, json: { error: { code: 'too_large' } } });
    const boundary = 'xxxx';
    async function* chunks() {
      yield `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\ncontent-type: text/csv\r\n\r\n`;
      yield big.slice(0, 200_000);
      yield `\r\n--${boundary}--\r\n`;
    }
    const headers = { 'x-api-key': server.key, 'content-type': `multipart/form-data; boundary=${boundary}` };
    const { statusCode, body } = await request(`${server.url}/bulk/upload/preview`, {
      method: 'POST',
      headers,
      body: chunks() as unknown as Buffer,
    });
    expect(statusCode).toBe(413);
    expect(await body.json()).toMatchObject({ error: { code: 'too_large' } });
    expect(readdirSync(join(server.home, 'incoming'))).toEqual([]);
  });

  test('a truncated form leaves nothing behind', async () => {
    const away = new AbortController();
    const big = formWith(`email\n${'ada@python.org\n'.repeat(400_000)}`);
    const asking = ask(`${shared.url}/bulk/upload/preview`, { key: shared.key, body: big, signal: away.signal });
    while (readdirSync(join(shared.home, 'incoming')).length === 0)
      await new Promise((resolve) => setImmediate(resolve));
    away.abort();
    await asking.catch(() => null);
    while (readdirSync(join(shared.home, 'incoming')).length > 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await ask(`${shared.root}/healthz`)).status).toBe(200);
  });

  test.each([
    { name: 'a form', path: '/bulk/upload/preview', type: 'multipart/form-data; boundary=x' },
    { name: 'a JSON body', path: '/validation/single', type: 'application/json' },
  ])('$name that disconnects after its request was refused does no harm', async ({ path, type }) => {
    const socket = connect(Number(new URL(shared.root).port), '127.0.0.1');
    sockets.push(socket);
    socket.write(
      `POST /api/v1${path} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\ncontent-length: 100000\r\n\r\n--x\r\n`,
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
    socket.resetAndDestroy();
    expect((await ask(`${shared.root}/healthz`)).status).toBe(200);
  });

  test('too many counted rows get 413 at once, and nothing is kept', async () => {
    const server = await startForTest({ limits: { rows: 2 } });
    const body = formWith('email\na@b.co\nb@b.co\nc@b.co\n');
    const answer = await ask(`${server.url}/bulk/upload/preview`, { key: server.key, body });
    expect(answer).toMatchObject({ status: 413, json: { error: { code: 'too_large' } } });
    expect(answer.json).toHaveProperty('error.message', 'The list has more than 2 rows, the limit of this server.');
    for (const folder of ['incoming', 'uploads']) expect(readdirSync(join(server.home, folder))).toEqual([]);
    expect((await ask(`${server.url}/credits`, { key: server.key })).json).toMatchObject({ max_rows: 2 });
  });

  test('too many uncounted rows get 413 when confirmed, and no credit is charged', async () => {
    const server = await startForTest({ limits: { rows: 200_000 } });
    const { key } = await server.makeKey({ credits: 1_000_000 });
    const send = sendWith(server, key);
    const upload = await uploadList(send, `email,note\n${`ada@python.org,${'x'.repeat(70)}\n`.repeat(200_001)}`);
    expect(upload.json).toMatchObject({ row_count_exact: false });
    const answer = await confirmList(send, upload.json?.['upload_id']);
    expect(answer).toMatchObject({ status: 413, json: { error: { code: 'too_large' } } });
    expect((await ask(`${server.url}/credits`, { key })).json).toMatchObject({ credits: 1_000_000 });
  });

  test('too many parts of a form get 413', async () => {
    const form = new FormData();
    for (let field = 0; field < 100; field++) form.append(`field${field}`, 'x');
    expect((await ask(`${shared.url}/bulk/upload/preview`, { key: shared.key, body: form })).status).toBe(413);
  });
});

describe('rates', () => {
  test('a key with too many requests gets 429 with Retry-After, and others do not', async () => {
    const server = await startForTest({ limits: { requestsPerSecond: 3 } });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ask(`${server.url}/credits`, { key: server.key })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(4);
    expect(refused[0]?.headers['retry-after']).toBe('1');
    expect(refused[0]?.json).toHaveProperty('error.code', 'rate_limited');
    const other = await server.makeKey();
    expect((await ask(`${server.url}/credits`, { key: other.key })).status).toBe(200);
  });

  test('tokens come back with time', () => {
    let now = 0;
    const check = createRateLimit(2, () => now);
    const asks = (): boolean[] => [check('a'), check('a'), check('a')].map((refusal) => refusal === null);
    expect(asks()).toEqual([true, true, false]);
    now += 500;
    expect(asks()).toEqual([true, false, false]);
    now += 60_000;
    expect(asks()).toEqual([true, true, false]);
  });

  test('more concurrent addresses than fit in memory get 503 with Retry-After', async () => {
    let free: () => void = () => {};
    const validateMany = async function* () {
      await new Promise<void>((resolve) => {
        free = resolve;
      });
      yield [];
    };
    const server = await startForTest({ limits: { addressesInFlight: 3 }, validation: { validateMany } });
    const bulk = () => ask(`${server.url}/validation/bulk`, { key: server.key, body: { emails: ['a', 'b'] } });
    const answers = [bulk(), bulk()];
    const refused = await Promise.race(answers);
    expect(refused).toMatchObject({ status: 503, json: { error: { code: 'unavailable' } } });
    expect(refused.headers['retry-after']).toBe('2');
    free();
    await Promise.all(answers);
  });

  test('a bulk request passes its deadline on', async () => {
    const { createEngine } = await import('../../../src/service/create-engine.js');
    const engine = createEngine({ level: 'syntax' });
    let asked: number | undefined;
    const validateMany: typeof engine.validateMany = (emails, options) => {
      asked = options?.deadlineMs;
      return engine.validateMany(emails, options);
    };
    const server = await startForTest({ limits: { bulkMs: 1_234 }, validation: { validateMany } });
    const body = { emails: ['ada@python.org'] };
    const { json } = await ask(`${server.url}/validation/bulk`, { key: server.key, body });
    expect(json).toMatchObject({ total: 1, credits_used: 1 });
    expect(asked).toBe(1_234);
  });

  test('an idle connection is closed for one beyond the limit', async () => {
    const server = await startForTest({ limits: { connections: 2 } });
    const agents = [new Agent({ connections: 1 }), new Agent({ connections: 1 }), new Agent({ connections: 1 })];
    const outcomes: string[] = [];
    for (const dispatcher of agents) {
      outcomes.push(
        await request(`${server.root}/healthz`, { dispatcher }).then(
          async ({ statusCode, body }) => {
            await body.dump();
            return String(statusCode);
          },
          () => 'refused',
        ),
      );
    }
    for (const agent of agents) await agent.close();
    expect(outcomes).toEqual(['200', '200', '200']);
  });
});

test('with a certificate, only https is served', async () => {
  const folder = join(import.meta.dirname, '../../fixtures/tls');
  const tls = { cert: readFileSync(join(folder, 'mail-host.crt')), key: readFileSync(join(folder, 'mail-host.key')) };
  const server = await startForTest({ tls });
  expect(server.url).toMatch(/^https:/);
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const { statusCode, body } = await request(`${server.root}/healthz`, { dispatcher });
  expect(statusCode).toBe(200);
  await body.dump();
  await dispatcher.close();
  await expect(ask(`${server.root.replace('https', 'http')}/healthz`)).rejects.toThrow();
});
