import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { definitionOf, settingFields, variableOf } from '../../src/settings/definitions.js';
import type { SettingsFile, StoredValues } from '../../src/settings/read-file.js';
import { parseSetFlags, resolveSettings, type SettingsInput } from '../../src/settings/resolve.js';

function fileWith(values: StoredValues, profile = 'default', others: Record<string, StoredValues> = {}): SettingsFile {
  return { path: '/c/config.json', stored: { profile, profiles: { default: values, ...others } }, notes: [] };
}

function resolve(input: Partial<SettingsInput>) {
  return resolveSettings({ flags: {}, environment: {}, file: fileWith({}), ...input });
}

describe('precedence', () => {
  const stored = { timeout: '1s' };
  test.each([
    ['a flag wins', { timeoutMs: '3s' }, { MAILVET_TIMEOUT: '2s' }, stored, 3000, 'flag'],
    ['then the variable', {}, { MAILVET_TIMEOUT: '2s' }, stored, 2000, 'environment'],
    ['then the file', {}, {}, stored, 1000, 'file'],
    ['then the default', {}, {}, {}, null, 'default'],
    ['an empty variable is not set', {}, { MAILVET_TIMEOUT: '' }, stored, 1000, 'file'],
  ])('%s', (_name, flags, environment, file, ms, from) => {
    const { settings, sources } = resolve({ flags, environment, file: fileWith(file) });
    expect(settings.timeoutMs).toBe(ms);
    expect(sources.timeoutMs.from).toBe(from);
  });

  test('mode, key and base URL come from variables', () => {
    const environment = { MAILVET_MODE: 'remote', MAILVET_API_KEY: 'k'.repeat(24), MAILVET_BASE_URL: 'https://a.test' };
    const { settings } = resolve({ environment });
    expect(settings).toMatchObject({ mode: 'remote', apiKey: 'k'.repeat(24), baseUrl: 'https://a.test' });
  });
});

describe('values', () => {
  test.each([
    { name: 'milliseconds', flags: { timeoutMs: '500ms' }, want: { timeoutMs: 500 } },
    { name: 'a bare number is seconds', flags: { timeoutMs: '5' }, want: { timeoutMs: 5000 } },
    { name: 'minutes', flags: { greylistWaitMs: '5m' }, want: { greylistWaitMs: 300_000 } },
    { name: 'hours', flags: { greylistWaitMs: '1.5h' }, want: { greylistWaitMs: 5_400_000 } },
    { name: 'no waiting', flags: { greylistWaitMs: '0' }, want: { greylistWaitMs: 0 } },
    {
      name: 'repeated flags',
      set: { resolvers: ['127.0.0.1:53', '[::1]:5353'] },
      want: { resolvers: ['127.0.0.1:53', '[::1]:5353'] },
    },
    { name: 'a false flag', flags: { ai: false }, want: { ai: false } },
    {
      name: 'networks',
      set: { allowNetworks: ['10.0.0.0/8', 'fd00::/8'] },
      want: { allowNetworks: ['10.0.0.0/8', 'fd00::/8'] },
    },
    { name: 'the null sender', flags: { mailFrom: '<>' }, want: { mailFrom: '<>' } },
    ...['192.0.2.7', '::1', '2001:db8::7', 'fd00::1'].map((sourceIp) => ({
      name: `to dial from ${sourceIp}`,
      set: { sourceIp },
      want: { sourceIp },
    })),
    {
      name: 'a proxy with a password',
      set: { proxy: 'socks5://u:p@127.0.0.1:1080' },
      want: { proxy: 'socks5://u:p@127.0.0.1:1080' },
    },
  ])('flag: $name', ({ want, ...input }) => expect(resolve(input).settings).toMatchObject(want));

  test.each([
    ['a number', { smtp_port: 2525 }, { smtpPort: 2525 }],
    ['a boolean', { ai: false }, { ai: false }],
    ['a list', { resolvers: ['127.0.0.1'] }, { resolvers: ['127.0.0.1'] }],
    ['a list in a text', { resolvers: '127.0.0.1, 127.0.0.2' }, { resolvers: ['127.0.0.1', '127.0.0.2'] }],
    ['an empty list', { resolvers: [] }, { resolvers: [] }],
    ['null is not set', { level: null }, { level: 'smtp' }],
  ])('file: %s', (_name, values, want) => expect(resolve({ file: fileWith(values) }).settings).toMatchObject(want));
});

describe('a bad value is a usage failure that names its source', () => {
  test.each([
    { name: 'flag', input: { flags: { level: 'deep' } }, place: '--level', allowed: 'syntax, dns, smtp' },
    { name: 'an empty flag', input: { set: { resolvers: [''] } }, place: '--set resolvers', allowed: 'an IP address' },
    {
      name: 'variable',
      input: { environment: { MAILVET_MODE: 'cloud' } },
      place: 'MAILVET_MODE',
      allowed: 'local, remote',
    },
    { name: 'file', input: { file: fileWith({ timeout: 'soon' }) }, place: '/c/config.json', allowed: '30s' },
    {
      name: 'a number of the wrong kind',
      input: { file: fileWith({ smtp_port: 2.5 }) },
      place: '/c/config.json',
      allowed: '65535',
    },
    { name: 'an object', input: { file: fileWith({ level: {} }) }, place: '/c/config.json', allowed: 'syntax' },
    { name: 'port 0', input: { set: { smtpPort: '0' } }, place: '--set smtp_port', allowed: '1 to 65535' },
    {
      name: 'a base URL with a user',
      input: { flags: { baseUrl: 'https://u:p@a.test' } },
      place: '--base-url',
      allowed: 'https',
    },
    {
      name: 'a base URL with another scheme',
      input: { flags: { baseUrl: 'ftp://a.test' } },
      place: '--base-url',
      allowed: 'https',
    },
    {
      name: 'an invalid network',
      input: { set: { allowNetworks: ['10.0.0.0/33'] } },
      place: '--set allow_networks',
      allowed: '10.0.0.0/8',
    },
    {
      name: 'a resolver with a bad port',
      input: { set: { resolvers: ['127.0.0.1:99999'] } },
      place: '--set resolvers',
      allowed: 'an IP address or a name, with its port',
    },
    ...['0.0.0.0', '::', '0:0::0', '224.0.0.1', 'ff02::1', '::ffff:127.0.0.1', 'localhost', '10.0.0.0/8'].map(
      (sourceIp) => ({
        name: `${sourceIp} as an address to dial from`,
        input: { set: { sourceIp } },
        place: '--set source_ip',
        allowed: 'an IPv4 or IPv6 address of this machine',
      }),
    ),
    {
      name: 'a proxy with another scheme',
      input: { set: { proxy: 'http://127.0.0.1' } },
      place: '--set proxy',
      allowed: 'socks5',
    },
    {
      name: 'an EHLO name with a space',
      input: { set: { ehloName: 'a b' } },
      place: '--set ehlo_name',
      allowed: 'host name',
    },
  ])('$name', ({ input, place, allowed }) => {
    const failure = failureOf(() => resolve(input));
    expect(failure.code).toBe('usage');
    expect(failure.message).toContain(place);
    expect(failure.hint).toContain(allowed);
  });

  test('a bad key is not repeated', () => {
    const failure = failureOf(() => resolve({ environment: { MAILVET_API_KEY: 'with a space' } }));
    expect(failure.message).not.toContain('with a space');
  });

  test('the JSON of "keys create" is not a key', () => {
    const json = '{"id":"3f2a91c0","key":"mv_123"}';
    const failure = failureOf(() => resolve({ environment: { MAILVET_API_KEY: json } }));
    expect(failure.hint).toContain('only the field "key"');
    expect(JSON.stringify(failure)).not.toContain('mv_123');
  });
});

test.each([
  { baseUrl: 'http://me:hush@127.0.0.1:9' },
  { baseUrl: 'https://hush@site.example' },
  { proxy: 'http://me:hush@127.0.0.1:1080' },
  { proxy: 'socks4://me:pa@hush@127.0.0.1' },
])('a password in a value that is refused is not repeated: %o', (flags) => {
  const { message } = failureOf(() => resolve({ flags }));
  expect(message).toContain('//********@');
  expect(message).not.toContain('hush');
});

describe('profiles', () => {
  const file = fileWith({ level: 'dns' }, 'default', { work: { level: 'syntax' } });
  test.each([
    ['the flag', { profile: 'work' }, 'syntax'],
    ['the variable', { environment: { MAILVET_PROFILE: 'work' } }, 'syntax'],
    ['the active profile', { file: { ...file, stored: { ...file.stored, profile: 'work' } } }, 'syntax'],
    ['default', {}, 'dns'],
    ['a new profile is empty', { profile: 'new', newProfile: true }, 'smtp'],
  ])('are chosen by %s', (_name, input, level) => expect(resolve({ file, ...input }).settings.level).toBe(level));

  test('a profile that does not exist is a usage failure that lists the others', () => {
    expect(failureOf(() => resolve({ file, profile: 'wrok' })).hint).toContain('default, work');
  });

  test('an invalid name is refused', () => {
    expect(failureOf(() => resolve({ file, profile: '../x', newProfile: true })).code).toBe('usage');
  });
});

test('a stored key that this version does not know is a note, not a failure', () => {
  expect(resolve({ file: fileWith({ flavour: 'sweet' }) }).notes.join()).toContain('flavour');
});

test('keys, variables and flags are unique', () => {
  const keys = settingFields.map((field) => definitionOf(field).key);
  const flags = settingFields.flatMap((field) => definitionOf(field).flag ?? []);
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(flags).size).toBe(flags.length);
  expect(variableOf('api_key')).toBe('MAILVET_API_KEY');
});

test('--set takes any setting, adds up lists, and wins over variables', () => {
  const set = parseSetFlags([
    'timeout=3s',
    'resolvers=127.0.0.1',
    'resolvers=127.0.0.2',
    'serve.max-rows=5',
    'tls_key=a=b',
  ]);
  const { settings, sources } = resolve({ set, environment: { MAILVET_TIMEOUT: '9s' } });
  expect(settings).toMatchObject({ timeoutMs: 3000, serveMaxRows: 5, serveTlsKey: 'a=b' });
  expect(settings.resolvers).toEqual(['127.0.0.1', '127.0.0.2']);
  expect(sources.timeoutMs).toEqual({ from: 'flag', name: '--set timeout' });
});

test.each([
  { word: 'timeout', says: /KEY=VALUE/ },
  { word: 'timout=3s', says: /Did you mean timeout/ },
  { word: 'api_key=mv_1', says: /mailvet login/ },
])('--set $word is refused', ({ word, says }) => expect(failureOf(() => parseSetFlags([word])).hint).toMatch(says));

test('every default survives being stored', () => {
  for (const field of settingFields) {
    const { key, kind, default: fallback } = definitionOf(field);
    if (fallback === null || fallback === undefined) continue;
    const { settings } = resolve({ file: fileWith({ [key]: kind.encode(fallback) }) });
    expect(settings[field]).toEqual(fallback);
  }
});

function failureOf(work: () => unknown): Failure {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error('It did not fail.');
}
