import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderCheck, renderConclusion } from '../../../../src/cli/render/diagnosis.js';
import { Failure } from '../../../../src/model/failure.js';
import { fail, ok, warn } from '../../../../src/service/diagnosis/check.js';
import { type DnsServer, startDnsServer } from '../../../fakes/dns-server.js';
import { fakeService } from '../../../fakes/service.js';
import { type SmtpHost, startSmtpHost } from '../../../fakes/smtp-host.js';
import { freshFolder, runCli } from '../../run-cli.js';

let honest: DnsServer;
let denying: DnsServer;
let host: SmtpHost;
const home = freshFolder();
chmodSync(home, 0o711);
const place = { MAILVET_HOME: join(home, 'data'), MAILVET_CONFIG_DIR: join(home, 'none') };

beforeAll(async () => {
  honest = await startDnsServer(({ type, name }) =>
    type === 'NS' && name === 'com'
      ? { answers: [{ type: 'NS', name, data: 'a.gtld-servers.net' }] }
      : name === 'mx.example.org' && type === 'A'
        ? { answers: [{ type: 'A', name, data: '127.0.0.1' }] }
        : { code: 'NXDOMAIN' },
  );
  denying = await startDnsServer(() => ({ code: 'NXDOMAIN' }));
  host = await startSmtpHost();
});
afterAll(async () => {
  await Promise.all([honest.close(), denying.close(), host.stop()]);
  rmSync(home, { recursive: true, force: true });
});

const goodFlags = () => ['--set', `resolvers=${honest.address}`, '--probe', `mx.example.org:${host.port}`];

interface Shown {
  ok: boolean;
  checks: { name: string; state: string; message: string; hint: string | null; code: string | null }[];
}

function parseReport(out: string): Shown {
  return JSON.parse(out) as Shown;
}

function stateOf(out: string, name: string): string | undefined {
  return parseReport(out).checks.find((check) => check.name === name)?.state;
}

describe('doctor', () => {
  test('prints one object a line to a pipe', async () => {
    const run = await runCli(['doctor', ...goodFlags()], { tty: false, environment: place });
    const names = run.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).name);
    expect(names.slice(0, 2)).toEqual(['back_end', 'node']);
  });

  test('prints one document under --json, and ends with 0 if nothing failed', async () => {
    const run = await runCli(['doctor', '--json', ...goodFlags()], { tty: false, environment: place });
    expect(run).toMatchObject({ status: 0, err: '' });
    const { ok: fine, checks } = parseReport(run.out);
    expect(fine).toBe(true);
    expect(checks.map(({ name }) => name)).toEqual([
      ...['back_end', 'node', 'settings', 'data_directory', 'job_store', 'lists', 'resolver', 'smtp_port'],
      ...['ehlo_name', 'block_lists', 'remote'],
    ]);
    expect(checks.find(({ name }) => name === 'smtp_port')).toMatchObject({
      state: 'ok',
      probes: [{ host: 'mx.example.org', ip: '127.0.0.1', port: host.port, outcome: 'greeted' }],
    });
  });

  test('prints a table on a terminal', async () => {
    const { status, out } = await runCli(['doctor', ...goodFlags()], { environment: place });
    expect(status).toBe(0);
    expect(out).toMatch(/✔ ok {7}DNS server {6}127\.0\.0\.1:\d+ answers honestly/);
    expect(out).toMatch(/\nNothing failed\.( \d warnings?\.)?\n$/);
  });

  test('a resolver that denies everything ends with 4 and a hint', async () => {
    const run = await runCli(['doctor', '--set', `resolvers=${denying.address}`], { environment: place });
    expect(run.status).toBe(4);
    expect(run.out).toContain('denies even the top-level domain com');
    expect(run.out).toContain('→ Name one that works with --set');
    expect(run.out).toContain('1 check of 10 failed.');
  });

  test('--no-probe and --level dns connect to no mail server', async () => {
    const before = host.connections;
    for (const flags of [['--no-probe'], ['--set', 'level=dns']]) {
      const run = await runCli(['doctor', '--json', '--set', `resolvers=${honest.address}`, ...flags], {
        environment: place,
      });
      expect(stateOf(run.out, 'smtp_port')).toBe('skipped');
    }
    expect(host.connections).toBe(before);
  });

  test('a host that cannot be reached ends with 4', async () => {
    const stoppedHost = await startSmtpHost();
    await stoppedHost.stop();
    const args = [
      'doctor',
      '--json',
      '--set',
      `resolvers=${honest.address}`,
      '--probe',
      `127.0.0.1:${stoppedHost.port}`,
    ];
    const run = await runCli(args, { environment: place });
    expect(run.status).toBe(4);
    expect(stateOf(run.out, 'smtp_port')).toBe('fail');
  });

  test.each([
    { args: ['--probe', 'no host'], want: '--probe: "no host"' },
    { args: ['--set', 'timeout=soon'], want: '--set timeout' },
    { args: ['--format', 'pdf'], want: 'Allowed choices are table, json' },
  ])('$args is a usage error', async ({ args, want }) => {
    const run = await runCli(['doctor', '--set', 'level=syntax', ...args], { environment: place, columns: 200 });
    expect(run).toMatchObject({ status: 2, out: '' });
    expect(run.err).toContain(want);
  });

  test('Ctrl-C ends with 130', async () => {
    const stop = AbortSignal.abort(new Failure('interrupted', 'Interrupted.'));
    const run = await runCli(['doctor', ...goodFlags()], { tty: false, signal: stop, environment: place });
    expect(run).toMatchObject({ status: 130, out: '' });
  });
});

describe('settings and the remote service', () => {
  let fileCount = 0;
  const stored = (text: string, mode = 0o600) => {
    const folder = join(home, `settings-${fileCount++}`);
    mkdirSync(folder, { mode: mode === 0o600 ? 0o700 : 0o711 });
    writeFileSync(join(folder, 'config.json'), text);
    chmodSync(join(folder, 'config.json'), mode);
    return { ...place, MAILVET_CONFIG_DIR: folder };
  };
  const withKey = (mode: string) =>
    JSON.stringify({ profiles: { default: { api_key: 'secret-key-1234', base_url: 'https://x.example', mode } } });
  const offline = ['doctor', '--json', '--set', 'level=syntax'];
  const refusing = fakeService({
    listJobs: async () => {
      throw new Failure('key_refused', 'The service refuses the key.');
    },
  });
  const welcoming = fakeService({ listJobs: async () => ({ jobs: [], skip: 0, limit: 1 }) });

  test('a settings file that is not JSON is a finding, and the other checks run', async () => {
    const run = await runCli(offline, { environment: stored('{') });
    expect(run.status).toBe(2);
    expect(stateOf(run.out, 'settings')).toBe('fail');
    expect(stateOf(run.out, 'lists')).toBe('ok');
  });

  test('a missing file with the address of the store is a finding, and the other checks run', async () => {
    const run = await runCli(offline, { environment: { ...place, MAILVET_STORE: '@/nonexistent/store-url' } });
    expect(run.status).toBe(2);
    expect(stateOf(run.out, 'job_store')).toBe('fail');
    expect(stateOf(run.out, 'lists')).toBe('ok');
  });

  test.each([
    { variables: {}, want: 'defaults apply.' },
    { variables: { MAILVET_TLS: 'required' }, want: 'MAILVET_TLS and defaults apply.' },
    {
      variables: { MAILVET_TLS: 'required', MAILVET_EHLO_NAME: 'x.example.org' },
      want: /; MAILVET_\w+, MAILVET_\w+ and defaults apply\.$/,
    },
  ])('without a settings file, $want', async ({ variables, want }) => {
    const { out } = await runCli(offline, { environment: { ...place, ...variables } });
    const { checks } = JSON.parse(out) as Shown;
    const pattern = typeof want === 'string' ? `There is no settings file; ${want}` : want;
    expect(checks.find(({ name }) => name === 'settings')?.message).toMatch(pattern);
  });

  test('a stored value that is not allowed is a finding', async () => {
    const run = await runCli(offline, { environment: stored('{"profiles":{"default":{"timeout":"soon"}}}') });
    expect(run.status).toBe(2);
    expect(stateOf(run.out, 'settings')).toBe('fail');
  });

  test.each([
    [{ name: 'Ada', plan: 'team', credits: 1_200 }, /accepts the key \(\d+ ms\): Ada, plan team, 1,200 credits\.$/],
    [{ name: 'Ada', plan: 'team', credits: null }, /plan team, no limit\.$/],
    [null, /accepts the key \(\d+ ms\)\.$/],
  ])('shows the account %s, and the key masked', async (account, want) => {
    const service = fakeService({ ...welcoming, account: async () => account });
    const { out } = await runCli(offline, { service, environment: stored(withKey('remote')) });
    const { checks } = JSON.parse(out) as Shown;
    expect(checks[0]).toMatchObject({
      name: 'back_end',
      back_end: 'remote',
      key: '********',
      key_source: 'profile default',
    });
    expect(checks.find(({ name }) => name === 'remote')?.message).toMatch(want);
    expect(out).not.toContain('secret-key');
  });

  test.each([
    { name: 'a key that others can read ends with 2', mode: 'remote', rights: 0o644, service: welcoming, want: 2 },
    { name: 'a refused key ends with 3', mode: 'remote', rights: 0o600, service: refusing, want: 3 },
    { name: 'a valid key ends with 0', mode: 'remote', rights: 0o600, service: welcoming, want: 0 },
    { name: 'a refused key that is not in use ends with 0', mode: 'local', rights: 0o600, service: refusing, want: 0 },
    { name: 'the first failure decides the status', mode: 'remote', rights: 0o644, service: refusing, want: 2 },
  ])('$name', async ({ mode, rights, service, want }) => {
    const run = await runCli(offline, { service, environment: stored(withKey(mode), rights) });
    expect(run.status).toBe(want);
    expect(run.opened).toMatchObject([{ mode: 'remote', retries: 0 }]);
    expect(run.out + run.err).not.toContain('secret-key');
  });

  test('--local sends nothing to a remote service', async () => {
    const run = await runCli([...offline, '--local'], { service: refusing, environment: stored(withKey('remote')) });
    expect(run).toMatchObject({ status: 0, opened: [] });
  });
});

describe('the table', () => {
  const check = warn('ehlo_name', 'We greet as \x1b[31mme, but nobody knows a name as long as this one is.', {
    hint: 'Set another: --ehlo-name mail.example.org, or ask whoever gave you the address.',
  });

  test.each([40, 60, 80])('fits %i columns without control characters', (columns) => {
    const style = { color: false, columns, unicode: true };
    const text = renderCheck(check, style) + renderConclusion([check, fail('node', 'unsupported', 'Old.')], style);
    expect(text.split('\n').filter((line) => line.length > columns || /[\x00-\x1f]/.test(line))).toEqual([]);
  });

  test('breaks a command so that it can be pasted', () => {
    const check = warn('data_directory', 'Others can read it.', {
      hint: "Run: chmod 700 '/srv/a folder/of/mailvet/home'",
    });
    expect(renderCheck(check, { color: false, columns: 45, unicode: true })).toMatch(
      /\n {4}→ Run:\n {6}chmod 700 \\\n {6}'\/srv\/a folder\/of\/mailvet\/home'\n$/,
    );
  });

  test.each([
    { checks: [ok('node', 'Fine.')], want: '\nNothing failed.\n' },
    { checks: [ok('node', 'Fine.'), check], want: '\nNothing failed. 1 warning.\n' },
    { checks: [fail('node', 'unsupported', 'Old.'), check, check], want: '\n1 check of 3 failed. 2 warnings.\n' },
  ])('ends with $want', ({ checks, want }) => {
    expect(renderConclusion(checks, { color: false, columns: 80, unicode: true })).toBe(want);
  });
});
