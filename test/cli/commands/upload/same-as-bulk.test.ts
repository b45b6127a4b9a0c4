import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keyOfAddress } from '../../../../src/lists/mailbox-key.js';
import { workbookBytes } from '../../../../src/rows/write/write-workbook.js';
import { type LocalJobs, openLocalJobs } from '../../../../src/service/local/jobs.js';
import { bundledEngine } from '../../../../src/service/local/validation.js';
import { askerOf } from '../../../fakes/asker.js';
import { makeHome } from '../../../fakes/job-lab.js';
import { fakeService, resultOf } from '../../../fakes/service.js';
import { type CliRun, runCli } from '../../run-cli.js';

describe('upload --wait, jobs results and bulk', () => {
  let home: string;
  let jobs: LocalJobs;
  beforeEach(() => {
    dnsAnswers = true;
    resolverIsDown = true;
    home = makeHome();
    jobs = openLocalJobs({
      ...{ home, canonical: keyOfAddress, level: 'dns', maxOpenRows: 100 },
      openAsker: async () => askerOf(async (email) => answerTo(email)),
      isResolverDown: () => resolverIsDown,
    });
  });
  afterEach(async () => {
    await jobs.close();
    rmSync(home, { recursive: true, force: true });
  });
  let dnsAnswers = true;
  let resolverIsDown = true;
  /** The beginning of an address is its status. One with `typo` is invalid, and the suggestion has `valid` instead. */
  const answerTo = (email: string) =>
    !dnsAnswers
      ? resultOf(email, { status: 'unknown', sub_status: 'dns_error' })
      : email.startsWith('typo')
        ? resultOf(email, { status: 'invalid', did_you_mean: email.replace('typo', 'valid') })
        : resultOf(email, { status: email.toLowerCase().split(/[@+]/)[0] ?? '' });
  const run = (...args: string[]): Promise<CliRun> => runOn({ tty: false }, args);
  const runOn = ({ tty }: { tty: boolean }, args: string[]): Promise<CliRun> => {
    const service = fakeService({
      ...jobs,
      close: async () => {},
      validate: async (email) => answerTo(email),
      validateMany: async function* (chunks) {
        const seen = new Set<string>();
        for await (const emails of chunks) {
          yield emails.map((email) => {
            const duplicate = seen.has(keyOfAddress(email));
            seen.add(keyOfAddress(email));
            return { result: answerTo(email), duplicate };
          });
        }
      },
    });
    return runCli(args, { tty, service, environment: { MAILVET_HOME: home } });
  };
  const pathOf = (name: string): string => join(home, name);
  const list = 'name;email\nAda;valid@x.co\n"=1+1";invalid@x.co\n;\nBob;risky@x.co\nAda;VALID@x.co\nEve;typo@x.co\n';

  test('write the same rows for a list with duplicates, empty rows and a quoted cell', async () => {
    writeFileSync(pathOf('list.csv'), list);
    await run('bulk', pathOf('list.csv'), '-o', pathOf('bulk.csv'));
    await run('upload', pathOf('list.csv'), '--yes', '--wait', '-o', pathOf('job.csv'));
    expect(readFileSync(pathOf('job.csv'), 'utf8')).toBe(readFileSync(pathOf('bulk.csv'), 'utf8'));
  });

  test('count a row of several columns as empty if all its cells are, and filter each address of plain text', async () => {
    writeFileSync(pathOf('list.csv'), 'id,work,private\n1,valid@x.co,\n2,invalid@x.co,valid@y.co\n3,,\n');
    const columns = ['--column', 'work,private'];
    const output = ['-o', pathOf('out.csv')];
    const says = `1 row without an address · wrote ${pathOf('out.csv')} (3 rows)`;
    expect((await run('bulk', pathOf('list.csv'), ...columns, ...output)).err).toContain(says);
    expect((await run('upload', pathOf('list.csv'), ...columns, '--yes', '--wait', ...output)).err).toContain(says);
    expect((await run('jobs', 'results', 'latest', ...output)).err).toContain(says);
    const rejects = ['--fail-on', 'empty'];
    expect((await run('jobs', 'results', 'latest', ...output, ...rejects)).err).toContain('1 row has no address');
    expect((await run('jobs', 'results', 'latest')).err).toContain('1 row without an address');
    const { out } = await runOn({ tty: true }, ['jobs', 'get', 'latest']);
    expect(out).toContain('3 cells without an address');
    const plain = await run('jobs', 'results', 'latest', '--only', 'valid', '--format', 'plain');
    expect(plain.out).toBe('valid@x.co\nvalid@y.co\n');
  });

  test.each([[['bulk']], [['upload', '--yes', '--wait']]])(
    '%j ends a list of empty rows with a sentence',
    async (command) => {
      writeFileSync(pathOf('list.csv'), 'name,email\nAda,\nBob,\n');
      const { err } = await run(...command, pathOf('list.csv'), '--column', 'email', '-o', pathOf('out.csv'));
      expect(err).toContain('note: The list has no addresses.\n');
    },
  );

  test('say that only a part was taken by --limit', async () => {
    writeFileSync(pathOf('list.csv'), list);
    const says = 'note: --limit took the first 2 rows. Read 2 rows: 2 addresses in the column "email".';
    for (const command of [['bulk'], ['upload', '--yes', '--wait']])
      expect((await run(...command, pathOf('list.csv'), '--limit', '2')).err).toContain(says);
  });

  test('keeps the old file if DNS fails for most of the list', async () => {
    writeFileSync(pathOf('list.csv'), list);
    writeFileSync(pathOf('out.csv'), 'good\n');
    const says = {
      status: 4,
      err: expect.stringContaining('The DNS server gave no answer that can be trusted for most of the list'),
    };
    dnsAnswers = false;
    const output = ['-o', pathOf('out.csv'), '--quiet'];
    expect(await run('upload', pathOf('list.csv'), '--yes', '--wait', ...output)).toMatchObject(says);
    expect(await run('jobs', 'results', 'latest', ...output)).toMatchObject(says);
    expect(await run('upload', pathOf('list.csv'), '--yes', '--wait')).toMatchObject(says);
    expect(readFileSync(pathOf('out.csv'), 'utf8')).toBe('good\n');
    dnsAnswers = true;
    expect(await run('upload', pathOf('list.csv'), '--yes', '--wait', ...output)).toMatchObject({ status: 0 });
    expect(readFileSync(pathOf('out.csv'), 'utf8')).not.toBe('good\n');
  });

  test('keeps the old file without DNS, even if most verdicts are reused', async () => {
    const people = (count: number): string => Array.from({ length: count }, (_, n) => `valid+${n}@x.co\n`).join('');
    writeFileSync(pathOf('list.csv'), `email\n${people(9)}`);
    const nightly = ['--yes', '--wait', '--max-age', '30d', '-o', pathOf('out.csv'), '--quiet'];
    expect(await run('upload', pathOf('list.csv'), ...nightly)).toMatchObject({ status: 0 });
    const oldOutput = readFileSync(pathOf('out.csv'), 'utf8');
    writeFileSync(pathOf('list.csv'), `email\n${people(10)}`);
    dnsAnswers = false;
    expect(await run('upload', pathOf('list.csv'), ...nightly)).toMatchObject({ status: 4 });
    expect(readFileSync(pathOf('out.csv'), 'utf8')).toBe(oldOutput);
  });

  test('domains without name servers are not counted as DNS trouble', async () => {
    writeFileSync(pathOf('list.csv'), list);
    [dnsAnswers, resolverIsDown] = [false, false];
    const output = ['-o', pathOf('out.csv'), '--quiet'];
    expect(await run('upload', pathOf('list.csv'), '--yes', '--wait', ...output)).toMatchObject({ status: 0, err: '' });
    expect(await run('jobs', 'results', 'latest', ...output)).toMatchObject({ status: 0, err: '' });
    expect(readFileSync(pathOf('out.csv'), 'utf8')).toContain('valid@x.co;unknown;dns_error');
  });

  test('shows the worst domains and suggestions on a terminal without -o', async () => {
    writeFileSync(pathOf('list.csv'), 'email\ninvalid@x.co\ntypo@x.co\nvalid@y.co\n');
    const { out } = await runOn({ tty: true }, ['upload', pathOf('list.csv'), '--yes', '--wait']);
    expect(out).toContain('Worst domains   x.co 2 of 2 ✖');
    expect(out).toContain('Suggestions     typo@x.co → valid@x.co');
  });

  test('the objects of a JSON list keep their types', async () => {
    const objects = ['{"id":7,"n":1.50,"vip":true,"tags":["x",{"k":0}],', '{"id":8,"none":null,'];
    writeFileSync(
      pathOf('list.json'),
      `[${objects[0]}\n "email":"valid@x.org"},${objects[1]}"email":"invalid@x.org"}]`,
    );
    const inputs = [`"input":${objects[0]} "email":"valid@x.org"}}`, `"input":${objects[1]}"email":"invalid@x.org"}}`];
    await run('upload', pathOf('list.json'), '--yes', '--wait', '-o', pathOf('out.json'));
    const array = readFileSync(pathOf('out.json'), 'utf8');
    const { out: lines } = await run('jobs', 'results', 'latest', '--format', 'ndjson');
    for (const [index, input] of inputs.entries()) {
      expect(array.split('\n')[index + 1]).toContain(input);
      expect(lines.split('\n')[index]).toContain(input);
    }
  });

  test('reads a workbook, JSON, lines, a vCard, LDIF and a named field as bulk does', async () => {
    const people = [
      ['Ada', 'valid@x.org'],
      ['Bob', 'invalid@x.org'],
    ];
    const named = ['valid', 'invalid'].map((name) => `{"email":"risky@x.org","a.b":"${name}@x.org"}\n`).join('');
    const lists: [name: string, content: string | Uint8Array, ...flags: string[]][] = [
      ['list.xlsx', await buffer(workbookBytes([['name', 'email']], [people]))],
      ['list.json', '[{"name":"Ada","email":"valid@x.org"},{"name":"Bob","email":"invalid@x.org"}]'],
      ['list.txt', '# friends\nvalid@x.org\n# more\ninvalid@x.org\n'],
      ['list.vcf', 'BEGIN:VCARD\nFN:Ada\nEMAIL:valid@x.org\nEMAIL:invalid@x.org\nEND:VCARD\n'],
      ['list.ldif', 'dn: cn=A\ncn: Ada\nmail: valid@x.org\n\ndn: cn=B\ncn: Bob\nmail: invalid@x.org\n\ndn: cn=C\n'],
      ['named.ndjson', named, '--column', 'a.b'],
    ];
    for (const [name, content, ...flags] of lists) {
      writeFileSync(pathOf(name), content);
      const uploaded = await run(
        'upload',
        pathOf(name),
        '--yes',
        '--wait',
        '-o',
        pathOf('uploaded.csv'),
        '-q',
        ...flags,
      );
      const vetted = await run('bulk', pathOf(name), '-o', pathOf('vetted.csv'), '-q', ...flags);
      expect([name, uploaded.status, vetted.status]).toEqual([name, 0, 0]);
      const [uploadedText, vettedText] = ['uploaded.csv', 'vetted.csv'].map((file) =>
        readFileSync(pathOf(file), 'utf8'),
      );
      expect(uploadedText).toBe(vettedText);
      expect(uploadedText).toContain('invalid@x.org,invalid,');
    }
  });
});

test('upload --exclude: rows of a suppression list are not vetted, as with bulk, even with an earlier verdict', async () => {
  const home = makeHome();
  const pathOf = (name: string): string => join(home, name);
  const engine = bundledEngine({ level: 'syntax' });
  const jobs = openLocalJobs({
    ...{ home, canonical: keyOfAddress, level: 'syntax', maxOpenRows: 100 },
    openAsker: async (job) => {
      // Only answers that take time are kept.
      const { judge: _, ...asker } = await engine.jobAsker(job);
      return asker;
    },
    isResolverDown: () => false,
  });
  try {
    writeFileSync(pathOf('list.csv'), 'email\na@x.org\nb@x.org\nc@stop.org\na@x.org\n');
    writeFileSync(pathOf('stop.csv'), 'address,since,kind,times\nA@x.org,2026-11-03,hard,1\n');
    writeFileSync(pathOf('domains.txt'), 'stop.org\n');
    const service = fakeService({ ...engine, ...jobs, close: async () => {} });
    const run = (...args: string[]): Promise<CliRun> =>
      runCli(args, { tty: false, service, environment: { MAILVET_HOME: home } });
    const excluded = ['--exclude', pathOf('stop.csv'), '--exclude', pathOf('domains.txt')];
    await run('upload', pathOf('list.csv'), '--yes', '--wait', '-o', pathOf('first.csv'), '-q');
    const job = await run('upload', pathOf('list.csv'), '--yes', '--wait', '--max-age', '30d', ...excluded);
    expect(JSON.parse(job.out)).toMatchObject({
      valid_count: 1,
      suppressed_count: 3,
      empty_count: 0,
      credits_used: 0,
      reused_count: 1,
    });
    expect(job.err).toContain('note: 3 addresses are on a list of --exclude, and not vetted.');
    await run('upload', pathOf('list.csv'), '--yes', '--wait', ...excluded, '-o', pathOf('uploaded.csv'), '-q');
    await run('bulk', pathOf('list.csv'), ...excluded, '-o', pathOf('vetted.csv'), '-q');
    expect(readFileSync(pathOf('uploaded.csv'), 'utf8')).toBe(readFileSync(pathOf('vetted.csv'), 'utf8'));
    expect((await run('upload', pathOf('list.csv'), '--yes', '--exclude', pathOf('none.csv'))).status).toBe(2);
  } finally {
    await jobs.close();
    rmSync(home, { recursive: true, force: true });
  }
});
