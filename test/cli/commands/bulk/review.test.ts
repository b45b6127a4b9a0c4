import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

test('all notes on a list are before its summary, also on a slow terminal', async () => {
  const slow: typeof runProgram = (args, host) => {
    const { stderr } = host.terminal;
    const write: typeof stderr.write = async (data) => {
      if (String(data).startsWith('note')) await setTimeout(20);
      await stderr.write(data);
    };
    return runProgram(args, { ...host, terminal: { ...host.terminal, stderr: { ...stderr, write } } });
  };
  const path = put('list.csv', 'id,email\n1,"a@b.co, c@b.co"\n2,Ada a@b.co\n3,a@b.co\n4,a@b.co\n');
  const { err } = await runCli(['bulk', path, '-o', pathOf('out.csv'), '--dedupe'], {}, slow);
  const notes = ['several addresses', 'other text', '--dedupe left out 1 row'].map((text) => err.indexOf(text));
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

describe('spellings of one mailbox, which its mail host tells apart', () => {
  const spelled = 'email\nFrank@b.co\nfrank@b.co\nfRANK@b.co\nann@b.co\nANN@b.co\n';
  const service = fakeService({
    validateMany: async function* (chunks) {
      for await (const emails of chunks) {
        yield emails.map((email) => ({
          result: resultOf(email, email === 'frank@b.co' ? { status: 'invalid' } : {}),
          duplicate: false,
        }));
      }
    },
  });
  const run = (...flags: string[]) =>
    runCli(['bulk', put('list.csv', spelled), '-o', pathOf('out.csv'), ...flags], { tty: false, service });

  test('count for themselves where their verdicts differ', async () => {
    const { err } = await run('--fail-on', 'invalid');
    expect(err).toContain('warning: 1 address is invalid (--fail-on invalid).');
    expect(err).toContain('list.csv: 2 valid, 0 risky, 1 invalid, 0 unknown · 2 duplicates');
  });

  test('are one row with --dedupe', async () => {
    await run('--dedupe');
    expect(get('out.csv').match(/^.*@/gm)).toEqual(['Frank@', 'ann@']);
  });
});

test('two files for one flag are a usage error, since one of them would not be written', async () => {
  const { status, err } = await bulk(
    put('list.csv', list),
    '--summary',
    pathOf('a.json'),
    '--summary',
    pathOf('b.json'),
  );
  expect({ status, err }).toEqual({ status: 2, err: 'error: --summary is given twice.\n  Name one file.\n' });
  expect((await bulk(put('list.csv', list), '-o', pathOf('a.csv'), '-o', pathOf('b.csv'))).status).toBe(2);
});

describe('guards', () => {
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

  test('the rejected output is removed by a later run that passes', async () => {
    await bulk(put('list.csv', list), '-o', pathOf('out.csv'), '--fail-on', 'invalid');
    expect(existsSync(pathOf('out.csv.rejected'))).toBe(true);
    await bulk(pathOf('list.csv'), '-o', pathOf('out.csv'));
    expect(readdirSync(folder).sort()).toEqual(['list.csv', 'out.csv']);
  });

  test('keeps the old file if the resolver is down', async () => {
    put('out.csv', 'good\n');
    const service = fakeService({
      validateMany: async function* (chunks) {
        const failed = { status: 'unknown', sub_status: 'dns_error' };
        for await (const emails of chunks) {
          yield emails.map((email) => ({ result: resultOf(email, failed), duplicate: false }));
        }
        throw new Failure('network', 'The DNS server gave no answer that can be trusted.');
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

test('outputs that must not be replaced: a read-only file stays', async () => {
  put('out.csv', 'good\n');
  chmodSync(pathOf('out.csv'), 0o444);
  const { status, err } = await bulk(put('list.csv', 'email\na@b.co\n'), '-o', pathOf('out.csv'));
  expect([status, get('out.csv'), err]).toEqual([2, 'good\n', expect.stringContaining('is read-only')]);
  chmodSync(pathOf('out.csv'), 0o644);
});

test('statistics are written as Prometheus text, in which the statuses add up to all rows', async () => {
  const text = 'email\na@b.co\na@b.co\ninvalid@b.co\n""\nstop@b.co\n';
  const args = ['--exclude', put('stop.txt', 'stop@b.co\n'), '--summary', pathOf('sum.prom')];
  await bulk(put('list.csv', text), '-o', pathOf('out.csv'), ...args);
  const rows = [...get('sum.prom').matchAll(/^mailvet_list_rows\{status="(\w+)"\} (\d+)$/gm)];
  expect(rows.map(([, status, count]) => [status, Number(count)])).toContainEqual(['suppressed', 1]);
  expect(rows.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(5);
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
    [['--limit', '2'], 'note: --limit took the first 2 rows. Read 2 rows: 2 addresses in the column "email".'],
    [['--limit', '9'], 'note: Read 3 rows: 3 addresses in the column "email".'],
  ])('%s: the summary has the number of rows read and taken', async (args, says) => {
    expect((await bulk(put('list.csv', 'id,email\n1,a@b.co\n2,b@b.co\n3,c@b.co\n'), ...args)).err).toContain(says);
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
    const [first, ...others] = (await bulk(path, ...args)).err.trimEnd().split('\n');
    if (says !== null) expect(first).toBe(`note: ${says}`);
    expect(others).toHaveLength(says === null ? 0 : 1);
    const { err } = await runCli(['bulk', path, ...args], { tty: true });
    expect(shows === null ? err.includes('--limit)') : err.split('\n').includes(`  ${shows}`)).toBe(shows !== null);
  });

  test.each(['--json', '--format=ndjson'])('on a terminal, %s has no summary for readers', async (flag) => {
    const { err } = await runCli(['bulk', put('list.csv', list), flag, '-o', pathOf('out.json')], { tty: true });
    const afterProgress = err.slice(err.lastIndexOf('\x1b[K') + '\x1b[K'.length);
    expect(
      afterProgress
        .trim()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line))),
    ).toEqual([['note']]);
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

  test.each([
    { name: 'a table', file: 'list.csv', text: 'id,email\n1,a@b.co\n2,n/a\n3,c@b.co\n' },
    { name: 'JSON', file: 'list.json', text: '[{"id":1,"email":"a@b.co"},{"id":2,"email":"n/a"}]' },
  ])('--limit notes nothing about the rows of $name that it leaves out', async ({ file, text }) => {
    expect((await bulk(put(file, text), pathOf(file), '--limit', '1')).err).not.toContain('placeholder');
    expect((await bulk(pathOf(file), pathOf(file), '--limit', '4')).err).toContain('placeholder');
  });

  test.each([{ flag: '--limit', n: '1', says: '1 address is on a list of --exclude' }])(
    '$flag says how many of its rows are suppressed',
    async ({ flag, n, says }) => {
      const path = put('list.csv', 'id,email\n1,a@b.co\n2,a@b.co\n3,c@b.co\n');
      expect((await bulk(path, flag, n, '--exclude', put('stop.txt', 'a@b.co\n'))).err).toContain(says);
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
    const service = fakeService({}, (email) => {
      asked.push(email);
      return resultOf(email);
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
    ['text', 'spam.org\njunk line\nbad1 at d1\n', 'Ignored 2 entries of LIST, such as "junk line"'],
    ['a wildcard', 'b@b.co\n*.spam.org\n', 'Ignored 1 entry of LIST, such as "*.spam.org"'],
    ['half an address', 'email\nb@b.co\n"a@b.co, d@"\n', 'Ignored 1 entry of LIST, such as "a@b.co, d@"'],
    ['a mistyped domain', 'email\nb@b.co\n"ann@b,co"\n', 'Ignored 1 entry of LIST, such as "ann@b,co"'],
    ['a placeholder', 'email\nb@b.co\nn/a\n', null],
    ['an odd local part', 'b@b.co\na..b@b.co\n', null],
  ])('an entry that is %s is not ignored without a warning', async (_name, text, says) => {
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
});

test('lists with other columns are refused, and with the same ones in any case are one', async () => {
  const jan = put('jan.csv', 'name,email\nAda,a@b.co\n');
  const other = await bulk(jan, put('other.csv', 'name,email,city\nBob,b@b.co,Rome\n'));
  expect([other.status, other.err]).toEqual([2, expect.stringContaining('has other columns than')]);
  await bulk(jan, put('feb.csv', 'NAME;Email\nBob;b@b.co\n'), '-o', pathOf('all.csv'));
  const lines = get('all.csv')
    .split('\n')
    .map((line) => line.split(',').slice(0, 3).join());
  expect(lines).toEqual(['name,email,mailvet_status', 'Ada,a@b.co,valid', 'Bob,b@b.co,valid', '']);
});

test('two runs to one output: of two that start together, one is written', async () => {
  put('list.csv', list);
  const runs = await Promise.all([1, 2].map(() => bulk(pathOf('list.csv'), '-o', pathOf('out.csv'))));
  expect(runs.map(({ status }) => status)).toContain(0);
  expect(get('out.csv').split('\n')).toHaveLength(7);
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
