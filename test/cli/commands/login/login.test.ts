import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Failure } from '../../../../src/model/failure.js';
import { fakeService } from '../../../fakes/service.js';
import { freshFolder, runCli } from '../../run-cli.js';

const key = 'mv_live_0123456789abcdef9f3c';
const url = ['--base-url', 'https://mail.example.org'];
const accepting = () => fakeService({ listJobs: async () => ({ jobs: [], skip: 0, limit: 1 }) });
const refusing = () =>
  fakeService({ listJobs: () => Promise.reject(new Failure('key_refused', `The service refused ${key}.`)) });

let environment: Record<string, string>;
let file: string;
beforeEach(() => {
  const folder = freshFolder();
  file = join(folder, 'config.json');
  environment = { MAILVET_CONFIG_DIR: folder };
});

const login = (args: string[], change: Parameters<typeof runCli>[1] = {}) =>
  runCli(['login', ...args], { tty: false, environment, service: accepting(), ...change });
const stored = () => JSON.parse(readFileSync(file, 'utf8')).profiles;

test('checks a key from stdin, stores it for the owner only, and switches the mode', async () => {
  const run = await login(['--key-stdin', ...url], { stdin: `${key}\n` });
  expect(run).toMatchObject({ status: 0, out: '' });
  expect(run.opened[0]).toMatchObject({ mode: 'remote', apiKey: key, baseUrl: 'https://mail.example.org' });
  expect(stored()).toEqual({ default: { api_key: key, base_url: 'https://mail.example.org', mode: 'remote' } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(run.err).toContain('From now on mailvet uses the remote service');
  expect(run.err).not.toContain(key);
});

test('takes the key out of what "keys create" writes into a pipe', async () => {
  const created = `${JSON.stringify({ id: '3f2a91c0', name: 'billing', key, plan: 'self-hosted' })}\n`;
  expect(await login(['--key-stdin', ...url], { stdin: created })).toMatchObject({ status: 0 });
  expect(stored().default.api_key).toBe(key);
});

test('stores a key from the environment', async () => {
  environment['MAILVET_API_KEY'] = key;
  expect((await login(url)).status).toBe(0);
  expect(stored().default.api_key).toBe(key);
});

test('a profile keeps its own key', async () => {
  await login(['--key-stdin', ...url], { stdin: key });
  const { err } = await login(['--key-stdin', ...url, '--profile', 'work'], { stdin: `${key}2` });
  expect(err).toContain(
    'With --profile work, mailvet uses the remote service. "mailvet config set profile work" makes',
  );
  expect(stored()).toMatchObject({ default: { api_key: key }, work: { api_key: `${key}2` } });
});

test.each([
  ['a key that is refused', ['--key-stdin', ...url], { stdin: key, service: refusing() }, 3, 'refused ********9f3c'],
  ['no address of the service', ['--key-stdin'], { stdin: key }, 2, '--base-url'],
  ['an empty stdin', ['--key-stdin', ...url], { stdin: '\n' }, 3, 'stdin contains no key'],
  ['no key anywhere', url, {}, 3, '--key-stdin'],
  ['a key with a space', ['--key-stdin', ...url], { stdin: 'my secret key' }, 2, 'not allowed for api_key'],
  ['JSON without a key', ['--key-stdin', ...url], { stdin: '{"keys":[]}' }, 3, 'stdin contains no key'],
  ['--key-stdin on a terminal', ['--key-stdin', ...url], { tty: true }, 2, 'stdin is a terminal'],
])('%s is not stored', async (_name, args, change, status, want) => {
  const run = await login(args, change);
  expect(run.status).toBe(status);
  expect(run.err).toContain(want);
  expect(run.err).not.toMatch(/0123456789|my secret/);
  expect(existsSync(file)).toBe(false);
});

test('logout removes the key and switches to the bundled engine', async () => {
  await login(['--key-stdin', ...url], { stdin: key });
  expect((await runCli(['logout'], { environment })).err).toContain('bundled engine again');
  expect(stored()).toEqual({ default: { base_url: 'https://mail.example.org' } });
  expect((await runCli(['logout'], { environment })).err).toContain('No key is stored');
});

test('logout of another profile says nothing about the one in use', async () => {
  await login(['--key-stdin', ...url, '--profile', 'team'], { stdin: key });
  const { err } = await runCli(['logout', '--profile', 'team'], { environment });
  expect(err).toContain('note: The profile team uses the bundled engine again.');
  expect(err).not.toContain('note: mailvet uses');
});

test('logout says what was removed, and which variable still counts', async () => {
  await runCli(['config', 'set', 'mode', 'remote'], { environment });
  const run = await runCli(['logout'], { environment: { ...environment, MAILVET_MODE: 'remote' } });
  expect(run.err).toContain('The mode was removed from');
  expect(run.err).toContain('MAILVET_MODE is still set in the environment.');
  expect(run.err).not.toContain('bundled engine again');
});
