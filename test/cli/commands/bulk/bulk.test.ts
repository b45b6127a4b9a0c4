import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ListService } from '../../../../src/lists/pipeline.js';
import { Failure } from '../../../../src/model/failure.js';
import { fakeService, resultOf } from '../../../fakes/service.js';
import { freshFolder, runCli } from '../../run-cli.js';

const lines = 'a@b.co\ninvalid@b.co\na@b.co\nrisky@b.co\nunknown@b.co\n';
const piped = (stdin: string) => ({ tty: false, stdin });

function fileWith(name: string, text: string | Buffer): string {
  const path = join(freshFolder(), name);
  writeFileSync(path, text);
  return path;
}

describe('formats', () => {
  test('writes NDJSON to a pipe: full results in input order, with duplicates marked', async () => {
    const { out, status } = await runCli(['bulk'], piped(lines));
    const results = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results[0]).toEqual(resultOf('a@b.co'));
    expect(results.map(({ email, duplicate }) => [email, duplicate ?? false])).toEqual([
      ['a@b.co', false],
      ['invalid@b.co', false],
      ['a@b.co', true],
      ['risky@b.co', false],
      ['unknown@b.co', false],
    ]);
    expect(status).toBe(0);
  });

  test('--json prints the documented summary, whose counts sum to the total', async () => {
    const summary = JSON.parse((await runCli(['bulk', '-', '--json'], piped(lines))).out);
    expect(summary).toMatchObject({
      total: 5,
      valid_count: 1,
      invalid_count: 1,
      risky_count: 1,
      unknown_count: 1,
      duplicate_count: 1,
      credits_used: 4,
    });
    expect(summary.results[1]).toEqual({
      email: 'invalid@b.co',
      status: 'invalid',
      sub_status: 'invalid_for_test',
      is_valid: false,
      confidence: 0.95,
      safe_to_send: false,
      did_you_mean: null,
    });
    expect(summary.results).toHaveLength(5);
  });

  test('counts an unknown status as unknown', async () => {
    const service = fakeService({}, (email) => resultOf(email, { status: 'purple' }));
    const { out } = await runCli(['bulk', '--json'], { ...piped('a@b.co\n'), service });
    expect(JSON.parse(out)).toMatchObject({ unknown_count: 1, valid_count: 0 });
  });

  test.each([
    ['plain and --only filter a pipe like grep', ['--format', 'plain', '--only', 'valid'], 'a@b.co\na@b.co\n'],
    ['fields of NDJSON', ['--fields', 'status', '--only', 'risky'], '{"status":"risky"}\n'],
    [
      'fields of CSV',
      ['--format', 'csv', '--fields', 'email,is_valid', '--only', 'risky'],
      'email,is_valid\nrisky@b.co,false\n',
    ],
    [
      '--only filters rows of the summary',
      ['--json', '--only', 'risky', '--fields', 'email'],
      /^\{"results":\[\n\{"email":"risky@b.co"\}\n\],"total":5/,
    ],
  ])('%s', async (_name, args, want) => {
    const { out } = await runCli(['bulk', ...args], piped(lines));
    if (typeof want === 'string') expect(out).toBe(want);
    else expect(out).toMatch(want);
  });

  test('prints a table on a terminal, and the counts on stderr', async () => {
    const { out, err } = await runCli(['bulk', fileWith('in.txt', lines)]);
    expect(out).toMatch(/^STATUS.*\n✔ valid .*a@b\.co/);
    expect(out).toContain('duplicate');
    expect(err).toContain('✔ 1 valid   ▲ 1 risky   ✖ 1 invalid   ? 1 unknown');
    expect(err).toContain('1 duplicate');
    expect(err).toMatch(/Next +mailvet bulk [\s\S]*--max-age 1d\n +asks the unknown one again/);
  });

  test.each([
    { name: 'a terminal', tty: true, args: ['--quiet'], want: /a@b\.co\n\n✔ valid +95% +c@b\.co/ },
    { name: 'a pipe', tty: false, args: ['--format', 'plain'], want: /^a@b\.co\nc@b\.co\n$/ },
  ])('rows after Ctrl-C start on a new line of $name', async ({ tty, args, want }) => {
    const controller = new AbortController();
    const service = fakeService({
      async *validateMany(chunks) {
        for await (const [first = '', second = ''] of chunks) {
          yield [{ result: resultOf(first), duplicate: false }];
          await setTimeout(20);
          controller.abort();
          yield [{ result: resultOf(second), duplicate: false }];
        }
      },
    });
    const path = fileWith('in.txt', 'a@b.co\nc@b.co\n');
    const { out, status } = await runCli(['bulk', path, ...args], { service, tty, signal: controller.signal });
    expect(out).toMatch(want);
    expect(status).toBe(130);
  });

  test('a table in a file has the reasons in its summary', async () => {
    expect((await runCli(['bulk', '--format', 'table'], piped(lines))).err).toContain('✖  1  invalid for test');
  });

  test('uses ASCII on a screen that shows only ASCII', async () => {
    const { out, err } = await runCli(['bulk', fileWith('in.txt', lines)], { unicode: false });
    expect(err).toContain('+ 1 valid   ! 1 risky   x 1 invalid   ? 1 unknown');
    expect(out + err).toMatch(/^[\n\x20-\x7e]+$/);
  });

  test.each([
    ['a table has totals, on a terminal or not', ['--format', 'table'], /^\n✔ 1 valid .* 1 address\n/],
    ['a log has one closing line', [], /^note: 1 valid, 0 risky, 0 invalid, 0 unknown in \d+ ms\n$/],
    ['--quiet omits totals', ['--format', 'table', '-q'], /^$/],
  ])('%s', async (_name, args, err) => expect((await runCli(['bulk', ...args], piped('a@b.co\n'))).err).toMatch(err));
});

test.each([
  ['all columns', 'id,email,__proto__\n1,a@b.co,x\n', '{"id":"1","email":"a@b.co","__proto__":"x"}'],
  ['cells beyond one column', 'email\na@b.co,x\n', '{"email":"a@b.co","column_2":"x"}'],
  ['no addresses alone', 'email\na@b.co\n', undefined],
])('input: NDJSON has the cells of a table: %s', async (_name, list, want) => {
  const { out } = await runCli(['bulk', fileWith('cells.csv', list)], { tty: false });
  expect(out.match(/"input":(\{.*\})\}\n/)?.[1]).toBe(want);
});

describe('a list without addresses is noted, but is not a failure', () => {
  const header = 'email,mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean';
  test.each([
    { name: 'an empty pipe', stdin: '', args: [], out: '' },
    { name: 'blank lines', stdin: '\n \n', args: [], out: '' },
    { name: 'comments alone', stdin: '# nobody yet\n', args: [], out: '' },
    { name: 'an empty JSON array', stdin: '[]', args: [], out: '' },
    { name: 'a CSV with only a header', stdin: 'id,email\n', args: ['--format', 'csv'], out: `id,${header}\n` },
    { name: 'an empty input, read as CSV', stdin: '', args: ['--format', 'csv'], out: `${header}\n` },
  ])('$name', async ({ stdin, args, out }) => {
    const run = await runCli(['bulk', ...args], piped(stdin));
    expect(run).toMatchObject({ status: 0, out, err: 'note: The list has no addresses.\n' });
  });
});

test('a pipe without a byte replaces no output', async () => {
  const out = fileWith('out.csv', 'good\n');
  const run = (stdin: string) => runCli(['bulk', '-o', out, '--quiet'], piped(stdin));
  expect(await run('')).toMatchObject({ status: 2, err: expect.stringContaining('The standard input is empty') });
  expect(await run('\n')).toMatchObject({ status: 1, err: expect.stringContaining('The list has no addresses.') });
  expect(readFileSync(out, 'utf8')).toBe('good\n');
});

test.each([
  { failOn: [], status: 0 },
  { failOn: ['--fail-on', 'empty'], status: 0 },
  { failOn: ['--fail-on', 'invalid'], status: 1 },
  { failOn: ['--fail-on', 'risky,unknown'], status: 1 },
])('exit status: $failOn', async ({ failOn, status }) => {
  expect((await runCli(['bulk', ...failOn], piped(lines))).status).toBe(status);
});

describe('-o', () => {
  test.each([
    { name: '--format takes precedence', file: 'out.xlsx', args: ['--format', 'plain'], want: /^a@b\.co\n$/ },
    { name: 'a name without an extension gets the format of a pipe', file: 'out', args: [], want: /^\{"email"/ },
    { name: 'a hidden file has no extension', file: '.out', args: [], want: /^\{"email"/ },
    { name: 'an extension in capitals is recognized', file: 'OUT.CSV', args: [], want: /a@b\.co,valid/ },
    { name: 'the same format may be given twice', file: 'out.json', args: ['--json', '--format', 'json'], want: /^\{/ },
  ])('$name', async ({ file, args, want }) => {
    const path = join(freshFolder(), file);
    const { status, out } = await runCli(['bulk', '-o', path, ...args], piped('a@b.co\n'));
    expect({ status, out }).toEqual({ status: 0, out: '' });
    expect(readFileSync(path, 'utf8')).toMatch(want);
  });

  test('a note says that --json takes precedence over an extension', async () => {
    const path = join(freshFolder(), 'out.csv');
    const { err } = await runCli(['bulk', '--json', '-o', path], piped('a@b.co\n'));
    expect(err).toContain(`${path} is written as json, whatever its extension says.`);
  });

  test('replaces the file atomically, and keeps its mode', async () => {
    const path = fileWith('out.csv', 'old');
    chmodSync(path, 0o640);
    expect((await runCli(['bulk', '-o', path], piped(lines))).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(/^email,mailvet_status/);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(path, '..'))).toEqual(['out.csv']);
  });

  test('replaces the target of a link and keeps the link', async () => {
    const target = fileWith('target.txt', 'old');
    const link = join(freshFolder(), 'link.txt');
    symlinkSync(target, link);
    await runCli(['bulk', '-o', link], piped('a@b.co\n'));
    expect(readFileSync(target, 'utf8')).toBe('a@b.co\n');
  });

  test('leaves no file if nothing was written', async () => {
    const path = join(freshFolder(), 'out.txt');
    const service = fakeService({
      // biome-ignore lint/correctness/useYield: a back end that fails at once
      validateMany: async function* () {
        throw new Failure('network', 'No network.');
      },
    });
    await runCli(['bulk', '-o', path], { ...piped(lines), service });
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });
});

function failingAfterFirst(): ListService {
  return fakeService({
    validateMany: async function* (chunks) {
      for await (const [email = ''] of chunks) {
        yield [{ result: resultOf(email), duplicate: false }];
        throw new Failure('network', 'The line went dead.');
      }
    },
  });
}

test('--dry-run names one column, counts only domains that will be asked, and says what the run would', async () => {
  const one = fileWith('one.csv', 'email\nfoo@bar..com\n"a@x.com, b@y.com"\nc@d.co\n');
  const { out } = await runCli(['bulk', one, '--dry-run'], { tty: false });
  expect(JSON.parse(out)).toMatchObject({ columns: ['email'], unique: 3, domains: 1 });
  const two = fileWith('two.csv', 'email,alt\nJane <a@b.co>,c@d.co\n');
  const screen = await runCli(['bulk', two, '--dry-run'], { columns: 200 });
  expect(screen.out).toMatch(/^column "email" \(also has addresses: "alt"\) · 1 unique address in 1 row · level smtp/);
  expect(screen.err).not.toContain('Read 1 row');
  const { err } = await runCli(['bulk', two, '--dry-run'], { tty: false });
  expect(err).toContain('only the address is vetted');
  expect(err).toContain('Other columns hold addresses that are not vetted: "alt" (1 row).');
});

test('--dry-run of hybrid says how many may be sent, and why the others are not', async () => {
  const list = fileWith('hybrid.txt', 'a@b.co\nc@b.co\nno address\nd@mailinator.com\n');
  const { out } = await runCli(['bulk', list, '--dry-run', '--hybrid', '--base-url', 'https://b.co'], { tty: false });
  expect(JSON.parse(out)).toMatchObject({
    sent_at_most: 2,
    settled_here: { failed_syntax_check: 1, disposable: 1 },
  });
});

test('--dry-run does not count domains that are never asked', async () => {
  const emails = ['a@example.com', 'valid@sandbox.mailvet.test', 'a@[127.0.0.1]', 'a@[8.8.8.8]', 'a@b.co'];
  const list = fileWith('offline.txt', emails.join('\n'));
  const domainsWith = async (...flags: string[]): Promise<number> => {
    const { out } = await runCli(['bulk', list, '--dry-run', ...flags], { tty: false });
    return JSON.parse(out).domains;
  };
  expect(await domainsWith()).toBe(2);
  expect(await domainsWith('--level', 'dns')).toBe(1);
  expect(await domainsWith('--set', 'allow_networks=127.0.0.0/8')).toBe(3);
  expect(await domainsWith('--set', `allow_list=${fileWith('allow.txt', 'example.com\n')}`)).toBe(3);
});

describe('failures', () => {
  test('a summary of a stopped run is valid JSON, marked as incomplete', async () => {
    const { out } = await runCli(['bulk', '--json'], { ...piped(lines), service: failingAfterFirst() });
    expect(JSON.parse(out)).toMatchObject({
      total: 2,
      incomplete: true,
      results: [{ email: 'a@b.co' }, { duplicate: true }],
    });
  });

  test('Ctrl-C keeps the finished rows and ends with 130', async () => {
    const controller = new AbortController();
    const service = fakeService({
      validateMany: async function* (chunks, options) {
        for await (const [email = ''] of chunks) {
          yield [{ result: resultOf(email), duplicate: false }];
          controller.abort();
          options?.signal?.throwIfAborted();
        }
      },
    });
    const run = await runCli(['bulk', '--format', 'plain'], { ...piped(lines), service, signal: controller.signal });
    expect(run).toMatchObject({ status: 130, out: 'a@b.co\na@b.co\n' });
    expect(run.err).toContain('Stopped after 2 rows.');
    expect(run.err).toContain('Pipe the list in again: the same command goes on with what was answered.');
  });

  const folder = join(freshFolder(), 'folder');
  mkdirSync(folder);
});
