import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ServeOptions, ServerHandle } from '../../../../src/cli/context.js';
import { runProgram } from '../../../../src/cli/program.js';
import { ClosedPipe } from '../../../../src/cli/terminal/terminal.js';
import type { ApiKey } from '../../../../src/model/api-key.js';
import { Failure } from '../../../../src/model/failure.js';
import { openApiKeys } from '../../../../src/service/local/keys.js';
import type { Settings } from '../../../../src/settings/resolve.js';
import { answerWith, freshFolder, runCli } from '../../run-cli.js';

/** A fake server that stops at once and records its options. */
function fakeServer(change: Partial<ServerHandle> = {}) {
  const interrupt = new AbortController();
  const seen = { options: [] as ServeOptions[], settings: [] as Settings[], stops: 0 };
  const startServer = async (settings: Settings, options: ServeOptions): Promise<ServerHandle> => {
    seen.options.push(options);
    seen.settings.push(settings);
    setImmediate(() => interrupt.abort());
    return {
      url: 'http://127.0.0.1:4242/api/v1',
      validKeys: 1,
      pages: null,
      stop: async () => {
        seen.stops++;
      },
      ...change,
    };
  };
  return { seen, world: { startServer, signal: interrupt.signal } };
}

describe('serve', () => {
  test('prints its address, and ends with 0 when it is stopped', async () => {
    const { seen, world } = fakeServer();
    const run = await runCli(['serve'], world);
    expect(run).toMatchObject({ status: 0, out: 'Listening on http://127.0.0.1:4242/api/v1\n', err: '' });
    expect(seen.stops).toBeGreaterThan(0);
    expect(seen.options[0]).toMatchObject({ tls: null, log: { level: 'info' } });
    expect(seen.settings[0]).toMatchObject({ serveHost: '127.0.0.1', servePort: 8080 });
  });

  test('warns of a suppression list that suppresses nothing', async () => {
    const stop = join(freshFolder(), 'stop.txt');
    writeFileSync(stop, 'bad1 at d1\n');
    const { status, err } = await runCli(['serve', '--set', `serve.exclude=${stop}`, '--quiet'], {
      ...fakeServer().world,
      tty: false,
    });
    expect({ status, err }).toEqual({ status: 0, err: expect.stringContaining(`Nothing is suppressed by ${stop}`) });
  });

  test('flags reach the server', async () => {
    const { seen, world } = fakeServer();
    const args =
      '--port 0 --host ::1 --level dns --set serve.max_rows=5 --set serve.max_file_size=2 --set serve.rate_limit=9 --set serve.max_connections=7';
    const edge =
      '--public-url https://a.example --public-url https://b.example --trust-proxy 10.0.0.0/8 --set serve.user_header=Remote-Email --set serve.webhook_networks=10.1.0.0/16';
    const run = await runCli(['serve', '--json', '--set', 'serve.log_level=warn', ...`${args} ${edge}`.split(' ')], {
      ...world,
      tty: false,
    });
    expect(JSON.parse(run.out)).toEqual({ url: 'http://127.0.0.1:4242/api/v1' });
    expect(seen.options[0]).toMatchObject({ log: { level: 'warn' } });
    expect(seen.settings[0]).toMatchObject({
      ...{ level: 'dns', serveHost: '::1', servePort: 0, serveWebhookNetworks: ['10.1.0.0/16'] },
      ...{ serveMaxRows: 5, serveMaxFileSize: 2, serveRateLimit: 9, serveMaxConnections: 7 },
      servePublicUrls: ['https://a.example', 'https://b.example'],
      ...{ serveTrustedProxies: ['10.0.0.0/8'], serveUserHeader: 'Remote-Email' },
    });
  });

  test('--check queries a running server, and starts none', async () => {
    const asked: unknown[] = [];
    const checkServer = async (address: unknown) => void asked.push(address);
    const run = await runCli(['serve', '--check', '--port', '9', '--set', 'serve.tls_cert=a.pem'], { checkServer });
    expect(run).toMatchObject({ status: 0, out: 'The server is ready.\n' });
    expect(asked).toEqual([{ host: '127.0.0.1', port: 9, isTls: true }]);
    const refuse = () => Promise.reject(new Failure('network', 'No server answers.'));
    const refused = await runCli(['serve', '--check'], { checkServer: refuse, tty: false });
    expect(refused).toMatchObject({ status: 4, err: expect.stringMatching(/^error: /) });
  });

  test('prints the address of the pages, the set-up link, and whether pages are missing', async () => {
    const url = 'http://127.0.0.1:4242/';
    const says = async (pages: ServerHandle['pages']) => (await runCli(['serve'], fakeServer({ pages }).world)).err;
    const first = await says({ url, setUpUrl: `${url}setup#token`, areBuilt: true });
    expect(first).toContain(`Web application: ${url}\n`);
    expect(first).toContain('http://127.0.0.1:4242/setup#token');
    expect(await says({ url, setUpUrl: null, areBuilt: true })).not.toContain('password');
    expect(await says({ url, setUpUrl: null, areBuilt: false })).toContain('npm run build');
  });

  test.each([
    { name: 'nothing', args: [], environment: {}, want: null },
    { name: 'no pages', args: ['--set', 'serve.web=false'], environment: { MAILVET_ADMIN_PASSWORD: 'x' }, want: null },
    {
      name: 'the environment',
      args: [],
      environment: { MAILVET_ADMIN_PASSWORD: 'from env' },
      want: { text: 'from env', source: 'MAILVET_ADMIN_PASSWORD' },
    },
    {
      name: 'a file, which takes precedence',
      args: ['--set', 'serve.admin_password_file=FILE'],
      environment: { MAILVET_ADMIN_PASSWORD: 'from env' },
      want: { text: ' from file ', source: 'serve.admin_password_file' },
    },
  ])('reads the password of the pages: $name', async ({ args, environment, want }) => {
    const { seen, world } = fakeServer();
    const file = join(freshFolder(), 'password');
    writeFileSync(file, ' from file \n');
    const run = await runCli(['serve', ...args.map((arg) => arg.replace('FILE', file))], { ...world, environment });
    expect(run.status).toBe(0);
    expect(seen.options[0]?.adminPassword).toEqual(want);
    expect(run.out + run.err).not.toContain('from ');
  });

  test('notes how to make the first key, and that traffic is not encrypted', async () => {
    const { world } = fakeServer({ validKeys: 0 });
    const { err } = await runCli(['serve', '--host', '0.0.0.0'], { ...world, columns: 200 });
    expect(err).toContain('mailvet keys create --name NAME');
    expect(err).toContain('serve.tls_cert');
  });

  test.each([
    { args: ['--port', '70000'], says: '0 to 65535' },
    { args: ['--port', 'x'], says: '0 to 65535' },
    { args: ['--host', ''], says: '0.0.0.0 or :: for all' },
    { args: ['--set', 'serve.max_rows=10000001'], says: '1 to 10000000' },
    { args: ['--set', 'serve.tls_cert=x.pem'], says: 'serve.tls_cert and serve.tls_key must be given together' },
    { args: ['--set', 'serve.tls_cert=/nowhere/a', '--set', 'serve.tls_key=/nowhere/b'], says: 'cannot be read' },
    { args: ['--set', 'serve.log_level=worn'], says: 'Did you mean warn?' },
  ])('$args is refused', async ({ args, says }) => {
    const run = await runCli(['serve', ...args], fakeServer().world);
    expect(run.status).toBe(2);
    expect(run.err).toContain(says);
  });

  test('the certificate is read', async () => {
    const folder = freshFolder();
    const paths = ['cert', 'key'].map((name) => {
      writeFileSync(join(folder, name), name);
      return join(folder, name);
    });
    const { seen, world } = fakeServer();
    await runCli(['serve', '--set', `serve.tls_cert=${paths[0]}`, '--set', `serve.tls_key=${paths[1]}`], world);
    expect(seen.options[0]?.tls).toEqual({ cert: Buffer.from('cert'), key: Buffer.from('key') });
  });

  test('ends with 0 when it is stopped while it waits for a database', async () => {
    const signal = AbortSignal.abort();
    const startServer = () => Promise.reject(new Failure('storage', 'The database cannot be reached.'));
    expect(await runCli(['serve'], { startServer, signal })).toMatchObject({ status: 0, err: '' });
    expect(await runCli(['serve'], { startServer })).toMatchObject({ status: 6 });
  });

  test('an uncaught error stops the server', async () => {
    const { seen, world } = fakeServer();
    const never = { ...world, signal: new AbortController().signal };
    let fail: (error: Error) => void = () => {};
    const bug = new Promise<never>((_, reject) => {
      fail = reject;
    });
    setImmediate(() => setImmediate(() => fail(new Error('stray'))));
    expect((await runCli(['serve'], { ...never, bug })).status).toBe(70);
    expect(seen.stops).toBe(1);
  });
});

describe('keys', () => {
  const home = freshFolder();
  const keys = (args: string[], tty = false) =>
    runCli(['keys', ...args], { tty, openKeys: () => openApiKeys({ home }), environment: { MAILVET_HOME: home } });

  test('create shows the key once, list and revoke never', async () => {
    const created = await keys(['create', '--name', 'Billing', '--plan', 'team', '--credits', '5', '--expires', '30d']);
    expect(created).toMatchObject({ status: 0, err: '' });
    const key = JSON.parse(created.out);
    expect(Object.keys(key).slice(0, 3)).toEqual(['id', 'name', 'key']);
    expect(key).toMatchObject({ name: 'Billing', plan: 'team', credits: 5, revoked_at: null, last_used_at: null });
    expect(Date.parse(key.expires_at) - Date.parse(key.created_at)).toBeCloseTo(30 * 86_400_000, -3);
    const listed = await keys(['list'], true);
    expect(listed.out).toMatch(
      new RegExp(
        `^ID +STATE +KEY +PLAN +CREDITS +USED +EXPIRES +NAME\n${key.id.slice(0, 8)} +active +mv_\\S{7}… +team +5 +never +[\\d-]{10} +Billing\n`,
      ),
    );
    // Any unambiguous beginning of an id will do.
    expect(JSON.parse((await keys(['revoke', key.id.slice(0, 8)])).out)).toMatchObject({
      id: key.id,
      revoked_at: expect.any(String),
    });
    expect((await keys(['revoke', key.id])).status).toBe(0);
    expect((await keys(['list'], true)).out).toContain('revoked');
    expect(listed.out).not.toContain(key.key);
  });

  test('prints only the key to stdout on a terminal', async () => {
    const created = await keys(['create', '--name', 'me'], true);
    expect(created.out).toMatch(/^mv_[\w-]{43}\n$/);
    expect(created.err).toContain('not shown again');
  });

  test.each([
    { name: 'the disk is full', trouble: new Failure('storage', 'The disk is full.'), says: 'The disk is full.' },
    { name: 'the reader has closed the pipe', trouble: new ClosedPipe('gone'), says: 'could not be shown' },
  ])('create revokes the key that was not shown, if $name', async ({ trouble, says }) => {
    const folder = freshFolder();
    const openKeys = () => openApiKeys({ home: folder });
    const unread: typeof runProgram = (args, host) =>
      runProgram(args, {
        ...host,
        terminal: { ...host.terminal, stdout: { ...host.terminal.stdout, write: () => Promise.reject(trouble) } },
      });
    const run = await runCli(['keys', 'create', '--name', 'lost'], { tty: false, openKeys }, unread);
    expect(run).toMatchObject({ status: 6, err: expect.stringContaining(says) });
    const listed = JSON.parse((await runCli(['keys', 'list', '--json'], { tty: false, openKeys })).out);
    expect(listed).toMatchObject({ keys: [{ name: 'lost', revoked_at: expect.any(String) }] });
  });

  test('list shows when keys expire, and a second revoke says that it is one', async () => {
    const folder = freshFolder();
    const openKeys = () => openApiKeys({ home: folder });
    const run = (args: string[]) => runCli(['keys', ...args], { openKeys, columns: 200 });
    await run(['create', '--name', 'forever']);
    expect((await run(['list'])).out).not.toContain('EXPIRES');
    const created = await runCli(['keys', 'create', '--name', 'trial', '--expires', '30d', '--json'], { openKeys });
    const { id, expires_at } = JSON.parse(created.out);
    expect((await run(['list'])).out).toMatch(new RegExp(`EXPIRES.*${expires_at.slice(0, 10)}`, 's'));
    expect((await answerWith('n', run(['revoke', id]))).err).toContain('note: Nothing was revoked.');
    expect((await run(['list'])).out).not.toContain('revoked');
    expect((await answerWith('y', run(['revoke', id]))).err).toContain('Revoked the key trial');
    // Nothing to ask: it is done, or there is no such key.
    expect((await run(['revoke', id])).err).toContain('had already been revoked');
    expect((await run(['revoke', 'nobody'])).status).toBe(5);
    const other = await runCli(['keys', 'create', '--name', 'other', '--json'], { openKeys });
    expect((await run(['revoke', JSON.parse(other.out).id, '--yes'])).err).toContain('Revoked the key other');
  });

  test('revoke takes an unambiguous beginning of an id', async () => {
    const folder = freshFolder();
    const openKeys = () => openApiKeys({ home: folder });
    const run = (args: string[]) => runCli(['keys', ...args], { tty: false, openKeys });
    // Ids are hexadecimal: of seventeen keys, two begin with the same digit.
    const ids: string[] = [];
    for (let count = 0; count < 17; count++) ids.push(JSON.parse((await run(['create', '--name', 'k'])).out).id);
    const first = ids.map(([letter]) => letter ?? '');
    const shared = first.find((letter, at) => first.indexOf(letter) !== at) ?? '';
    expect(await run(['revoke', shared])).toMatchObject({
      status: 2,
      err: expect.stringContaining(`begin with ${shared}`),
    });
    expect(await run(['revoke', ''])).toMatchObject({ status: 5 });
    const { status, out } = await run(['revoke', (ids[3] ?? '').slice(0, 8).toUpperCase()]);
    expect({ status, id: JSON.parse(out).id }).toEqual({ status: 0, id: ids[3] });
    const revoked = JSON.parse((await run(['list', '--json'])).out).keys.filter(
      (key: ApiKey) => key.revoked_at !== null,
    );
    expect(revoked.map(({ id }: ApiKey) => id)).toEqual([ids[3]]);
  });

  test('are changed at any time: name, credits or none, expiry or never', async () => {
    const run = (args: string[]) => keys(args);
    const { id } = JSON.parse((await run(['create', '--name', 'a', '--credits', '5', '--json'])).out);
    const set = async (...args: string[]) => JSON.parse((await run(['set', id, ...args, '--json'])).out);
    expect(await set('--credits', 'none', '--name', 'b')).toMatchObject({ name: 'b', credits: null });
    expect(await set('--credits', '7', '--expires', '30d')).toMatchObject({
      credits: 7,
      expires_at: expect.any(String),
    });
    expect(await set('--expires', 'never')).toMatchObject({ name: 'b', credits: 7, expires_at: null });
    await run(['revoke', id, '--yes']);
    expect((await run(['set', id, '--credits', '1'])).err).toContain('revoked');
  });

  test.each([
    { args: ['create'], status: 2, says: '--name' },
    { args: ['create', '--name', 'a\nb'], status: 2, says: 'one line' },
    { args: ['create', '--name', 'a', '--credits', '-1'], status: 2, says: 'whole number' },
    { args: ['create', '--name', 'a', '--expires', 'soon'], status: 2, says: '30d' },
    { args: ['create', '--name', 'a', '--expires', '0d'], status: 2, says: 'from 1s up' },
    { args: ['create', '--name', 'a', '--credits', '1000000000001'], status: 2, says: 'to 1000000000000' },
    { args: ['create', '--name', 'a', '--plan', 'a b'], status: 2, says: 'letters' },
    { args: ['set', 'nobody'], status: 2, says: 'nothing to change' },
    { args: ['set', 'nobody', '--credits', '1'], status: 5, says: 'no such key' },
    { args: ['revoke', 'nobody'], status: 5, says: 'no such key' },
  ])('$args ends with $status', async ({ args, status, says }) => {
    const run = await keys(args);
    expect(run.status).toBe(status);
    expect(run.err).toContain(says);
  });
});
