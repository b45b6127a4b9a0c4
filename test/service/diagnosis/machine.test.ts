import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openSqlite } from '../../../src/jobs/store/sqlite/open-sqlite.js';
import { Failure } from '../../../src/model/failure.js';
import { checkLists, checkNode, checkSettings } from '../../../src/service/diagnosis/machine.js';
import { checkDataDirectory, checkJobStore } from '../../../src/service/diagnosis/storage.js';

const root = mkdtempSync(join(tmpdir(), 'mailvet-doctor-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each([
  ['20.18.1', 'ok'],
  ['20.18.0', 'fail'],
  ['18.20.4', 'fail'],
  ['20.19.0', 'ok'],
  ['24.0.0', 'ok'],
])('Node %s is %s', (version, state) => expect(checkNode(version).state).toBe(state));

describe('settings', () => {
  let fileCount = 0;
  const folder = (mode: number, fileMode: number | null): string => {
    const path = join(root, `settings-${fileCount++}`);
    mkdirSync(path);
    const file = join(path, 'config.json');
    if (fileMode !== null) {
      writeFileSync(file, '{}');
      chmodSync(file, fileMode);
    }
    chmodSync(path, mode);
    return file;
  };

  test.each([
    { name: 'no settings file passes', folder: 0o755, file: null, holdsKey: false, want: { state: 'ok' } },
    { name: 'a private file passes', folder: 0o700, file: 0o600, holdsKey: true, want: { state: 'ok' } },
    {
      name: 'a key that others can read is broken',
      folder: 0o711,
      file: 0o644,
      holdsKey: true,
      want: { state: 'fail', code: 'bad_input', facts: { mode: '0644' } },
    },
    {
      name: 'a key that only its folder protects is a warning',
      folder: 0o700,
      file: 0o644,
      holdsKey: true,
      want: { state: 'warn', message: expect.stringContaining('cannot read them') },
    },
    {
      name: 'a file without a key that others can read is a warning',
      folder: 0o700,
      file: 0o644,
      holdsKey: false,
      want: { state: 'warn' },
    },
    {
      name: 'a folder that others can read is a warning, too',
      folder: 0o755,
      file: 0o600,
      holdsKey: true,
      want: { state: 'warn', facts: { directory_mode: '0755' } },
    },
  ])('$name', ({ folder: mode, file, holdsKey, want }) => {
    const path = folder(mode, file);
    const facts = { path, problem: null, containsSecret: holdsKey, notes: [] };
    expect(checkSettings(facts, 'linux', () => true)).toMatchObject(want);
  });

  test('the command of the hint fixes both', () => {
    const path = folder(0o755, 0o644);
    const facts = { path, problem: null, containsSecret: false, notes: [] };
    const { hint } = checkSettings(facts, 'linux', () => true);
    expect(hint).toBe(`Run: chmod 600 '${path}' && chmod 700 '${join(path, '..')}'`);
  });

  test('a folder above protects them', () => {
    const facts = { path: folder(0o755, 0o644), problem: null, containsSecret: true, notes: [] };
    // `mkdtemp` makes a folder that only its owner may enter.
    expect(checkSettings(facts, 'linux')).toMatchObject({ state: 'ok' });
  });

  test('an unusable file is reported', () => {
    const problem = new Failure('usage', 'It is not JSON.', { hint: 'Mend it.' });
    const check = checkSettings({ path: join(root, 'none'), problem, containsSecret: false, notes: [] });
    expect(check).toMatchObject({ state: 'fail', code: 'usage', message: 'It is not JSON.', hint: 'Mend it.' });
  });

  test('notes about the settings are a warning', () => {
    const path = folder(0o700, 0o600);
    expect(checkSettings({ path, problem: null, containsSecret: false, notes: ['Unknown: x.'] })).toMatchObject({
      state: 'warn',
      message: 'Unknown: x.',
    });
  });
});

describe('lists', () => {
  const sources = () => ({ generated: '2026-01-01', files: [{ file: 'a.txt', what: '', entries: 3, sources: [] }] });

  test.each([
    ['2026-01-01', 'ok', 'today'],
    ['2026-01-02', 'ok', 'yesterday'],
    ['2026-06-30', 'ok', '180 days ago'],
    ['2026-07-01', 'warn', '181 days ago'],
    ['2025-01-01', 'ok', 'today'],
  ])('on %s: %s', (day, state, age) => {
    const check = checkLists(Date.parse(day), null, sources);
    expect(check).toMatchObject({ state, facts: { entries: 3 } });
    expect(check.message).toContain(age);
  });

  test('that are missing are a failure', () => {
    const missing = () => {
      throw new Failure('internal', 'The bundled data file sources.json cannot be read.');
    };
    expect(checkLists(0, null, missing)).toMatchObject({ state: 'fail', code: 'storage' });
  });
});

describe('the data directory', () => {
  test.each([
    { name: 'a missing directory is not created', make: null, want: { state: 'ok' } },
    { name: 'a private directory passes', make: 0o700, want: { state: 'ok', facts: { mode: '0700' } } },
    { name: 'a directory that others can read is a warning', make: 0o755, want: { state: 'warn' } },
    {
      name: 'a directory that others can write is a warning',
      make: 0o777,
      want: { state: 'warn', message: expect.stringContaining('can read and change') },
    },
  ])('$name', ({ make, want }) => {
    const home = join(root, 'homes', String(make));
    if (make !== null) {
      mkdirSync(home, { recursive: true });
      chmodSync(home, make);
    }
    expect(checkDataDirectory(home, 'linux', () => true)).toMatchObject(want);
    expect(existsSync(home)).toBe(make !== null);
    if (make !== null) expect(readdirSync(home)).toEqual([]);
  });

  test('a folder above protects it', () => {
    const home = join(root, 'protected');
    mkdirSync(home);
    chmodSync(home, 0o755);
    expect(checkDataDirectory(home, 'linux')).toMatchObject({ state: 'ok', facts: { mode: '0755' } });
  });

  test.each([
    { name: 'a file', beneath: '' },
    { name: 'a path below a file', beneath: 'deeper/down' },
  ])('$name is not one', ({ beneath }) => {
    const file = join(root, 'a-file');
    writeFileSync(file, '');
    expect(checkDataDirectory(join(file, beneath))).toMatchObject({ state: 'fail', code: 'storage' });
  });
});

describe('the job store', () => {
  const check = (home: string) => checkJobStore(home, null, 5_000);

  test('that does not exist is not created', async () => {
    const home = join(root, 'no-store');
    expect(await check(home)).toMatchObject({ state: 'skipped' });
    expect(existsSync(home)).toBe(false);
  });

  test('that opens is healthy', async () => {
    await (await openSqlite(join(root, 'good', 'store.db'))).close();
    expect(await check(join(root, 'good'))).toMatchObject({ state: 'ok', facts: { jobs: 0, keys: 0 } });
  });

  test.each([
    { owner: 'local', facts: { jobs: 2, own_jobs: 2 }, says: '(2 jobs, a write' },
    { owner: 'key 1', facts: { jobs: 2, own_jobs: 1 }, says: '(2 jobs: 1 of the command line, 1 of the service, a' },
  ])('counts the jobs of $owner', async ({ owner, facts, says }) => {
    const home = join(root, `jobs of ${owner}`);
    const sqlite = await openSqlite(join(home, 'store.db'));
    const add = `INSERT INTO jobs (id, owner, upload_id, filename, email_column, options, total, unique_total, created_at, state)
      VALUES (?, ?, 'u', 'f', 'e', '{}', 1, 1, 0, 'completed')`;
    await sqlite.write((sql) => {
      sql.run(add, 'one', 'local');
      sql.run(add, 'another', owner);
    });
    await sqlite.close();
    const found = await check(home);
    expect(found).toMatchObject({ state: 'ok', facts });
    expect(found?.message).toContain(says);
  });

  test('of a newer version stays unchanged', async () => {
    const sqlite = await openSqlite(join(root, 'new', 'store.db'));
    await sqlite.write((sql) => sql.run('PRAGMA user_version = 99'));
    await sqlite.close();
    const found = await check(join(root, 'new'));
    expect(found).toMatchObject({ state: 'fail', code: 'storage' });
    expect(found?.message).toContain('newer mailvet');
  });

  test('that is another file is reported as damaged', async () => {
    mkdirSync(join(root, 'not-a-store'));
    writeFileSync(join(root, 'not-a-store', 'store.db'), 'x'.repeat(5000));
    expect(await check(join(root, 'not-a-store'))).toMatchObject({ state: 'fail', code: 'storage' });
  });
});
