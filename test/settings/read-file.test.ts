import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findFolders } from '../../src/settings/folders.js';
import { readSettingsFile } from '../../src/settings/read-file.js';
import { maskSecret, passwordsIn, redact } from '../../src/settings/secrets.js';
import { hidePassword } from '../../src/settings/value-kinds.js';
import { changeSettingsFile, withValue } from '../../src/settings/write-file.js';
import { freshFolder } from '../cli/run-cli.js';

describe('reading', () => {
  test('a missing file counts as empty', () => {
    expect(readSettingsFile(join(freshFolder(), 'config.json')).stored).toEqual({ profile: 'default', profiles: {} });
  });

  test.each([
    { name: 'half a file', text: '{"profiles": {"default": {"api_key": "s3cret' },
    { name: 'an array', text: '[]' },
    { name: 'profiles that are not an object', text: '{"profiles": 3}' },
    { name: 'a profile that is not an object', text: '{"profiles": {"default": "x"}}' },
  ])('$name is refused with the path and the next step, and without its text', ({ text }) => {
    const path = join(freshFolder(), 'config.json');
    writeFileSync(path, text, { mode: 0o600 });
    const read = (): unknown => readSettingsFile(path);
    expect(read).toThrow(path);
    expect(read).toThrow(expect.objectContaining({ code: 'usage', hint: expect.stringContaining('mv ') }));
    expect(read).not.toThrow('s3cret');
  });

  test.each([
    { mode: 0o644, text: '{"profiles":{"default":{"api_key":"k"}}}', notes: 1 },
    { mode: 0o600, text: '{"profiles":{"default":{"api_key":"k"}}}', notes: 0 },
    { mode: 0o644, text: '{"profiles":{"default":{"level":"dns"}}}', notes: 0 },
    { mode: 0o644, text: '{"profiles":{"default":{"store":"postgres://ann:secret@db/mailvet"}}}', notes: 1 },
    { mode: 0o644, text: '{"profiles":{"default":{"store":"postgres://ann@db/mailvet"}}}', notes: 0 },
  ])('a file with a secret that others can read is noted: $mode $text', ({ mode, text, notes }) => {
    const path = join(freshFolder(), 'config.json');
    writeFileSync(path, text);
    chmodSync(path, mode);
    expect(readSettingsFile(path).notes).toHaveLength(notes);
  });
});

describe('writing', () => {
  test('creates a folder and a file for the owner only, and leaves nothing else behind', async () => {
    const folder = join(freshFolder(), 'a', 'mailvet');
    const path = join(folder, 'config.json');
    await changeSettingsFile(path, (stored) => withValue(stored, 'default', 'level', 'dns'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toEqual(['config.json']);
    expect(readSettingsFile(path).stored.profiles).toEqual({ default: { level: 'dns' } });
  });

  test('concurrent changes are all kept, and leave no lock behind', async () => {
    const path = join(freshFolder(), 'config.json');
    const names = Array.from({ length: 8 }, (_, index) => `p${index}`);
    await Promise.all(
      names.map((name) => changeSettingsFile(path, (stored) => withValue(stored, name, 'api_key', `key of ${name}`))),
    );
    expect(Object.keys(readSettingsFile(path).stored.profiles).sort()).toEqual(names);
    expect(readdirSync(dirname(path))).toEqual(['config.json']);
  });

  test('keeps other values, and makes a file private that others could read', async () => {
    const path = join(freshFolder(), 'config.json');
    const before = { profile: 'a.b', profiles: { 'a.b': { level: 'dns', strange: 1 }, other: { mode: 'remote' } } };
    writeFileSync(path, JSON.stringify(before), { mode: 0o644 });
    await changeSettingsFile(path, (stored) => withValue(stored, 'a.b', 'timeout', '5s'));
    await changeSettingsFile(path, (stored) => withValue(stored, 'a.b', 'level', undefined));
    const after = { profile: 'a.b', profiles: { 'a.b': { strange: 1, timeout: '5s' }, other: { mode: 'remote' } } };
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(after);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a file in place of the folder is a storage failure', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'blocked'), '');
    const path = join(folder, 'blocked', 'config.json');
    await expect(changeSettingsFile(path, (stored) => stored)).rejects.toMatchObject({ code: 'storage' });
  });

  test('a corrupt file is not overwritten', async () => {
    const path = join(freshFolder(), 'config.json');
    writeFileSync(path, '{oops', { mode: 0o600 });
    await expect(changeSettingsFile(path, (stored) => stored)).rejects.toMatchObject({ code: 'usage' });
    expect(readFileSync(path, 'utf8')).toBe('{oops');
  });

  test.each(['a directory', 'a named pipe', 'a device that never ends'])(
    '%s in place of the file is refused',
    (kind) => {
      const path = join(freshFolder(), 'config.json');
      if (kind === 'a directory') mkdirSync(path);
      else if (kind === 'a named pipe') execFileSync('mkfifo', [path]);
      else symlinkSync('/dev/zero', path);
      expect(() => readSettingsFile(path)).toThrow(
        expect.objectContaining({ code: 'usage', message: expect.stringContaining('it is not a regular file') }),
      );
    },
  );
});

describe('places', () => {
  const home = '/home/u';
  test.each([
    [
      'our own variables take precedence',
      'linux',
      { MAILVET_HOME: '/d', MAILVET_CONFIG_DIR: '/c', XDG_DATA_HOME: '/x' },
      ['/c', '/d'],
    ],
    ['XDG', 'linux', { XDG_CONFIG_HOME: '/xc', XDG_DATA_HOME: '/xd' }, ['/xc/mailvet', '/xd/mailvet']],
    ['linux', 'linux', {}, ['/home/u/.config/mailvet', '/home/u/.local/share/mailvet']],
    ['macOS', 'darwin', {}, ['/home/u/Library/Preferences/mailvet', '/home/u/Library/Application Support/mailvet']],
    [
      'a relative XDG path is ignored, so that the current folder cannot provide settings',
      'linux',
      { XDG_CONFIG_HOME: '.config', XDG_DATA_HOME: 'data' },
      ['/home/u/.config/mailvet', '/home/u/.local/share/mailvet'],
    ],
    [
      'an empty variable counts as unset',
      'linux',
      { MAILVET_HOME: '' },
      ['/home/u/.config/mailvet', '/home/u/.local/share/mailvet'],
    ],
  ])('%s', (_name, platform, environment, want) => {
    const { configDir, dataDir } = findFolders(environment, platform, home);
    expect([configDir, dataDir]).toEqual(want);
  });
});

describe('secrets', () => {
  test.each([
    { secret: 'mv_live_0123456789abcdef9f3c', shown: '********9f3c' },
    { secret: 'short-key', shown: '********' },
  ])('$secret is shown as $shown', ({ secret, shown }) => expect(maskSecret(secret)).toBe(shown));

  test('a secret is removed from a text, raw and percent-encoded', () => {
    const secret = 'mv/live+0123456789abcdef9f3c';
    expect(redact(`a ${secret} b ${encodeURIComponent(secret)}`, [secret, ''])).toBe('a ********9f3c b ********9f3c');
  });

  test.each([
    { url: 'postgres://u:secret@h/db', passwords: ['secret'] },
    { url: 'postgres://u:p@ss:word@h/db', passwords: ['p@ss:word'] },
    { url: 'postgres://u:a%40b@h/db', passwords: ['a%40b', 'a@b'] },
    { url: 'socks5://u:secret@h:1080', passwords: ['secret'] },
    { url: 'postgres://h/db?user=u&password=secret&sslmode=require', passwords: ['secret'] },
    { url: 'postgres://h:5432/db?options=a:b@c', passwords: [] },
  ])('the passwords in $url are found and hidden', ({ url, passwords }) => {
    expect([...new Set(passwordsIn(url))]).toEqual(passwords);
    for (const password of passwords) expect(hidePassword(url)).not.toContain(password);
  });
});
