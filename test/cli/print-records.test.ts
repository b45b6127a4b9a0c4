import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshFolder, runCli } from './run-cli.js';

const environment = { MAILVET_CONFIG_DIR: freshFolder() };

beforeAll(() => {
  const profiles = { default: { level: 'dns', resolvers: ['127.0.0.1', '127.0.0.2'] } };
  writeFileSync(join(environment.MAILVET_CONFIG_DIR, 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
});

describe('what a command prints', () => {
  const list = (args: string[], tty = false) =>
    runCli(['config', 'list', ...args], { tty, environment, columns: 120 }).then(({ out }) => out);

  test('is a table on a terminal, and one object a line in a pipe', async () => {
    expect(await list([], true)).toMatch(/^KEY +VALUE +FROM$/m);
    const rows = (await list([]))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toContainEqual(expect.objectContaining({ key: 'level', value: 'dns', source: 'file' }));
    expect(await list(['--format', 'table'])).toBe(await list([], true));
    expect(await list(['--format', 'ndjson'], true)).toBe(await list([]));
  });

  test('is one document under --json, cells as csv, names as plain, and a workbook as xlsx', async () => {
    expect(JSON.parse(await list(['--json']))).toMatchObject({ settings: { level: { value: 'dns' } } });
    expect(await list(['--format', 'csv'])).toMatch(/^key,value,source,from\nmode,local,default,default\n/);
    expect(await list(['--format', 'csv'])).toContain('\nresolvers,127.0.0.1 127.0.0.2,file,');
    expect(await list(['--format', 'plain'])).toMatch(/^mode\nbase_url\n/);
    expect(await list(['--format', 'xlsx'])).toMatch(/^PK/);
  });

  test.each([
    ['explain', 'catch_all'],
    ['lists', 'show'],
    ['doctor', '--no-probe', '--set', 'level=syntax'],
  ])('of %s %s is one object a line in a pipe', async (...args) => {
    const { out } = await runCli(args, { tty: false, environment });
    for (const line of out.trimEnd().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  });
});
