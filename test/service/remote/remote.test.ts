import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { asFailure } from '../../../src/model/failure.js';
import { all, codeOf } from '../../contract/validation-service.js';
import { startFakeService } from '../../fakes/fake-service.js';
import { remoteLab } from './remote-lab.js';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-remote-'));
const path = join(folder, 'people.csv');
writeFileSync(path, 'name,email\r\nÄda,ada@site.example\r\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lab = remoteLab({ hasResults: true });
const { open } = lab;

describe('the requests', () => {
  test('may share a signal in any number', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const service = await open({ concurrency: 20 });
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 20 }, (_, index) => service.validate(`u${index}@site.example`, { signal })));
    await new Promise(setImmediate);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('are only those of the documented interface', async () => {
    lab.fake.jobs.push({ id: 'job 1/2', status: 'queued' });
    const post = await open();
    const get = await open({ useGet: true });
    await post.validate('Ada+tag@Site.example');
    await get.validate('ada+tag&x=y@ü.example');
    await all(post.validateMany([['Ada@Site.example', 'bob@site.example']]));
    const { upload_id } = await post.previewUpload({ path, filename: 'people.csv' });
    await post.confirmUpload(upload_id, 'email');
    await post.listJobs({ skip: 20, limit: 5 });
    await post.getJob('job 1/2');
    await post.cancelJob('job 1/2');
    expect(lab.fake.violations).toEqual([]);
    expect(lab.fake.seen.map(({ method, path: at, query, json }) => [method, at, query.toString(), json])).toEqual([
      ['POST', '/api/v1/validation/single', '', { email: 'Ada+tag@Site.example' }],
      ['GET', '/api/v1/validation/single', 'email=ada%2Btag%26x%3Dy%40%C3%BC.example', null],
      ['POST', '/api/v1/validation/bulk', '', { emails: ['Ada@Site.example', 'bob@site.example'] }],
      ['POST', '/api/v1/bulk/upload/preview', '', null],
      ['POST', '/api/v1/bulk/upload/confirm', '', { upload_id, email_column: 'email' }],
      ['GET', '/api/v1/bulk/jobs', 'skip=20&limit=5', null],
      ['GET', '/api/v1/bulk/jobs/job%201%2F2', '', null],
      ['POST', '/api/v1/bulk/jobs/job%201%2F2/cancel', '', null],
    ]);
    expect(lab.fake.seen.every(({ headers }) => headers['x-api-key'] === lab.fake.apiKey)).toBe(true);
  });

  test('send the file unchanged, with its length, under a sanitized name', async () => {
    const filename = '../a "b"\r\nc\\d ü.csv';
    await (await open()).previewUpload({ path, filename });
    expect(lab.fake.seen[0]?.file).toEqual({
      filename: '.._a %22b%22%0D%0Ac_d ü.csv',
      text: 'name,email\r\nÄda,ada@site.example\r\n',
    });
    expect(lab.fake.seen[0]?.headers['content-length']).toBe(String(lab.fake.seen[0]?.body.length));
  });

  test('share a connection', async () => {
    const service = await open({ concurrency: 1 });
    const ports = new Set<unknown>();
    lab.fake.misbehave((request) => {
      ports.add(request.headers.connection);
      return undefined;
    });
    for (let asked = 0; asked < 5; asked++) await service.listJobs({ skip: 0, limit: 1 });
    expect([...ports]).toEqual(['keep-alive']);
    expect(lab.fake.connections()).toBe(1);
  });

  test('leave no address in trace lines', async () => {
    const lines: string[] = [];
    const service = await open({ useGet: true, onTrace: (line) => lines.push(line) });
    await service.validate('ada@site.example');
    expect(lines).toEqual([expect.stringMatching(/^GET \/api\/v1\/validation\/single: 200 in \d+ ms$/)]);
  });
});

describe('operations beyond the interface', () => {
  test('rows of a job are read if the service sends them', async () => {
    lab.fake.jobs.push({ id: 'x', status: 'completed' });
    const { columns, rows } = await (await open()).jobResults('x');
    expect(columns).toEqual(['email']);
    for await (const some of rows)
      expect(some).toMatchObject([{ cells: ['ada@site.example'], verdict: { status: 'valid' } }]);
  });

  test('are not asked of a service that does not say that it has them', async () => {
    await lab.fake.stop();
    lab.fake = await startFakeService();
    lab.fake.jobs.push({ id: 'x', status: 'completed' });
    const service = await open();
    expect(await codeOf(service.jobResults('x'))).toBe('unsupported');
    expect(await codeOf(service.cancelJob('x'))).toBe('unsupported');
    const asked = lab.fake.seen.map(({ method, path: at }) => `${method} ${at}`);
    expect(new Set(asked)).toEqual(new Set(['GET /api/v1/bulk/jobs']));
  });

  test('truncated rows are a Failure, not an end', async () => {
    lab.fake.jobs.push({ id: 'x', status: 'completed' });
    const cutOff = '{"columns":["email"]}\n{"cells":["a@b.example"],"email":"a@b.example"}\n';
    lab.fake.misbehave(({ path: at }) =>
      at.endsWith('/results') ? { cutOff, type: 'application/x-ndjson' } : undefined,
    );
    const { rows } = await (await open()).jobResults('x');
    const reading = (async () => {
      for await (const some of rows) expect(some.map(({ email }) => email)).toEqual(['a@b.example']);
    })();
    expect(await codeOf(reading)).toBe('network');
  });
});

describe('the key', () => {
  test.each([
    ['plain http elsewhere', { baseUrl: 'http://service.example' }, 'usage'],
    ['plain http to an address that only looks local', { baseUrl: 'http://127.0.0.1.service.example' }, 'usage'],
    ['no key', { apiKey: '  ' }, 'key_missing'],
    ['a key with a line end in it', { apiKey: 'abc\r\nx-evil: 1' }, 'key_refused'],
    ['a key with other characters', { apiKey: 'schlüssel-1234' }, 'key_refused'],
    ['an invalid proxy', { baseUrl: 'https://service.example', proxy: { https: 'no url hunter2' } }, 'usage'],
  ])('is not sent: %s', async (_name, options, want) => {
    const failure = await open(options).then(
      () => null,
      (error: unknown) => asFailure(error),
    );
    expect(failure?.code).toBe(want);
    expect(inspect(failure)).not.toMatch(/schlüssel|x-evil|hunter2/);
  });

  test.each(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1', 'https://service.example'])(
    'may be sent to %s',
    async (baseUrl) => {
      await expect(open({ baseUrl })).resolves.toBeDefined();
    },
  );

  test('may be sent over plain http where that is allowed', async () => {
    await expect(open({ baseUrl: 'http://service.example', allowHttp: true })).resolves.toBeDefined();
  });

  test.each(['GET', 'POST'] as const)('does not follow a redirect of a %s to another origin', async (method) => {
    const other = await startFakeService();
    lab.fake.misbehave(() => ({ status: 307, headers: { location: `${other.url}/api/v1/validation/single?email=x` } }));
    const failing = (await open({ useGet: method === 'GET' })).validate('ada@site.example');
    await expect(failing).rejects.toMatchObject({ code: 'remote_error', message: expect.stringContaining(other.url) });
    expect(other.seen).toEqual([]);
    await other.stop();
  });

  test('follows a redirect of a GET within the service, but not in circles', async () => {
    lab.fake.misbehave(({ path: at }) =>
      at.endsWith('/jobs') ? { status: 308, headers: { location: './jobs/x' } } : undefined,
    );
    lab.fake.jobs.push({ id: 'x', status: 'queued', jobs: [] });
    expect(await (await open()).listJobs({ skip: 0, limit: 1 })).toMatchObject({ jobs: [] });
    lab.fake.misbehave(({ path: at }) => ({ status: 302, headers: { location: at } }));
    expect(await codeOf((await open()).listJobs({ skip: 0, limit: 1 }))).toBe('remote_error');
  });

  test('does not follow a redirect without a usable Location', async () => {
    lab.fake.misbehave(() => ({ status: 302 }));
    await expect((await open()).validate('ada@site.example')).rejects.toMatchObject({
      code: 'remote_error',
      message: 'The service sent a redirect without a usable Location (HTTP 302).',
    });
  });
});

describe('a proxy', () => {
  /** A proxy that connects every CONNECT to the fake, whatever the requested host. */
  async function startProxy(target: string) {
    const asked: string[] = [];
    const server = createServer().on('connect', (request, socket) => {
      asked.push(
        `${request.url} ${request.headers['proxy-authorization'] ?? ''} ${request.headers['x-api-key'] ?? ''}`,
      );
      const through = connect(Number(new URL(target).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        through.pipe(socket).pipe(through);
      });
      through.on('error', () => socket.destroy());
      socket.on('error', () => through.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const stop = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    return { url, asked, stop };
  }

  test('gets a CONNECT, and never sees the key', async () => {
    const proxy = await startProxy(lab.fake.url);
    const service = await open({
      baseUrl: 'http://service.invalid:8080',
      allowHttp: true,
      proxy: { http: `http://user:pass@${proxy.url}` },
    });
    expect(await service.validate('ada@site.example')).toMatchObject({ status: 'valid' });
    expect(proxy.asked).toEqual([`service.invalid:8080 Basic ${Buffer.from('user:pass').toString('base64')} `]);
    await service.close();
    await proxy.stop();
  });

  test('is not used for this machine', async () => {
    const service = await open({ proxy: { https: 'http://127.0.0.1:1', http: 'http://127.0.0.1:1' } });
    expect(await service.validate('ada@site.example')).toMatchObject({ status: 'valid' });
  });

  test('that cannot be reached is a network failure', async () => {
    const options = { baseUrl: 'https://service.invalid', proxy: { https: 'http://127.0.0.1:1' } };
    const failure = await (await open(options)).validate('ada@site.example').then(() => null, asFailure);
    expect(failure).toMatchObject({
      code: 'network',
      message: expect.stringContaining('The proxy at 127.0.0.1:1 cannot be reached.'),
    });
  });

  test.each([
    [407, 'The proxy did not let the connection through (HTTP 407): it asks for a user name and password.'],
    [403, 'The proxy did not let the connection through (HTTP 403).'],
  ])('that refuses with %s is named', async (status, want) => {
    const proxy = createServer().on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`));
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const service = await open({ baseUrl: 'https://service.invalid', proxy: { https: `http://127.0.0.1:${port}` } });
    const failure = await service.validate('ada@site.example').then(() => null, asFailure);
    expect(failure).toMatchObject({ code: 'network', message: expect.stringContaining(want) });
    proxy.close();
  });
});

describe('a base URL with a mistake', () => {
  const tls = (name: string) => readFileSync(join(import.meta.dirname, `../../fixtures/tls/mail-host.${name}`));

  test('https at a plain port is named', async () => {
    const service = await open({ baseUrl: lab.fake.url.replace('http:', 'https:') });
    const failure = await service.validate('ada@site.example').then(() => null, asFailure);
    expect(failure).toMatchObject({ code: 'network', message: expect.stringContaining('does not speak TLS there') });
    expect(lab.fake.seen).toEqual([]);
  });

  test('plain http at an https port, and a certificate of no known authority, are named', async () => {
    const server = createTlsServer({ cert: tls('crt'), key: tls('key') }, (_, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = async (baseUrl: string) =>
      (await open({ baseUrl })).listJobs({ skip: 0, limit: 1 }).then(() => null, asFailure);
    expect((await ask(`http://${host}`))?.message).toMatch(/is the scheme or the port wrong\?|connection was lost/);
    expect((await ask(`https://${host}`))?.message).toContain('could not be verified. Its certificate is');
    server.close();
  });
});
