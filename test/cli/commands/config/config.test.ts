import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { defaultGreylistWaitMs as engineGreylistWaitMs } from '../../../../src/net/probe/greylist-schedule.js';
import { defaultSessions } from '../../../../src/net/probe/smtp-prober.js';
import { defaultConcurrency, defaultGreylistWaitMs } from '../../../../src/settings/definitions.js';
import { answerWith, freshFolder, runCli } from '../../run-cli.js';

let environment: Record<string, string>;
let file: string;
beforeEach(() => {
  const folder = freshFolder();
  file = join(folder, 'config.json');
  environment = { MAILVET_CONFIG_DIR: folder };
});

const run = (args: string[], tty = false) => runCli(['config', ...args], { tty, environment });

describe('set, get, unset', () => {
  test('stores, reads, overrides and removes a value', async () => {
    expect((await run(['set', 'timeout', '10s'])).err).toContain('timeout is 10s');
    expect((await run(['get', 'timeout'])).out).toBe('10s\n');
    environment['MAILVET_TIMEOUT'] = '7s';
    expect((await run(['get', 'timeout'])).out).toBe('7s\n');
    expect((await run(['set', 'timeout', '9s'])).err).toContain('MAILVET_TIMEOUT is set and wins');
    delete environment['MAILVET_TIMEOUT'];
    expect((await run(['unset', 'timeout'])).err).toContain('timeout is no longer stored in the profile default.');
    expect((await run(['unset', 'timeout'])).err).toContain('timeout is not stored in the profile default.');
    expect((await run(['get', 'timeout'])).out).toBe('30s\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test.each([
    { name: 'greylist-wait', key: 'greylist_wait', value: '5m' },
    { name: 'keep-jobs', key: 'keep_jobs', value: '9h' },
    { name: 'resolver', key: 'resolvers', value: '192.0.2.53' },
    { name: 'allow-network', key: 'allow_networks', value: '192.0.2.0/24' },
  ])('takes the spelling of a flag: $name', async ({ name, key, value }) => {
    expect(await run(['set', name, value])).toMatchObject({
      status: 0,
      err: `note: ${key} is ${value} in the profile default.\n`,
    });
    expect(JSON.parse(readFileSync(file, 'utf8')).profiles.default).toEqual({ [key]: expect.anything() });
    expect((await run(['get', name])).out).toBe(`${value}\n`);
    expect(Object.keys(JSON.parse((await run(['get', name, '--json'])).out))).toEqual([key]);
    expect((await run(['unset', name])).err).toContain(`${key} is no longer stored`);
  });

  test('an invalid stored value can be corrected', async () => {
    await run(['set', 'level', 'dns']);
    writeFileSync(file, '{"profiles":{"default":{"level":"deep"}}}', { mode: 0o600 });
    expect((await run(['list'])).status).toBe(2);
    expect((await run(['set', 'level', 'dns'])).status).toBe(0);
    expect((await run(['get', 'level'])).out).toBe('dns\n');
  });

  test('stores an absolute path', async () => {
    const list = join(environment['MAILVET_CONFIG_DIR'] ?? '', 'deny.txt');
    writeFileSync(list, 'example.com\n');
    const written = relative(process.cwd(), list);
    expect((await run(['set', 'deny_list', written])).status).toBe(0);
    expect((await run(['get', 'deny_list'])).out).toBe(`${list}\n`);
  });

  test.each([
    ['an unknown key', ['set', 'flavour', 'sweet'], 2, 'no setting "flavour"'],
    ['a mistyped key', ['set', 'levle', 'dns'], 2, 'Did you mean level?'],
    ['a mistyped key for get', ['get', 'time_out'], 2, 'Did you mean timeout?'],
    ['a flag that negates a setting', ['set', 'no-ai', 'true'], 2, 'no setting "no-ai"'],
    ['a resolver at port 0', ['set', 'resolvers', '192.0.2.53:0'], 2, 'the value "192.0.2.53:0"'],
    ['a list that does not exist', ['set', 'allow_list', '/nowhere/list'], 2, 'no such file'],
    ['a value that is not a list', ['set', 'deny_list', 'package.json'], 2, 'Line 2 of the list'],
    ['a missing file of rules', ['set', 'reply_rules', '/nowhere/r'], 2, 'cannot be read'],
    ['a value that is not allowed', ['set', 'level', 'deep'], 2, 'Allowed: syntax, dns, smtp'],
    ['a mistyped value', ['set', 'level', 'dsn'], 2, 'level cannot be "dsn".\n  Did you mean dns?'],
    ['a key on the command line', ['set', 'api_key', 'mv_live_0123456789abcdef'], 2, 'mailvet login'],
    ['a key that is not set', ['get', 'api_key'], 5, 'Set it with: mailvet login'],
    ['a value that is not set', ['get', 'base_url'], 5, 'base_url is not set'],
    ['a profile that does not exist', ['set', 'profile', 'work'], 2, 'no profile "work"'],
    ['a mistyped subcommand', ['lst'], 2, 'Did you mean list?'],
  ])('refused: %s', async (_name, args, status, want) => {
    const { err, status: got } = await run(args);
    expect(got).toBe(status);
    expect(err).toContain(want);
    expect(err).not.toContain('0123456789');
  });
});

describe('list', () => {
  const key = 'mv_live_0123456789abcdef9f3c';
  test.each([
    ['objects in a pipe', ['list'], false, /^\{"key":"level","value":"dns","source":"file","from":"[^"]+"\}$/m],
    ['a table on a terminal', ['list'], true, /^level +dns +stored$/m],
    ['JSON', ['list', '--json'], false, '"level":{"value":"dns","source":"file"'],
  ])('%s, with the key masked', async (_name, args, tty, want) => {
    await run(['set', 'level', 'dns']);
    environment['MAILVET_API_KEY'] = key;
    const { out } = await run(args, tty);
    expect(out).toMatch(want);
    expect(out).toContain('********9f3c');
    expect(out).not.toContain(key);
  });

  test("a proxy's password is hidden", async () => {
    await run(['set', 'proxy', 'socks5://u:hush@127.0.0.1:1080']);
    for (const args of [['list'], ['list', '--json'], ['get', 'proxy']]) {
      expect((await run(args)).out).not.toContain('hush');
    }
  });
});

test.each([
  { mode: 'local', timeout: '30s', concurrency: 100 },
  { mode: 'remote', timeout: '1m', concurrency: 4 },
])('shows the defaults of the $mode back end', async ({ mode, timeout, concurrency }) => {
  environment['MAILVET_MODE'] = mode;
  environment['MAILVET_BASE_URL'] = 'http://127.0.0.1:1';
  const { settings } = JSON.parse((await run(['list', '--json'])).out);
  expect(settings).toMatchObject({
    timeout: { value: timeout, source: 'default' },
    concurrency: { value: concurrency, source: 'default' },
    greylist_wait: { value: '20m', source: 'default' },
  });
  expect((await run(['list', '--format', 'csv'])).out).toContain(`\ntimeout,${timeout},default,default\n`);
  expect(await run(['get', 'timeout'])).toMatchObject({
    status: 0,
    out: `${timeout}\n`,
    err: 'note: timeout is not set; this is the default.\n',
  });
  expect(JSON.parse((await run(['get', 'timeout', '--json'])).out)).toEqual({ timeout });
});

test('the defaults are those of the engine', () => {
  expect([defaultConcurrency.sessions, defaultGreylistWaitMs]).toEqual([defaultSessions, engineGreylistWaitMs]);
});

test('keeps profiles separate, and use switches between them', async () => {
  await run(['set', 'level', 'dns']);
  await run(['set', 'level', 'syntax', '--profile', 'work']);
  expect((await run(['get', 'level'])).out).toBe('dns\n');
  expect((await run(['get', 'level', '--profile', 'work'])).out).toBe('syntax\n');
  await run(['set', 'profile', 'work']);
  expect((await run(['get', 'level'])).out).toBe('syntax\n');
});

test('lists and removes profiles', async () => {
  await run(['set', 'level', 'dns', '--profile', 'work']);
  await run(['set', 'profile', 'work']);
  const named = { profile: 'work', profiles: ['default', 'work'], path: file };
  expect(JSON.parse((await run(['list', '--json'])).out)).toMatchObject(named);
  expect((await run(['list'], true)).out).toContain(`Profile work (others: default), stored in ${file}\n`);
  expect(JSON.parse((await run(['get', 'level', '--json'])).out)).toEqual({ level: 'dns' });
  expect((await run(['set', 'profile', 'wrok'])).err).toContain('Did you mean work?');
  expect(await run(['unset'])).toMatchObject({ status: 2 });
  expect((await answerWith('n', run(['unset', '--all'], true))).err).toContain('Nothing was deleted.');
  expect((await run(['get', 'level'])).out).toBe('dns\n');
  expect((await run(['unset', '--all'])).err).toBe(
    'note: The profile work was removed, with its settings.\nnote: The profile default is in use.\n',
  );
  expect(JSON.parse((await run(['list', '--json'])).out)).toMatchObject({ profile: 'default', profiles: ['default'] });
});

test.each([
  { name: 'that is not in use', variables: {}, says: '' },
  {
    name: 'that MAILVET_PROFILE names',
    variables: { MAILVET_PROFILE: 'work' },
    says: 'note: The profile default is stored as the one to use, but MAILVET_PROFILE is set to work and wins.\n',
  },
])('a profile $name is removed, and a note says what is used if that changes', async ({ variables, says }) => {
  writeFileSync(file, '{"profiles":{"work":{"level":"dns"}}}', { mode: 0o600 });
  Object.assign(environment, variables);
  const { err } = await run(['unset', '--all', '--profile', 'work']);
  expect(err).toBe(`note: The profile work was removed, with its settings.\n${says}`);
});

test('a profile with a key is removed with it, without a question with --yes', async () => {
  writeFileSync(file, '{"profiles":{"team":{"api_key":"mv_0123456789abcdef"}}}', { mode: 0o600 });
  expect((await run(['unset', '--all', '--profile', 'team', '--yes'], true)).err).toContain(
    'with its settings and its key.',
  );
});

test('an unknown profile can be created for the bundled engine, or for a service', async () => {
  const { err } = await run(['set', 'profile', 'nope']);
  expect(err).toContain('"mailvet config set KEY VALUE --profile NAME"');
  expect(err).toContain('"mailvet login --profile NAME" for a service');
});
