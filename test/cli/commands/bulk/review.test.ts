import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../../../src/cli/program.js';
import { Failure } from '../../../../src/model/failure.js';
import { fakeService, resultOf } from '../../../fakes/service.js';
import { freshFolder, runCli } from '../../run-cli.js';

let folder: string;
beforeEach(() => {
  folder = freshFolder();
});
const pathOf = (name: string): string => join(folder, name);
const put = (name: string, text: string): string => {
  writeFileSync(pathOf(name), text);
  return pathOf(name);
};
const get = (name: string): string => readFileSync(pathOf(name), 'utf8');
const list = 'id,email\n1,a@b.co\n2,invalid@b.co\n3,a@b.co\n4,risky@b.co\n5,unknown@b.co\n';
const bulk = (...args: string[]) => runCli(['bulk', ...args], { tty: false });

test('--clean with --resume reuses the answers of all its files', async () => {
  const path = put('list.csv', list);
  await bulk(path, '--clean');
  const reused: string[] = [];
  const service = fakeService({
    validateMany: async function* (_, options) {
      for await (const items of options?.answered ?? []) reused.push(...items.map(({ email }) => email));
      yield [];
    },
  });
  const args = ['bulk', path, '--clean', '--resume', pathOf('list.clean.csv'), '--only-unknown'];
  await runCli(args, { tty: false, service });
  expect(reused.sort()).toEqual(['a@b.co', 'a@b.co', 'invalid@b.co', 'risky@b.co']);
});

test.each([
  { output: 'out.ndjson', extra: [], notes: true },
  { output: 'out.ndjson', extra: ['--fields', 'email,status,details.domain'], notes: true },
  { output: 'out.ndjson', extra: ['--fields', 'email,status,duplicate'], notes: false },
  { output: 'out.csv', extra: [], notes: false },
])('a note counts the answers of $output $extra that lose their details', async ({ output, extra, notes }) => {
  const args = ['bulk', put('list.csv', list), '-o', pathOf(output), ...extra];
  await runCli(args, { tty: false });
  const service = fakeService({
    validateMany: async function* (chunks, options) {
      for await (const _ of options?.answered ?? []);
      for await (const emails of chunks)
        yield emails.map((email) => {
          const { details: _, ...result } = resultOf(email);
          return { result, duplicate: false, reused: true };
        });
    },
  });
  const { err } = await runCli([...args, '--resume', pathOf(output), '--only-unknown'], { tty: false, service });
  expect(err.includes('5 reused answers have their verdict only, no details.')).toBe(notes);
});

test('objects of a JSON list, which never have details, do not lose them', async () => {
  const list = put('list.ndjson', '{"email":"a@b.co","k":1}\n"b@b.co"\n{"email":"c@b.co"}\n');
  const output = pathOf('out.ndjson');
  await runCli(['bulk', list, '-o', output], { tty: false });
  const again = ['bulk', list, '-o', output, '--resume', output, '--only-unknown'];
  const service = fakeService({
    validateMany: async function* (chunks) {
      for await (const emails of chunks)
        yield emails.map((email) => {
          const { details: _, ...result } = resultOf(email);
          return { result, duplicate: false, reused: true };
        });
    },
  });
  const { err } = await runCli(again, { tty: false, service });
  expect(err).toContain('1 reused answer has its verdict only, no details.');
});

test('all notes on a list are before its summary, also on a slow terminal', async () => {
  const slow: typeof runProgram = (args, host) => {
    const { stderr } = host.terminal;
    const write: typeof stderr.write = async (data) => {
      if (String(data).startsWith('note')) await setTimeout(20);
      await stderr.write(data);
    };
    return runProgram(args, { ...host, terminal: { ...host.terminal, stderr: { ...stderr, write } } });
  };
  const path = put('list.csv', 'id,email\n1,"a@b.co, c@b.co"\n2,"a@b,co"\n3,a@b.co\n4,a@b.co\n');
  const { err } = await runCli(['bulk', path, '-o', pathOf('out.csv'), '--dedupe'], {}, slow);
  const notes = ['several addresses', 'comma or a blank', '--dedupe left out 1 row'].map((text) => err.indexOf(text));
  expect(notes).not.toContain(-1);
  expect(Math.max(...notes)).toBeLessThan(err.indexOf('Wrote'));
});

test.each([
  { name: 'duplicates', flags: [], rows: 5, says: 'Wrote           5 rows to standard output in' },
  { name: '--only', flags: ['--only', 'valid'], rows: 2, says: 'Wrote           2 rows to standard output in' },
  { name: 'as many rows as addresses', flags: ['--dedupe'], rows: 4, says: 'Took' },
])('the summary of a list in a pipe says how many rows were written: $name', async ({ flags, rows, says }) => {
  const piped: typeof runProgram = (args, host) =>
    runProgram(args, { ...host, terminal: { ...host.terminal, stdout: { ...host.terminal.stdout, isTty: false } } });
  const args = ['bulk', put('list.csv', list), '--format', 'plain', ...flags];
  const { out, err } = await runCli(args, {}, piped);
  expect(out.trim().split('\n')).toHaveLength(rows);
  expect(err).toContain(says);
});

test('--only and --fields can be given several times', async () => {
  const only = ['--only', 'invalid', '--only', 'risky', '--fields', 'email', '--fields', 'status'];
  const { out } = await bulk(put('list.csv', list), ...only, '--format', 'ndjson');
  expect(out).toBe('{"email":"invalid@b.co","status":"invalid"}\n{"email":"risky@b.co","status":"risky"}\n');
});

describe('guards', () => {
  test.each([
    { name: '--fail-on', args: ['--fail-on', 'invalid'], says: '1 address is invalid (--fail-on invalid).' },
    {
      name: '--max-unknown',
      args: ['--max-unknown', '7%'],
      says: '1 of 4 addresses is unknown, 25% (--max-unknown 7%)',
    },
    { name: '--min-rows', args: ['--min-rows', '6'], says: '5 rows were read, fewer than --min-rows 6' },
  ])(
    '$name: the old output stays, the new one is kept under another name, and stderr says so, even with --quiet',
    async ({ args, says }) => {
      put('out.csv', 'good\n');
      const { status, err } = await bulk(put('list.csv', list), '-o', pathOf('out.csv'), '--quiet', ...args);
      expect(status).toBe(1);
      expect(err).toContain(says);
      expect(err).toMatch(/out\.csv is unchanged; the output of this run is in \S+out\.csv\.rejected \(5 rows\)\./);
      expect(get('out.csv')).toBe('good\n');
      expect(get('out.csv.rejected').split('\n')).toHaveLength(7);
    },
  );

  test.each([
    { word: 'empty', says: '2 rows have no address (--fail-on empty).' },
    { word: 'suppressed', says: '1 address is suppressed (--fail-on suppressed).' },
  ])('--fail-on $word counts rows without a verdict', async ({ word, says }) => {
    const exclude = ['--exclude', put('stop.txt', 'a@b.co\n')];
    const path = put('list.csv', 'id,email\n1,\n2,n/a\n3,a@b.co\n4,b@b.co\n');
    const { status, err } = await bulk(path, '-o', pathOf('out.csv'), '--fail-on', word, ...exclude);
    expect([status, err]).toEqual([1, expect.stringContaining(says)]);
  });

  test('says that there is no output if there was none before', async () => {
    const { err } = await bulk(put('list.csv', list), '-o', pathOf('out.csv'), '--fail-on', 'invalid');
    expect(err).toMatch(/out\.csv was not written; the output of this run is in \S+out\.csv\.rejected \(5 rows\)\./);
  });

  test('names the earlier files of --clean that are unchanged', async () => {
    put('list.clean.csv', 'good\n');
    put('list.review.csv', 'good\n');
    const { err } = await bulk(put('list.csv', list), '--clean', '--fail-on', 'invalid,risky');
    expect(err).toContain('1 address is risky (--fail-on risky).');
    expect(err).toMatch(/\S+list\.clean\.csv, \S+list\.review\.csv are unchanged; the output of this run is in /);
  });

  test('--min-rows does not take the rows of --limit for the whole list', async () => {
    const { err } = await bulk(put('list.csv', list), '-o', pathOf('out.csv'), '--limit', '2', '--min-rows', '4');
    expect(err).toContain('warning: 2 rows were read, fewer than --min-rows 4.');
    expect(err).not.toContain('The list has');
  });

  test('says that duplicates of the last output do not count as gone', async () => {
    await bulk(put('list.csv', list), '-o', pathOf('out.csv'));
    const { err } = await bulk(put('list.csv', 'id,email\n1,new@b.co\n'), '-o', pathOf('out.csv'), '--max-gone', '10%');
    expect(err).toContain('4 of 4 addresses of the last output, without duplicates, are gone (--max-gone 10%).');
  });

  test('the rejected output is removed by a later run that passes', async () => {
    await bulk(put('list.csv', list), '-o', pathOf('out.csv'), '--fail-on', 'invalid');
    expect(existsSync(pathOf('out.csv.rejected'))).toBe(true);
    await bulk(pathOf('list.csv'), '-o', pathOf('out.csv'));
    expect(readdirSync(folder).sort()).toEqual(['list.csv', 'out.csv']);
  });

  test.each([
    ['--max-unknown', '25%'],
    ['--min-rows', '5'],
  ])('%s %s accepts the output', async (...args) => {
    expect((await bulk(put('list.csv', list), '-o', pathOf('out.csv'), ...args)).status).toBe(0);
    expect(existsSync(pathOf('out.csv'))).toBe(true);
  });

  test('keeps the old file if the resolver is down', async () => {
    put('out.csv', 'good\n');
    const service = fakeService({
      validateMany: async function* (chunks, options) {
        expect(options?.needsNetwork).toBe(true);
        const failed = { status: 'unknown', sub_status: 'dns_error' };
        for await (const emails of chunks) {
          yield emails.map((email) => ({ result: resultOf(email, failed), duplicate: false }));
        }
        throw new Failure('network', 'The DNS server did not answer.');
      },
    });
    const { status } = await runCli(['bulk', put('list.csv', 'a@b.co\n'), '-o', pathOf('out.csv')], {
      tty: false,
      service,
    });
    expect(status).toBe(4);
    expect(get('out.csv')).toBe('good\n');
  });

  test.each(['20', '101%', '-1%', 'x'])('--max-unknown %s is refused', async (share) => {
    expect((await bulk(put('list.csv', list), '--max-unknown', share)).status).toBe(2);
  });
});

describe('guards against the last output', () => {
  const head = 'email,mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean\n';
  /** Ten addresses: eight stay, one is gone, and one had another status. */
  const last = `${head}${Array.from({ length: 10 }, (_, at) => `${at === 9 ? 'invalid' : `p${at}`}@b.co,valid,,1,true,\n`).join('')}`;
  const now = `email\n${Array.from({ length: 9 }, (_, at) => `${at === 8 ? 'invalid' : `p${at}`}@b.co\n`).join('')}`;

  test.each([
    { args: ['--max-gone', '10%'], want: null },
    { args: ['--max-gone', '9%'], want: '1 of 10 addresses of the last output is gone (--max-gone 9%).' },
    { args: ['--max-changed', '10%'], want: null },
    { args: ['--max-changed', '5%'], want: '1 of 10 addresses of the last output is changed (--max-changed 5%).' },
    { args: ['--min-rows', '90%'], want: null },
    { args: ['--min-rows', '95%'], want: '9 addresses were read, but the last output had 10 (--min-rows 95%).' },
  ])('$args', async ({ args, want }) => {
    for (const since of [[], ['--since', pathOf('last.csv')]]) {
      put('out.csv', last);
      put('last.csv', last);
      const { status, err } = await bulk(put('list.csv', now), '-o', pathOf('out.csv'), '-q', ...args, ...since);
      expect(status).toBe(want === null ? 0 : 1);
      if (want === null) expect(get('out.csv')).not.toBe(last);
      else expect([get('out.csv'), err]).toEqual([last, expect.stringContaining(want)]);
      // The column is added only on request.
      expect(get(want === null ? 'out.csv' : 'out.csv.rejected').includes('mailvet_change')).toBe(since.length > 0);
    }
  });

  test('accept the first output, which has nothing to compare with', async () => {
    const args = ['-o', pathOf('first.csv'), '--max-gone', '1%', '--max-changed', '1%', '--min-rows', '80%'];
    expect((await bulk(put('list.csv', now), ...args)).status).toBe(0);
  });

  test.each([
    { file: 'out.txt', args: ['--max-gone', '10%'], isKept: false },
    { file: 'out', args: ['--max-gone', '10%', '--format', 'plain'], isKept: false },
    { file: 'out.txt', args: ['--since', 'out.txt'], isKept: false },
    { file: 'out.csv', args: ['--max-gone', '10%', '--fields', 'email,status'], isKept: false },
    { file: 'out.ndjson', args: ['--max-gone', '10%', '--fields', 'email'], isKept: false },
    { file: 'out.ndjson', args: ['--max-gone', '10%', '--fields', 'email,status'], isKept: true },
    { file: 'out.txt', args: ['--max-gone', '10%', '--format', 'csv'], isKept: true },
    { file: 'out.txt', args: ['--max-gone', '10%', '--since', 'last.csv'], isKept: true },
  ])('refuse an output that the next night cannot read: $file $args', async ({ file, args, isKept }) => {
    put('last.csv', last);
    const paths = args.map((arg) => (/^(?:out|last)\./.test(arg) ? pathOf(arg) : arg));
    for (const _night of [1, 2, 3]) {
      const { status, err } = await bulk(put('list.csv', now), '-o', pathOf(file), ...paths);
      expect(status).toBe(isKept ? 0 : 2);
      if (!isKept)
        expect(err).toContain(`needs the verdicts of the last output, which ${pathOf(file)} would not keep.`);
    }
  });

  test('refuse such an output by the name of a symbolic link, too', async () => {
    put('last.csv', last);
    symlinkSync(pathOf('last.csv'), pathOf('link.csv'));
    const args = ['--since', pathOf('link.csv'), '--fields', 'email', '-o', pathOf('last.csv')];
    const { status, err } = await bulk(put('list.csv', now), ...args);
    expect([status, err]).toEqual([2, expect.stringContaining('would not keep')]);
    expect(get('last.csv')).toBe(last);
  });

  test('are refused if nothing can be compared', async () => {
    const { status, err } = await bulk(put('list.csv', now), '--max-gone', '1%');
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining('--max-gone needs an earlier output') });
  });

  test('a file that is not an output is not replaced', async () => {
    put('out.csv', 'id,name\n1,Ada\n');
    const { status } = await bulk(put('list.csv', now), '-o', pathOf('out.csv'), '--max-gone', '1%');
    expect([status, get('out.csv')]).toEqual([2, 'id,name\n1,Ada\n']);
  });
});

describe('outputs that must not be replaced', () => {
  test.each(['--summary', '--report'])('%s creates no file called -', async (flag) => {
    const { status, err } = await bulk(put('list.csv', 'email\na@b.co\n'), flag, '-');
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining(`${flag} /dev/stdout`) });
  });

  test('a read-only file stays', async () => {
    put('out.csv', 'good\n');
    chmodSync(pathOf('out.csv'), 0o444);
    const { status, err } = await bulk(put('list.csv', 'email\na@b.co\n'), '-o', pathOf('out.csv'));
    expect([status, get('out.csv'), err]).toEqual([2, 'good\n', expect.stringContaining('is read-only')]);
    chmodSync(pathOf('out.csv'), 0o644);
  });
});

describe('what changed since an earlier output', () => {
  const earlier =
    'email,mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean\n' +
    'a@b.co,valid,,1,true,\ninvalid@b.co,valid,,1,true,\nleft@b.co,valid,,1,true,\n';

  test('marks each row, and counts each mailbox once', async () => {
    put('last.csv', earlier);
    const args = ['--since', pathOf('last.csv'), '-o', pathOf('out.csv'), '--summary', pathOf('sum.json')];
    expect((await bulk(put('list.csv', list), ...args)).status).toBe(0);
    const changes = get('out.csv')
      .trim()
      .split('\n')
      .map((line) => line.split(',').at(-1));
    expect(changes).toEqual(['mailvet_change', 'same', 'valid→invalid', 'same', 'new', 'new']);
    const { changes: counts, moves } = JSON.parse(get('sum.json'));
    expect(counts).toEqual({ new: 2, same: 1, changed: 1, gone: 1 });
    expect(moves).toEqual({ 'valid→invalid': 1 });
  });

  test('a guard refuses an output with a part of the rows, which the next run could not compare with', async () => {
    const args = [put('list.csv', list), '-o', pathOf('part.csv'), '--only', 'invalid'];
    expect(await bulk(...args, '--min-rows', '80%')).toMatchObject({
      status: 2,
      err: expect.stringContaining('--min-rows needs the verdicts of the last output'),
    });
    expect(await bulk(...args, '--min-rows', '2')).toMatchObject({ status: 0 });
  });

  test('nothing counts as gone if only a part of the list is read', async () => {
    const args = [put('list.csv', list), '-o', pathOf('all.csv')];
    await bulk(...args);
    const part = ['--since', pathOf('all.csv'), '--only-changed', '-o', pathOf('part.csv'), '--limit', '1'];
    expect(await bulk(pathOf('list.csv'), ...part)).toMatchObject({ status: 0 });
    expect(get('part.csv')).not.toContain('gone');
  });

  test('addresses that are suppressed since then are still in the list', async () => {
    put('list.csv', 'email\na@b.co\nc@b.co\nd@b.co\n');
    const args = [pathOf('list.csv'), '-o', pathOf('out.csv'), '--min-rows', '100%'];
    await bulk(...args);
    expect(await bulk(...args, '--exclude', put('stop.txt', 'c@b.co\n'))).toMatchObject({ status: 0 });
    expect(await bulk(...args, '--exclude', pathOf('stop.txt'))).toMatchObject({ status: 0 });
    put('list.csv', 'email\na@b.co\nc@b.co\n');
    const shorter = await bulk(...args, '--exclude', pathOf('stop.txt'));
    expect(shorter).toMatchObject({
      status: 1,
      err: expect.stringContaining('2 addresses were read, but the last output had 3'),
    });
  });

  test('a row without an address never counts as gone', async () => {
    for (const name of ['last.csv', 'last.ndjson']) {
      await bulk(put('list.csv', 'email,name\na@b.co,x\nn/a,y\n,z\n'), '-o', pathOf(name));
      await bulk(pathOf('list.csv'), '--since', pathOf(name), '-o', pathOf('out.csv'), '--summary', pathOf('sum.json'));
      const { changes, earlier_count } = JSON.parse(get('sum.json'));
      expect({ changes, earlier_count }).toEqual({
        changes: { new: 0, same: 1, changed: 0, gone: 0 },
        earlier_count: 1,
      });
    }
  });

  test('a folder is refused, and not reported as a bug', async () => {
    const { status, err } = await bulk(put('list.csv', list), '--since', pathOf('.'));
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining('is a directory, not a file.') });
  });

  test('--only-changed writes changed and missing addresses', async () => {
    put('last.csv', earlier);
    await bulk(put('list.csv', list), '--since', pathOf('last.csv'), '--only-changed', '-o', pathOf('out.csv'));
    const rows = get('out.csv').trim().split('\n').slice(1);
    expect(rows.map((line) => [line.split(',')[1], line.split(',').at(-1)])).toEqual([
      ['invalid@b.co', 'valid→invalid'],
      ['risky@b.co', 'new'],
      ['unknown@b.co', 'new'],
      ['left@b.co', 'gone'],
    ]);
  });

  test.each([
    { format: 'csv', want: '2,Bob,left@b.co,risky,,,,,gone\n' },
    { format: 'ndjson', want: '"input":{"id":"2","name":"Bob","email":"left@b.co"}}\n' },
    { format: 'table', want: 'risky' },
  ])('--only-changed as $format has the cells and the status of what is gone', async ({ format, want }) => {
    const rows = 'id,name,email\n1,Ada,valid@b.co\n';
    for (const name of ['last.csv', 'last.ndjson']) {
      await bulk(put('list.csv', `${rows}2,Bob,left@b.co\n`), '-o', pathOf(name));
      put(name, get(name).replaceAll(/(left@b\.co(?:,|","status":"))valid/g, '$1risky'));
      const args = [put('list.csv', rows), '--since', pathOf(name), '--only-changed', '--format', format];
      const { out } = await bulk(...args);
      expect(out).toContain(want);
      // A list of changes is not mistaken for an output that has the address.
      put('changes.csv', out);
      if (format === 'csv') {
        await bulk(pathOf('list.csv'), '--since', pathOf('changes.csv'), '--summary', pathOf('sum.json'));
        expect(JSON.parse(get('sum.json')).changes).toMatchObject({ gone: 0 });
      }
      expect((await bulk(...args, '--only', 'risky,valid')).out).not.toContain('left@b.co');
    }
  });

  test.each(['last.csv', 'last.ndjson'])('an address that is gone stays in its column (%s)', async (name) => {
    const columns = ['--column', 'work,private'];
    const rows = 'id,work,private\n1,valid@b.co,\n';
    await bulk(put('list.csv', `${rows}2,valid@b.co,Eve <left@b.co>\n`), ...columns, '-o', pathOf(name));
    const args = [put('list.csv', rows), ...columns, '--only-changed', '--format', 'csv'];
    const { out } = await bulk(...args, '--since', pathOf(name));
    expect(out.split('\n')[1]).toBe('2,,left@b.co,,,,,,,valid,,,,,gone');
    const again = ['--since', put('changes.csv', out), '--summary', pathOf('sum.json')];
    await bulk(...args, ...again);
    expect(JSON.parse(get('sum.json')).changes).toEqual({ new: 1, same: 0, changed: 0, gone: 0 });
  });

  test('--only-changed keeps an object of a JSON list that is gone', async () => {
    const rows = ['{"id":1,"email":"valid@b.co"}', '{"id":2,"email":"risky@b.co"}'];
    await bulk(put('list.ndjson', rows.join('\n')), '-o', pathOf('last.ndjson'));
    const list = put('list.ndjson', `${rows[0]}\n`);
    const { out } = await bulk(list, '--since', pathOf('last.ndjson'), '--only-changed', '--format', 'ndjson');
    const verdict = { mailvet_status: 'risky', mailvet_change: 'gone' };
    expect(JSON.parse(out)).toEqual({ id: 2, email: 'risky@b.co', ...verdict });
  });

  test.each(['list.csv', 'list.ndjson'])('--json of %s has what changed and what is gone', async (name) => {
    put('last.csv', earlier);
    const text = name === 'list.csv' ? list : '{"email":"valid@b.co"}\n{"email":"invalid@b.co"}\n';
    const { out } = await bulk(put(name, text), '--since', pathOf('last.csv'), '--only-changed', '--json');
    const results: { email: string; mailvet_change: string }[] = JSON.parse(out).results;
    const changes = results.map((each) => `${each.email} ${each.mailvet_change}`);
    expect(changes).toContain('invalid@b.co valid→invalid');
    expect(changes).toContain('left@b.co gone');
    // A later run does not reuse the verdict of an address that is gone.
    put('changes.json', out);
    const again = await bulk(put('back.csv', 'email\nleft@b.co\n'), '--resume', pathOf('changes.json'));
    expect(JSON.parse(again.out)).toMatchObject({ email: 'left@b.co', status: 'valid' });
  });

  test.each(['csv', 'ndjson', 'plain', 'table', 'json'])('--fields of %s has mailvet_change', async (format) => {
    put('last.csv', earlier);
    const args = ['--since', pathOf('last.csv'), '--only-changed', '--fields', 'email,mailvet_change'];
    const { out } = await bulk(put('list.csv', list), ...args, '--format', format);
    expect(out).toMatch(/invalid@b\.co\W+(?:mailvet_change\W+)?valid→invalid/);
    expect(out).toMatch(/left@b\.co\W+(?:mailvet_change\W+)?gone/);
  });

  test('writes missing addresses in lines of their own, even without a final line end', async () => {
    put('last.csv', earlier);
    const ended = await bulk(
      put('list.csv', 'email\nnew@b.co\n'),
      '--since',
      pathOf('last.csv'),
      '--only-changed',
      '--format',
      'csv',
    );
    const open = await bulk(
      put('list.csv', 'email\nnew@b.co'),
      '--since',
      pathOf('last.csv'),
      '--only-changed',
      '--format',
      'csv',
    );
    expect(open.out).toBe(ended.out);
    expect(open.out).toContain('\nleft@b.co,');
  });

  test('compares an output with its earlier version every night', async () => {
    const night = () =>
      bulk(
        put('list.csv', list),
        '--since',
        pathOf('out.csv'),
        '-o',
        pathOf('out.csv'),
        '--summary',
        pathOf('sum.json'),
      );
    const first = await night();
    expect(first.err).toContain('every address counts as new');
    expect(JSON.parse(get('sum.json')).changes).toEqual({ new: 4, same: 0, changed: 0, gone: 0 });
    await night();
    expect(JSON.parse(get('sum.json')).changes).toEqual({ new: 0, same: 4, changed: 0, gone: 0 });
  });

  test.each([
    {
      name: 'several columns',
      text: 'work,private\na@b.co,\ninvalid@b.co,risky@b.co\n',
      args: ['--column', 'work,private'],
    },
    {
      name: 'columns of one name',
      text: 'email,email\na@b.co,\ninvalid@b.co,risky@b.co\n',
      args: ['--column', '1,2'],
    },
  ])('reads an earlier output with $name', async ({ text, args }) => {
    const night = async () => {
      const outputs = ['--since', pathOf('out.csv'), '-o', pathOf('out.csv'), '--summary', pathOf('sum.json')];
      const { err, status } = await bulk(put('list.csv', text), ...args, ...outputs);
      expect({ status, err }).toMatchObject({ status: 0 });
      return JSON.parse(get('sum.json')).changes;
    };
    expect(await night()).toEqual({ new: 3, same: 0, changed: 0, gone: 0 });
    expect(await night()).toEqual({ new: 0, same: 3, changed: 0, gone: 0 });
    expect(await night()).toEqual({ new: 0, same: 3, changed: 0, gone: 0 });
  });

  test.each([
    {
      name: 'indented',
      list: 'email\na@b.co\nb@b.co\n',
      again: (json: string) => JSON.stringify(JSON.parse(json), null, 2),
    },
    { name: 'in one line', list: 'email\na@b.co\nb@b.co\n', again: (json: string) => JSON.stringify(JSON.parse(json)) },
    {
      name: 'an array alone',
      list: 'email\na@b.co\nb@b.co\n',
      again: (json: string) => JSON.stringify(JSON.parse(json).results),
    },
    {
      name: 'separate objects, indented',
      list: '[{"contact":"a@b.co"},{"contact":"b@b.co"}]',
      again: (json: string) => JSON.stringify(JSON.parse(json), null, 1),
    },
  ])('reads JSON that another program reformatted: $name', async ({ list, again }) => {
    const column = list.includes('contact') ? ['--column', 'contact'] : [];
    await bulk(put('list', list), '-o', pathOf('out.json'), ...column);
    put('out.json', again(get('out.json')));
    const { err } = await bulk(
      pathOf('list'),
      ...column,
      '--since',
      pathOf('out.json'),
      '-o',
      pathOf('new.csv'),
      '--summary',
      pathOf('sum.json'),
    );
    expect({ err, ...JSON.parse(get('sum.json')).changes }).toMatchObject({ new: 0, same: 2, gone: 0 });
  });

  test.each([
    { name: 'without verdicts', text: '{"email":"a@b.co"}\n' },
    { name: 'one result after the other, indented', text: '{\n  "email": "a@b.co",\n  "status": "valid"\n}\n' },
    {
      name: 'counts in another order, in one line',
      text: '{"total":1,"results":[{"email":"a@b.co","status":"valid"}]}\n',
    },
    { name: 'broken', text: '[{"email":"a@b.co","status":"valid"},' },
  ])('refuses JSON without answers: $name', async ({ text }) => {
    const { status, err } = await bulk(put('list.csv', 'email\na@b.co\n'), '--since', put('out.json', text));
    expect({ status, err }).toEqual({
      status: 2,
      err: expect.stringContaining('has no results of an earlier run'),
    });
  });

  test('refuses an output of one column for several', async () => {
    const since = put('out.csv', earlier);
    const args = ['--column', 'email,other', '--since', since, '-o', since];
    const { status, err } = await bulk(put('list.csv', 'email,other\na@b.co,b@b.co\n'), ...args);
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining('There is no column "other"') });
    put('out.csv', earlier.replace('email,', 'email,other,').replaceAll('.co,', '.co,b@b.co,'));
    const secondRun = await bulk(pathOf('list.csv'), ...args);
    expect(secondRun.err).toContain('has the verdicts of one column, but --column names several');
    expect(get('out.csv')).toContain('left@b.co');
  });

  test('all files are named at the end, also if a guard rejects the rows', async () => {
    const args = [
      'bulk',
      put('list.csv', 'email\ninvalid@b.co\n'),
      '-o',
      pathOf('o.csv'),
      '--summary',
      pathOf('s.json'),
    ];
    const written = async (...more: string[]) => (await runCli([...args, ...more])).err.replaceAll(/\s+/g, ' ');
    expect(await written('--report', pathOf('r.html'))).toContain(
      `${pathOf('o.csv')} (1 row), ${pathOf('s.json')}, ${pathOf('r.html')} in`,
    );
    expect(await written('--fail-on', 'invalid')).toMatch(/Wrote +\S+s\.json in/);
  });

  test.each(['--summary', '--report'])('writes the rows even if %s fails on a full disk', async (flag) => {
    const { status, err } = await bulk(put('list.csv', list), '-o', pathOf('out.csv'), flag, '/dev/full');
    expect({ status, err }).toEqual({
      status: 6,
      err: expect.stringContaining(`or give ${flag} another file. Everything else was written.`),
    });
    expect(get('out.csv').split('\n')).toHaveLength(7);
  });

  test('names both files that a full disk did not take', async () => {
    for (const name of ['s.json', 'r.html']) symlinkSync('/dev/full', pathOf(name));
    const files = ['--summary', pathOf('s.json'), '--report', pathOf('r.html')];
    const { status, err } = await bulk(put('list.csv', list), '-o', pathOf('out.csv'), ...files);
    expect(status).toBe(6);
    expect(err).toMatch(
      /s\.json cannot be written.*r\.html cannot be written.*give --summary and --report other files/s,
    );
  });

  test.each([['--only-changed'], ['--only', 'valid']])('%s cannot replace the earlier output', async (...filter) => {
    put('last.csv', earlier);
    symlinkSync(pathOf('last.csv'), pathOf('link.csv'));
    for (const output of ['last.csv', 'link.csv']) {
      const args = ['--since', pathOf('last.csv'), ...filter, '-o', pathOf(output)];
      const { status, err } = await bulk(put('list.csv', list), ...args);
      expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining('which --since needs complete') });
    }
    expect(get('last.csv')).toBe(earlier);
  });

  test('--only-changed alone is refused', async () => {
    expect((await bulk(put('list.csv', list), '--only-changed')).status).toBe(2);
  });
});

describe('statistics', () => {
  test('are written as JSON', async () => {
    await bulk(put('list.csv', list), '--summary', pathOf('sum.json'), '-o', pathOf('out.csv'));
    expect(JSON.parse(get('sum.json'))).toMatchObject({
      ...{ total: 5, valid_count: 1, invalid_count: 1, risky_count: 1, unknown_count: 1, duplicate_count: 1 },
      ...{ sub_status_counts: { '': 1, invalid_for_test: 1 }, rejected: [] },
    });
  });

  test('are written as an HTML report, with the rows that are not valid', async () => {
    await bulk(put('list.csv', list), '--report', pathOf('report.html'), '-o', pathOf('out.csv'));
    expect(get('report.html')).toContain('aria-label="1 valid, 1 risky, 1 invalid, 1 unknown"');
    expect(get('report.html')).toContain('invalid@b.co');
    expect(get('report.html')).not.toContain('a@b.co<');
  });

  test('are written as Prometheus text, in which the statuses add up to all rows', async () => {
    const text = 'email\na@b.co\na@b.co\ninvalid@b.co\n""\nstop@b.co\n';
    const args = ['--exclude', put('stop.txt', 'stop@b.co\n'), '--summary', pathOf('sum.prom')];
    await bulk(put('list.csv', text), '-o', pathOf('out.csv'), ...args);
    const rows = [...get('sum.prom').matchAll(/^mailvet_list_rows\{status="(\w+)"\} (\d+)$/gm)];
    expect(rows.map(([, status, count]) => [status, Number(count)])).toContainEqual(['suppressed', 1]);
    expect(rows.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(5);
  });

  test('are written as Prometheus text, even if a guard rejects the output', async () => {
    await bulk(put('list.csv', list), '--summary', pathOf('sum.prom'), '-o', pathOf('out.csv'), '--min-rows', '9');
    const text = get('sum.prom');
    expect(text).toContain('mailvet_list_rows{status="valid"} 1\n');
    expect(text).toContain('mailvet_list_rejected 1\n');
    expect(text).toMatch(/^(?:# (?:HELP|TYPE) \w+ .*\n|\w+(?:\{\w+="[^"]*"\})? [\d.]+\n)+$/);
  });
});

describe('sorting and shortening', () => {
  test('--clean refuses --only, which would apply to no file', async () => {
    const args = [put('list.csv', list), '--clean', '--only', 'valid'];
    expect(await bulk(...args)).toMatchObject({ status: 2, err: expect.stringContaining('--only has no effect') });
    expect((await bulk(...args, '-o', pathOf('out.csv'))).status).toBe(0);
    expect(get('out.csv').split('\n')).toHaveLength(4);
  });

  test('--clean sorts the rows into three files', async () => {
    const { out, status } = await bulk(put('list.csv', list), '--clean');
    expect({ out, status }).toEqual({ out: '', status: 0 });
    expect(readdirSync(folder).sort()).toEqual(['list.clean.csv', 'list.csv', 'list.rejected.csv', 'list.review.csv']);
    const ids = (name: string) =>
      get(name)
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[0]);
    expect([ids('list.clean.csv'), ids('list.review.csv'), ids('list.rejected.csv')]).toEqual([
      ['1', '3'],
      ['4', '5'],
      ['2'],
    ]);
  });

  test.each([
    { args: ['--clean'], want: true },
    { args: ['--clean', '--dedupe'], want: false },
    { args: ['--clean', '--quiet'], want: false },
    { args: ['-o', 'vetted.csv'], want: false },
  ])('only --clean without --dedupe says that its files have duplicates: $args', async ({ args, want }) => {
    const path = put('twice.csv', 'email,name\nada@b.co,1\nada@b.co,2\n');
    const { err } = await bulk(path, ...args.map((arg) => (arg === 'vetted.csv' ? pathOf(arg) : arg)));
    const note = 'note: The files have 1 duplicate; --dedupe keeps only the first row of each mailbox.\n';
    expect(err.includes(note)).toBe(want);
  });

  test('--clean of stdin needs a name', async () => {
    expect((await runCli(['bulk', '--clean'], { tty: false, stdin: 'a@b.co\n' })).status).toBe(2);
  });

  test('--dedupe keeps the first row of each mailbox, and counts the others', async () => {
    await bulk(put('list.csv', list), '--dedupe', '-o', pathOf('out.csv'), '--summary', pathOf('sum.json'));
    expect(
      get('out.csv')
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line[0]),
    ).toEqual(['1', '2', '4', '5']);
    expect(JSON.parse(get('sum.json')).duplicate_count).toBe(1);
  });

  test.each([
    { name: 'list.clean.csv', args: ['-o', 'list.csv', '--clean'] },
    { name: 'list.csv', args: ['--summary', 'list.csv'] },
    { name: 'list.csv', args: ['-o', 'x.clean.csv', '--summary', 'list.csv'] },
  ])('refuses an output of $args that is the list', async ({ name, args }) => {
    put(name, list);
    const { status, err } = await bulk(pathOf(name), ...args.map((arg) => (arg.startsWith('-') ? arg : pathOf(arg))));
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining('is the list itself') });
    expect(get(name)).toBe(list);
  });

  test('several lists are vetted as one', async () => {
    put('one.csv', 'id,email\n1,a@b.co\n');
    put('two.csv', 'id,email\n2,invalid@b.co\n');
    expect((await bulk(pathOf('one.csv'), pathOf('two.csv'), '-o', pathOf('out.csv'))).status).toBe(0);
    expect(
      get('out.csv')
        .split('\n')
        .map((line) => line[0]),
    ).toEqual(['i', '1', '2', undefined]);
    put('other.csv', 'c@b.co,2,x\nd@b.co,3,y\n');
    const { status, err } = await bulk(pathOf('one.csv'), pathOf('other.csv'));
    expect(status).toBe(2);
    expect(err).toContain('has other columns');
    expect((await bulk(pathOf('one.csv'), '-')).status).toBe(2);
  });

  test.each([
    { name: 'a list with commas', text: 'name,email\n"A, x",a@b.co', file: 'list.csv' },
    { name: 'with a sep= line', text: '\ufeffsep=;\r\nname;email\r\n"A, x";a@b.co\r\n', file: 'list.csv' },
    { name: 'with tabs', text: 'name\temail\nA, x\ta@b.co\n', file: 'list.tsv' },
  ])('-o NAME.tsv has tabs between the cells: $name', async ({ text, file }) => {
    await bulk(put(file, text), '-o', pathOf('out.tsv'));
    const [head = '', row = ''] = get('out.tsv').replace('\ufeff', '').split(/\r?\n/);
    expect(head.split('\t').slice(0, 3)).toEqual(['name', 'email', 'mailvet_status']);
    expect(row.split('\t').slice(0, 3)).toEqual([expect.stringMatching(/^"?A, x"?$/), 'a@b.co', 'valid']);
  });

  const tabs = '"sep=\t"\nname\temail\n"A, x"\ta@b.co\nB\tinvalid@b.co\n';
  const rowsOf = (text: string): string[][] => text.split('\n').map((line) => line.split(',').slice(0, 4));

  test.each(['out.csv', 'out.CSV.gz'])('-o %s of a list with tabs has commas', async (name) => {
    await bulk(put('list.txt', tabs), '-o', pathOf(name));
    const bytes = readFileSync(pathOf(name));
    const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    expect(rowsOf(text).slice(0, 3)).toEqual([
      ['name', 'email', 'mailvet_status', 'mailvet_sub_status'],
      ['"A', ' x"', 'a@b.co', 'valid'],
      ['B', 'invalid@b.co', 'invalid', expect.any(String)],
    ]);
  });

  test('the other CSV files of a list with tabs have commas, too', async () => {
    await bulk(put('list.tsv', tabs), '--clean', '-o', pathOf('all.tsv'));
    expect(get('all.tsv')).toContain('B\tinvalid@b.co\tinvalid');
    expect(get('all.rejected.csv')).toContain('\nB,invalid@b.co,invalid');
    await bulk(pathOf('list.tsv'), '-o', pathOf('few.csv'), '--fields', 'email,status');
    expect(get('few.csv')).toContain('email,status\na@b.co,valid');
  });

  test.each(['out.tsv.gz', 'out.tab.gz'])('-o %s has tabs', async (name) => {
    await bulk(put('list.csv', list), '-o', pathOf(name));
    expect(gunzipSync(readFileSync(pathOf(name))).toString()).toContain('id\temail\tmailvet_status');
  });

  test('other delimiters stay, and so do tabs where no extension tells', async () => {
    await bulk(put('list.csv', 'name;email\nA;a@b.co\n'), '-o', pathOf('out.csv'));
    expect(get('out.csv')).toContain('A;a@b.co;valid');
    const { out } = await bulk(put('list.tsv', tabs), '--format', 'csv');
    expect(out).toContain('B\tinvalid@b.co\tinvalid');
    await bulk(pathOf('list.tsv'), '--format', 'csv', '-o', pathOf('out.txt'));
    expect(get('out.txt')).toBe(out);
  });

  test('--since, guards and --resume read an earlier .csv with tabs', async () => {
    const path = put('list.txt', tabs);
    put('last.csv', (await bulk(path, '--format', 'csv')).out);
    expect(get('last.csv')).toContain('B\tinvalid@b.co\tinvalid');
    const guards = ['--since', pathOf('last.csv'), '--max-gone', '1%', '--max-changed', '1%', '--min-rows', '100%'];
    expect((await bulk(path, '-o', pathOf('last.csv'), ...guards)).status).toBe(0);
    expect(get('last.csv')).toMatch(/^B,invalid@b\.co,invalid,.*,same$/m);
    put('last.csv', (await bulk(path, '--format', 'csv')).out);
    const resumed = await bulk(path, '-o', pathOf('new.csv'), '--resume', pathOf('last.csv'));
    expect(resumed).toMatchObject({ status: 0, err: expect.stringContaining('2') });
    expect(get('new.csv')).toContain('\nB,invalid@b.co,invalid');
  });

  test('several lists are written in the layout of the first', async () => {
    put('one.csv', 'name,email\n"A, x",a@b.co');
    put('two.csv', 'name;email\r\n"B, y";b@b.co\r\nC; c@b.co\r\n');
    await bulk(pathOf('one.csv'), pathOf('two.csv'), '-o', pathOf('out.csv'));
    const lines = get('out.csv').split('\n').slice(1, -1);
    expect(lines.map((line) => line.replace(/,valid,.*$/, ''))).toEqual([
      '"A, x",a@b.co',
      '"B, y",b@b.co',
      'C, c@b.co',
    ]);
  });

  test('suggests no command that is refused, or whose files would lack rows', async () => {
    const path = put('list.csv', 'email\na@b.co\n');
    await bulk(path, '-o', pathOf('last.csv'));
    const run = (...args: string[]) => runCli(['bulk', path, ...args], { columns: 80 });
    expect((await run()).err).toContain('--clean');
    expect((await run('--since', pathOf('last.csv'), '--only-changed')).err).not.toContain('--clean');
    expect((await run('--only', 'valid')).err).not.toContain('--clean');
  });

  test('several lists with their addresses in different columns are refused', async () => {
    put('one.csv', 'Email,Work\na@b.co,\n');
    put('two.csv', 'Email,Work\n,b@b.co\n');
    const run = await bulk(pathOf('one.csv'), pathOf('two.csv'), '-o', pathOf('out.csv'));
    expect(run).toMatchObject({
      status: 2,
      err: expect.stringMatching(/two\.csv has its addresses in "Work", but .*--column/s),
    });
    expect(
      (await bulk(pathOf('one.csv'), pathOf('two.csv'), '-o', pathOf('out.csv'), '--column', 'Email,Work')).status,
    ).toBe(0);
  });

  test.each([
    {
      args: ['--limit', '2'],
      says: 'note: --limit took the first 2 rows. Read 2 rows: 2 addresses in the column "email".',
    },
    { args: ['--limit', '9'], says: 'note: Read 3 rows: 3 addresses in the column "email".' },
  ])('$args: the summary has the number of rows read and taken', async ({ args, says }) => {
    const { err } = await bulk(put('list.csv', 'id,email\n1,a@b.co\n2,b@b.co\n3,c@b.co\n'), ...args);
    expect(err).toContain(says);
  });

  test.each([
    { text: list, args: ['--dedupe'], says: '--dedupe left out 1 row.' },
    { text: 'one,two\na@b.co,b@b.co\na@b.co,c@b.co\n', args: ['--dedupe', '--column', 'one,two'], says: null },
  ])('$args says how many rows it left out, in a pipe and on a terminal', async ({ text, args, says }) => {
    const path = put('list.csv', text);
    for (const tty of [false, true]) {
      const { err } = await runCli(['bulk', path, ...args, '-o', pathOf('out.csv')], { tty });
      if (says === null) expect(err).not.toContain('left out');
      else expect(err).toContain(`note: ${says}\n`);
    }
  });

  test.each([
    { args: ['--limit', '2'], says: '--limit took the first 2 rows.', shows: 'the first 2 rows (--limit)' },
    { args: ['--limit', '9'], says: null, shows: null },
  ])('$args of plain lines is said in a pipe and on a terminal', async ({ args, says, shows }) => {
    const path = put('list.txt', 'a@b.co\nb@b.co\nc@b.co\n');
    expect((await bulk(path, ...args)).err).toBe(says === null ? '' : `note: ${says}\n`);
    const { err } = await runCli(['bulk', path, ...args], { tty: true });
    expect(shows === null ? err.includes('--limit)') : err.split('\n').includes(`  ${shows}`)).toBe(shows !== null);
  });

  test.each(['--json', '--format=ndjson'])('on a terminal, %s has no summary for readers', async (flag) => {
    const { err } = await runCli(['bulk', put('list.csv', list), flag, '-o', pathOf('out.json')], { tty: true });
    const afterProgress = err.slice(err.lastIndexOf('\x1b[K') + '\x1b[K'.length);
    const lines = afterProgress.trim().split('\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual([['note']]);
  });

  test('plain text of all statuses says that it is mixed', async () => {
    const path = put('list.csv', 'email\ninvalid@b.co\na@b.co\nunknown@b.co\n');
    const note = (where: string): string =>
      `note: ${where} holds addresses of every status, 2 of them not valid; --only valid leaves those out.\n`;
    expect((await bulk(path, '--format', 'plain')).err).toContain(note('The plain text'));
    expect((await bulk(path, '-o', pathOf('out.txt'))).err).toContain(note(pathOf('out.txt')));
    for (const flags of [['--only', 'valid,invalid'], ['--fields', 'email,status'], ['--format', 'csv'], ['--quiet']]) {
      expect((await bulk(path, '--format', 'plain', ...flags)).err).not.toContain('every status');
    }
  });

  test('--only-changed as plain text says how many are gone, and counts its lines', async () => {
    const added = 'mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean';
    put('last.csv', `email,${added}\na@b.co,valid,,1,true,\nx@b.co,valid,,1,true,\ny@b.co,valid,,1,true,\n`);
    const path = put('list.csv', 'id,email\n1,a@b.co\n2,new@b.co\n3,\n');
    const args = [path, '--since', pathOf('last.csv'), '--only-changed', '--format', 'plain'];
    const { out, err } = await bulk(...args);
    expect(out).toBe('new@b.co\n');
    const says = '2 addresses are gone, and left out of the plain text; --fields email,mailvet_change shows them.';
    expect(err).toContain(says);
    const shown = await bulk(...args, '--fields', 'email,mailvet_change');
    expect(shown.out).toBe('new@b.co\tnew\nx@b.co\tgone\ny@b.co\tgone\n');
    expect(shown.err).not.toContain('left out');
    const onTerminal = await runCli(['bulk', ...args, '-o', pathOf('out.txt')], { tty: true });
    expect(onTerminal.err).toContain('out.txt (1 row)');
  });

  test.each([
    { name: 'a table', file: 'list.csv', text: 'id,email\n1,a@b.co\n2,n/a\n3,c@b.co\n' },
    { name: 'JSON', file: 'list.json', text: '[{"id":1,"email":"a@b.co"},{"id":2,"email":"n/a"}]' },
  ])('--limit notes nothing about the rows of $name that it leaves out', async ({ file, text }) => {
    const { err } = await bulk(put(file, text), pathOf(file), '--limit', '1');
    expect(err).not.toContain('placeholder');
    expect((await bulk(pathOf(file), pathOf(file), '--limit', '4')).err).toContain('placeholder');
  });

  test.each([{ flag: '--limit', n: '1', says: '1 address is on a list of --exclude' }])(
    '$flag says how many of its rows are suppressed',
    async ({ flag, n, says }) => {
      const path = put('list.csv', 'id,email\n1,a@b.co\n2,a@b.co\n3,c@b.co\n');
      const { err } = await bulk(path, flag, n, '--exclude', put('stop.txt', 'a@b.co\n'));
      expect(err).toContain(says);
    },
  );

  test.each([
    ['--limit', '0'],
    ['--exclude', 'stop.txt'],
  ])('%s %s does not say that a list of addresses has none', async (flag, value) => {
    put('stop.txt', 'a@b.co\n');
    const { err } = await bulk(put('list.csv', 'email\na@b.co\n'), flag, value === 'stop.txt' ? pathOf(value) : value);
    expect(err).toContain('No address was vetted.');
    expect(err).not.toContain('The list has no addresses.');
  });

  test.each(['list.csv.gz', 'list.CSV.GZ', 'list.gz'])(
    '--clean names its files after %s without its extensions',
    async (name) => {
      writeFileSync(pathOf(name), gzipSync('email\na@b.co\n'));
      await bulk(pathOf(name), '--clean');
      const names = readdirSync(folder).sort();
      expect(names).toEqual(['list.clean.csv', 'list.rejected.csv', 'list.review.csv', name].sort());
    },
  );

  test('--limit names other columns with addresses, too', async () => {
    const { err } = await bulk(put('list.csv', 'id,email,boss\n1,a@b.co,c@b.co\n2,b@b.co,c@b.co\n'), '--limit', '1');
    expect(err).toContain('--limit took the first 1 row. Read 1 row: 1 address in the column "email".');
    expect(err).toContain('that are not vetted: "boss" (1 row).');
  });
});

describe('--exclude', () => {
  test.each([
    { name: 'a table', text: 'id,email\n1,a@b.co\n2,c@b.co\n' },
    { name: 'lines', text: 'a@b.co\nc@b.co\n' },
  ])('the note about $name counts the addresses that are not vetted', async ({ text }) => {
    const { err } = await bulk(put('list', text), '--exclude', put('stop.txt', 'a@b.co\n'));
    expect(err).toContain('1 address is on a list of --exclude, and not vetted.\n');
  });

  test.each(['csv', 'ndjson'])('an address on it is the same in the next %s', async (format) => {
    const output = pathOf(`out.${format}`);
    const run = (...args: string[]) =>
      bulk(put('list.csv', list), '--since', output, '-o', output, '--summary', pathOf('s.json'), ...args);
    await run();
    await run('--exclude', put('stop.txt', 'a@b.co\n'));
    expect(JSON.parse(get('s.json'))).toMatchObject({
      changes: { new: 0, same: 3, changed: 1, gone: 0 },
      moves: { 'valid→suppressed': 1 },
    });
    await run('--exclude', pathOf('stop.txt'), '--min-rows', '100%');
    expect(JSON.parse(get('s.json'))).toMatchObject({
      changes: { new: 0, same: 4, changed: 0, gone: 0 },
      rejected: [],
    });
  });

  test('a missing list is not read from standard input', async () => {
    const { status, err } = await bulk(put('list.csv', list), '--exclude', pathOf('none.csv'));
    expect([status, err]).toEqual([
      2,
      expect.stringMatching(/^error: There is no file ".*none\.csv"\.\n {2}Check the path\.\n$/),
    ]);
  });

  const rows = 'id,email\n1,a@b.co\n2,B@b.co\n3,c@spam.org\n4,d@b.co\n5,\n';
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

  test('rows of a suppression list are kept, not vetted, and never clean', async () => {
    put('stop.txt', '# bounced\nb@B.co\n@spam.org\n');
    put('hashes.csv', `email_sha256\n${sha256('d@b.co').toUpperCase()}\n`);
    const asked: string[] = [];
    const service = fakeService({
      validateMany: async function* (chunks) {
        for await (const emails of chunks) {
          asked.push(...emails);
          yield emails.map((email) => ({ result: resultOf(email), duplicate: false }));
        }
      },
    });
    const args = [
      '--exclude',
      pathOf('stop.txt'),
      '--exclude',
      pathOf('hashes.csv'),
      '-o',
      pathOf('out.csv'),
      '--clean',
      '--summary',
      pathOf('s.json'),
    ];
    const { status } = await runCli(['bulk', put('list.csv', rows), ...args], { tty: false, service });
    expect([status, asked]).toEqual([0, ['a@b.co']]);
    const statuses = (name: string) =>
      get(name)
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',').slice(0, 3).join());
    expect(statuses('out.csv')).toEqual([
      '1,a@b.co,valid',
      '2,B@b.co,suppressed',
      '3,c@spam.org,suppressed',
      '4,d@b.co,suppressed',
      '5,,empty',
    ]);
    expect([statuses('out.clean.csv').length, statuses('out.rejected.csv').length]).toEqual([1, 3]);
    expect(JSON.parse(get('s.json'))).toMatchObject({ total: 1, suppressed_count: 3, empty_count: 1 });
  });

  test.each([
    { name: 'unreadable lines', text: 'junk line\nbad1 at d1\n', warns: true },
    { name: 'nothing', text: '', warns: true },
    { name: 'a comment and a domain', text: '# x\nspam.org\n', warns: false },
    { name: 'hashes', text: `${sha256('d@b.co')}\n`, warns: false },
    { name: 'an address without a dot', text: 'root@intranet\n', warns: false },
  ])('a list of $name warns: $warns, also with --quiet', async ({ text, warns }) => {
    const { status, err } = await bulk(put('list.csv', rows), '--exclude', put('stop.txt', text), '--quiet');
    const warning = `warning: Nothing is suppressed by ${pathOf('stop.txt')}: it has no address, domain or SHA-256 hash.\n`;
    expect({ status, err }).toEqual({ status: 0, err: warns ? warning : '' });
  });

  test.each([
    { name: 'text', text: 'spam.org\njunk line\nbad1 at d1\n', says: 'Ignored 2 entries of LIST, such as "junk line"' },
    { name: 'a wildcard', text: 'b@b.co\n*.spam.org\n', says: 'Ignored 1 entry of LIST, such as "*.spam.org"' },
    {
      name: 'half an address',
      text: 'email\nb@b.co\n"a@b.co, d@"\n',
      says: 'Ignored 1 entry of LIST, such as "a@b.co, d@"',
    },
    {
      name: 'a mistyped domain',
      text: 'email\nb@b.co\n"ann@b,co"\n',
      says: 'Ignored 1 entry of LIST, such as "ann@b,co"',
    },
    { name: 'a placeholder', text: 'email\nb@b.co\nn/a\n', says: null },
    { name: 'an odd local part', text: 'b@b.co\na..b@b.co\n', says: null },
  ])('an entry that is $name is not ignored without a warning', async ({ text, says }) => {
    const stop = put('stop.csv', text);
    const { status, err } = await bulk(put('list.csv', rows), '--exclude', stop, '--quiet');
    const hint = ': only addresses, domains and SHA-256 hashes are read.';
    const warning = says === null ? '' : `warning: ${says.replace('LIST', stop)}${hint}\n`;
    expect({ status, err: err.replace(/\n {2}/g, ' ') }).toEqual({ status: 0, err: warning });
  });

  test.each([
    { name: 'several addresses', text: 'email,why\n"a@b.co; Ann <d@b.co>",left\n' },
    { name: 'several hashes', text: `email\n"${sha256('a@b.co')}, ${sha256('d@b.co')}"\n` },
    { name: 'a domain with a final dot', text: 'domain\nB.co.\n' },
    { name: 'all addresses of a domain', text: 'address\n*@b.co\n' },
    { name: 'a domain in the first line', text: 'b.co\nx.org\n' },
  ])('an entry of $name is read', async ({ text }) => {
    const { out, err } = await bulk(put('list.csv', rows), '--exclude', put('stop.csv', text), '--format', 'csv');
    expect([out.match(/^1,.*suppressed/m) !== null, out.match(/^4,.*suppressed/m) !== null]).toEqual([true, true]);
    expect(err).not.toContain('warning');
  });

  test.each([
    { entry: 'intranet', isRead: false },
    { entry: '@Intranet', isRead: true },
    { entry: '*@intranet', isRead: true },
  ])('a domain of one label is suppressed or ignored, never both: $entry', async ({ entry, isRead }) => {
    const list = put('list.txt', 'root@intranet\n');
    const { out, err } = await bulk(list, '--exclude', put('stop.txt', `spam.org\n${entry}\n`), '--format', 'csv');
    expect([out.includes('suppressed'), err.includes('Ignored 1 entry')]).toEqual([isRead, !isRead]);
  });

  test('a domain in another script is suppressed in both forms', async () => {
    const list = put('list.csv', 'id,email\n1,a@xn--bcher-kva.de\n2,a@bücher.de\n');
    const { out } = await bulk(list, '--exclude', put('stop.txt', 'Bücher.de\n'), '--format', 'csv');
    expect(out.match(/suppressed/g)).toHaveLength(2);
  });

  test('a list with other columns of addresses says which one counts', async () => {
    const stop = put('stop.csv', 'old_email,new_email,why\na@b.co,z@b.co,moved\n');
    const { err } = await bulk(put('list.csv', rows), '--exclude', stop);
    expect(err).toContain(
      `Only the column "old_email" of ${stop} is suppressed; others hold addresses, too: "new_email" (1 row).`,
    );
  });

  test('a table without addresses is named, and --column is not suggested', async () => {
    const stop = put('stop.csv', 'id;name;tel\n1;Ann;+44 20\n2;Bob;+44 21\n');
    const { status, err } = await bulk(put('list.csv', rows), '--exclude', stop);
    expect(status).toBe(2);
    expect(err).toContain(`The suppression list ${stop} cannot be read. No column looks like email addresses.`);
    expect(err).not.toContain('--column');
  });

  test('a missing list stops the run', async () => {
    expect((await bulk(put('list.csv', rows), '--exclude', pathOf('none.txt'))).status).toBe(2);
  });
});

test('lists with different columns are merged by name', async () => {
  put('jan.csv', 'name,email\nAda,a@b.co\n');
  put('feb.csv', 'E-Mail;city;name\nb@b.co;Rome;Bob\n');
  const { status } = await bulk(pathOf('jan.csv'), pathOf('feb.csv'), '-o', pathOf('all.csv'));
  const lines = get('all.csv')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(',').slice(0, 4).join());
  expect([status, lines]).toEqual([
    0,
    ['name,email,city,mailvet_status', 'Ada,a@b.co,,valid', 'Bob,b@b.co,Rome,valid'],
  ]);
});

test.each([
  { name: 'in any case', second: 'NAME,email\nBob,b@b.co\n', columns: 'name,email', row: 'Bob,b@b.co' },
  {
    name: 'exactly if a list has both spellings',
    second: 'Name,name,email\nx,Bob,b@b.co\n',
    columns: 'name,email,Name',
    row: 'Bob,b@b.co,x',
  },
])('names of columns are compared $name', async ({ second, columns, row }) => {
  put('jan.csv', 'name,email\nAda,a@b.co\n');
  await bulk(pathOf('jan.csv'), put('feb.csv', second), '-o', pathOf('all.csv'));
  const [head, , last] = get('all.csv').split('\n');
  expect([head, last]).toEqual([
    expect.stringMatching(new RegExp(`^${columns},mailvet_status`)),
    expect.stringMatching(new RegExp(`^${row},valid`)),
  ]);
});

describe('two runs to one output', () => {
  test('the second one is refused, and the first one is written', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let started = (): void => {};
    const isRunning = new Promise<void>((resolve) => {
      started = resolve;
    });
    const service = fakeService({
      validateMany: async function* (chunks) {
        started();
        await released;
        for await (const emails of chunks) yield emails.map((email) => ({ result: resultOf(email), duplicate: false }));
      },
    });
    const first = runCli(['bulk', put('list.csv', list), '-o', pathOf('out.csv')], { tty: false, service });
    await isRunning;
    const args = ['-o', pathOf('out.csv'), '--clean', '--quiet'];
    const refusal = {
      status: 6,
      err: expect.stringMatching(/^error: Another mailvet \(process \d+\) is writing .*out\.csv\.\n {2}Wait until/),
    };
    expect(await bulk(pathOf('list.csv'), ...args)).toMatchObject(refusal);
    // It does not say that it starts.
    const resume = ['-o', pathOf('out.csv'), '--resume', pathOf('out.csv')];
    expect(await bulk(pathOf('list.csv'), ...resume)).toMatchObject(refusal);
    release();
    expect((await first).status).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['list.csv', 'out.csv']);
    expect((await bulk(pathOf('list.csv'), ...args)).status).toBe(0);
  });

  test('of two that start together, one is written', async () => {
    put('list.csv', list);
    const runs = await Promise.all([1, 2].map(() => bulk(pathOf('list.csv'), '-o', pathOf('out.csv'))));
    expect(runs.map(({ status }) => status)).toContain(0);
    expect(get('out.csv').split('\n')).toHaveLength(7);
  });
});

test('the notes about several lists name them', async () => {
  const { err } = await bulk(put('jan.csv', 'id,email\n1,n/a\n'), put('feb.csv', 'id,email\n1,a@b.co\n'));
  expect(err).toContain(`note: ${pathOf('jan.csv')}: Row 2 holds a placeholder`);
  expect(err).toContain(`${pathOf('feb.csv')}: Read 1 row: 1 address`);
});

test('a cell beyond the header is not offered as a column', async () => {
  const { err } = await bulk(put('list.csv', 'email\na@b.co, b@b.co\n'), '--format', 'csv');
  expect(err).toMatch(/not vetted: "column_2" \(1 row\)\.\n/);
});
