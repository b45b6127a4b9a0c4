import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stdinPath } from '../../../../src/cli/commands/upload/define.js';
import { workbookBytes } from '../../../../src/rows/write/write-workbook.js';
import { keyOfAddress } from '../../../../src/service/dedupe/mailbox-key.js';
import { type LocalJobs, openLocalJobs } from '../../../../src/service/local/jobs.js';
import { bundledEngine } from '../../../../src/service/local/validation.js';
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
      openVet: async () => async (email) => answerTo(email),
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
  const written = (start: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(home)
        .filter((name) => name.startsWith(start))
        .map((name) => [name.slice(start.length), readFileSync(pathOf(name), 'utf8')]),
    );
  const statsIn = (path: string) => {
    const { total, valid_count, invalid_count, duplicate_count, empty_count, changes } = JSON.parse(
      readFileSync(path, 'utf8'),
    );
    return { total, valid_count, invalid_count, duplicate_count, empty_count, changes };
  };

  const two = 'id,Email,Email\n1,,valid@x.co\n2,invalid@x.co,valid@y.co\n3,,\n4,valid@x.co,typo@x.co\n';
  const list = 'name;email\nAda;valid@x.co\n"=1+1";invalid@x.co\n;\nBob;risky@x.co\nAda;VALID@x.co\nEve;typo@x.co\n';
  const verdict = 'mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean';
  const earlier = `email,${verdict}\nvalid@x.co,invalid,,1,false,\nleft@x.co,valid,,1,true,\n`;

  test.each([
    {
      name: 'an encoding',
      text: Buffer.from('name,email\nM\xfcller,valid@x.co\n', 'latin1'),
      args: ['--encoding', 'windows-1253'],
    },
    { name: 'an unnamed encoding', text: Buffer.from('name,email\nM\xfcller,valid@x.co\n', 'latin1'), args: [] },
    { name: 'no header', text: 'a,valid@x.co\nb,invalid@x.co\n', args: ['--header', 'none', '--column', '2'] },
    {
      name: 'lines above the header',
      text: 'Export;;\nof today\nid,email\n1,valid@x.co\n',
      args: ['--header', '3'],
    },
    { name: 'tabs', text: '"sep=\t"\nid\temail\n"1, 2"\tvalid@x.co\n', args: [] },
    { name: '--clean with tabs', text: list.replaceAll(';', '\t'), args: ['--clean'] },
    { name: 'several columns', text: two.replace('Email,Email', 'work,private'), args: ['--column', 'work,private'] },
    { name: 'one of two columns of the same name', text: two, args: ['--column', '3'] },
    { name: 'the fuller of two columns of the same name', text: two, args: [] },
    { name: 'the three files of --clean', text: list, args: ['--clean'] },
    { name: '--clean with several columns', text: two, args: ['--clean', '--column', '2,3'] },
    { name: '--dedupe', text: list, args: ['--dedupe'] },
    { name: '--dedupe with several columns', text: two, args: ['--dedupe', '--column', '2,3'] },
    { name: 'a tab before an address', text: 'id,email\n1,\tvalid@x.co\n\t2,"\tinvalid@x.co"\n', args: [] },
    { name: '--since', text: list, args: ['--since', 'EARLIER'] },
    { name: '--since and --only-changed', text: list, args: ['--since', 'EARLIER', '--only-changed'] },
    { name: '--since with --limit', text: list, args: ['--limit', '2', '--since', 'EARLIER', '--only-changed'] },
    { name: '--limit', text: list, args: ['--limit', '2'] },
    { name: '--only', text: list, args: ['--only', 'valid,empty'] },
    { name: 'text', text: '<p>valid@x.co</p>\n<a href="mailto:invalid@x.co">', args: ['--input', 'text'] },
    { name: 'lines', text: 'valid@x.co, invalid@x.co\nrisky@x.co\n', args: ['--input', 'lines'] },
  ])('write the same for $name', async ({ text, args: given }) => {
    writeFileSync(pathOf('list.csv'), text);
    writeFileSync(pathOf('earlier.csv'), earlier);
    // The correction of `typo@x.co`.
    writeFileSync(pathOf('stop.txt'), 'VALID@x.co\n');
    const files: Record<string, string> = { EARLIER: pathOf('earlier.csv'), STOP: pathOf('stop.txt') };
    const args = given.map((arg) => files[arg] ?? arg);
    const byBulk = await run(
      'bulk',
      pathOf('list.csv'),
      ...args,
      '-o',
      pathOf('one.csv'),
      '--summary',
      pathOf('1.json'),
    );
    expect(byBulk).toMatchObject({ status: 0 });
    const outputs = ['-o', pathOf('two.csv'), '--summary', pathOf('2.json')];
    const byUpload = await run('upload', pathOf('list.csv'), '--yes', '--wait', ...args, ...outputs);
    expect(byUpload).toMatchObject({ status: 0 });
    expect(written('two')).toEqual(written('one'));
    expect(statsIn(pathOf('2.json'))).toEqual(statsIn(pathOf('1.json')));

    const forResults = args.filter((arg) => ['--clean', '--dedupe'].includes(arg));
    const changes = args.includes('--since') ? args.slice(args.indexOf('--since')) : [];
    const wanted = args.includes('--only') ? args : [];
    await run('jobs', 'results', 'latest', ...forResults, ...changes, ...wanted, '-o', pathOf('three.csv'));
    expect(written('three')).toEqual(written('one'));
  });

  test('read an address in a nested object of JSON', async () => {
    const list = pathOf('nested.json');
    writeFileSync(list, '[{"id":1,"user":{"email":"valid@b.co","on":true}},{"id":2,"user":{"email":"invalid@b.co"}}]');
    const flags = ['--column', 'user.email', '--format', 'csv', '--quiet'];
    const bulk = await run('bulk', list, ...flags);
    expect(bulk.out).toMatch(/^id,user\.email,user\.on,mailvet_status.*\n1,valid@b\.co,true,valid,/);
    expect(await run('upload', list, '--yes', '--wait', ...flags)).toMatchObject({ status: 0, out: bulk.out });
  });

  test.each([
    {
      args: ['--limit', '2'],
      says: 'note: --limit took the first 2 rows. Read 2 rows: 2 addresses in the column "email".',
    },
  ])('say that only a part was taken by $args', async ({ args, says }) => {
    writeFileSync(pathOf('list.csv'), list);
    expect((await run('bulk', pathOf('list.csv'), ...args)).err).toContain(says);
    expect((await run('upload', pathOf('list.csv'), '--yes', '--wait', ...args)).err).toContain(says);
  });

  test('keeps the old file if DNS fails for most of the list', async () => {
    writeFileSync(pathOf('list.csv'), list);
    writeFileSync(pathOf('out.csv'), 'good\n');
    const says = { status: 4, err: expect.stringContaining('The DNS server did not answer for most of the list') };
    dnsAnswers = false;
    const output = ['-o', pathOf('out.csv'), '--summary', pathOf('sum.json'), '--quiet'];
    expect(await run('upload', pathOf('list.csv'), '--yes', '--wait', ...output)).toMatchObject(says);
    rmSync(pathOf('out.csv.partial'));
    expect(await run('jobs', 'results', 'latest', ...output)).toMatchObject(says);
    expect(readFileSync(pathOf('out.csv.partial'), 'utf8')).toContain('valid@x.co;unknown;dns_error');
    expect(await run('upload', pathOf('list.csv'), '--yes', '--wait', '--summary', pathOf('sum.json'))).toMatchObject(
      says,
    );
    expect([readFileSync(pathOf('out.csv'), 'utf8'), existsSync(pathOf('sum.json'))]).toEqual(['good\n', false]);
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
    const output = ['-o', pathOf('out.csv'), '--summary', pathOf('sum.json'), '--quiet'];
    expect(await run('upload', pathOf('list.csv'), '--yes', '--wait', ...output)).toMatchObject({ status: 0, err: '' });
    expect(await run('jobs', 'results', 'latest', ...output)).toMatchObject({ status: 0, err: '' });
    expect(readFileSync(pathOf('out.csv'), 'utf8')).toContain('valid@x.co;unknown;dns_error');
  });

  test.each(['csv', 'table'])('--only-changed prints no header as %s if nothing changed', async (format) => {
    writeFileSync(pathOf('list.csv'), list);
    await run('upload', pathOf('list.csv'), '--yes', '--wait', '-o', pathOf('last.csv'));
    const changed = ['--since', pathOf('last.csv'), '--only-changed', '--quiet', '--format', format];
    expect(await run('jobs', 'results', 'latest', ...changed)).toMatchObject({ status: 0, out: '', err: '' });
    expect(await run('bulk', pathOf('list.csv'), ...changed)).toMatchObject({ status: 0, out: '', err: '' });
    expect(await run('bulk', pathOf('list.csv'), ...changed, '-o', pathOf('file'))).toMatchObject({
      status: 0,
      out: '',
    });
    expect(readFileSync(pathOf('file'), 'utf8').trim().split('\n')).toHaveLength(1);
    writeFileSync(pathOf('list.csv'), `${list}Dan;valid@new.co\n`);
    const { out } = await run('bulk', pathOf('list.csv'), ...changed);
    expect(out.trim().split('\n')).toEqual([expect.stringMatching(/email/i), expect.stringContaining('valid@new.co')]);
  });

  test('shows the worst domains and suggestions on a terminal without -o', async () => {
    writeFileSync(pathOf('list.csv'), 'email\ninvalid@x.co\ntypo@x.co\nvalid@y.co\n');
    const { out } = await runOn({ tty: true }, ['upload', pathOf('list.csv'), '--yes', '--wait']);
    expect(out).toContain('Worst domains   x.co 2 of 2 ✖');
    expect(out).toContain('Suggestions     typo@x.co → valid@x.co');
  });

  test('reports what was read, and anything unusual in it', async () => {
    writeFileSync(pathOf('list.csv'), 'id,email,other\n1,valid@x.co,b@x.co\n2,,\n3,"valid@y.co, c@y.co",\n');
    const { err } = await run('upload', pathOf('list.csv'), '--yes', '--wait');
    expect(err).toContain('Read 3 rows: 2 addresses in the column "email", 1 row without an address.');
    expect(err).toContain('Other columns hold addresses that are not vetted: "other" (1 row)');
    expect(err).toContain('--input text finds each');
    const quiet = await run('upload', pathOf('list.csv'), '--yes', '--wait', '--quiet');
    expect(quiet.err).toBe('');
    expect(JSON.parse(quiet.out)).toMatchObject({ status: 'completed', processed: 3 });
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

  test.each(['list.json', 'list.ndjson'])('takes a nested field of %s next to an email field', async (name) => {
    const objects = [
      '{"email":"risky@x.org","a":{"b":"valid@x.org"}}',
      '{"email":"risky@y.org","a":{"b":"valid@y.org"}}',
    ];
    writeFileSync(pathOf(name), name.endsWith('ndjson') ? objects.join('\n') : `[${objects.join(',')}]`);
    const column = ['--column', 'a.b'];
    expect(await run('upload', pathOf(name), '--yes', '--wait', ...column, '-o', pathOf('one.csv'))).toMatchObject({
      status: 0,
    });
    await run('bulk', pathOf(name), ...column, '-o', pathOf('two.csv'));
    expect(readFileSync(pathOf('one.csv'), 'utf8')).toBe(readFileSync(pathOf('two.csv'), 'utf8'));
    expect(readFileSync(pathOf('one.csv'), 'utf8')).toContain('risky@y.org,valid@y.org,valid,');
    const { status, err } = await run('upload', pathOf(name), '--yes', '--wait', '--column', 'a.c');
    expect([status, err]).toEqual([2, expect.stringContaining('Did you mean "a.b"?')]);
  });

  test('reads a workbook, JSON, a vCard and LDIF as bulk does', async () => {
    const lists: Record<string, string | Uint8Array> = {
      'list.xlsx': await buffer(
        workbookBytes(
          [['name', 'email']],
          [
            [
              ['Ada', 'valid@x.org'],
              ['Bob', 'invalid@x.org'],
            ],
          ],
        ),
      ),
      'list.json': '[{"name":"Ada","email":"valid@x.org"},{"name":"Bob","email":"invalid@x.org"}]',
      'list.vcf': 'BEGIN:VCARD\nFN:Ada\nEMAIL:valid@x.org\nEMAIL:invalid@x.org\nEND:VCARD\n',
      'list.ldif': 'dn: cn=A\ncn: Ada\nmail: valid@x.org\n\ndn: cn=B\ncn: Bob\nmail: invalid@x.org\n\ndn: cn=C\n',
    };
    for (const [name, content] of Object.entries(lists)) {
      writeFileSync(pathOf(name), content);
      const uploaded = await run('upload', pathOf(name), '--yes', '--wait', '-o', pathOf('uploaded.csv'), '-q');
      const vetted = await run('bulk', pathOf(name), '-o', pathOf('vetted.csv'), '-q');
      expect([name, uploaded.status, vetted.status]).toEqual([name, 0, 0]);
      const [uploadedText, vettedText] = ['uploaded.csv', 'vetted.csv'].map((file) =>
        readFileSync(pathOf(file), 'utf8'),
      );
      expect(uploadedText).toBe(vettedText);
      expect(uploadedText).toContain('invalid@x.org,invalid,');
    }
  });

  test.each([
    { name: '--clean without --wait', args: ['--clean'], says: '--clean needs --wait' },
    { name: 'two files', args: ['other.csv'], says: 'upload takes one file at a time' },
    { name: 'another format', args: ['--input', 'json'], says: 'The JSON is malformed' },
    { name: 'statistics in the place of the list', args: ['--wait', '--summary', 'LIST'], says: 'is the list itself' },
    { name: 'two outputs in one place', args: ['--wait', '-o', 'OUT', '--summary', 'OUT'], says: 'the same file' },
    { name: 'an unknown encoding', args: ['--encoding', 'klingon'], says: 'not a supported encoding' },
    { name: 'a report in the place of the list', args: ['--wait', '--report', 'LIST'], says: 'is the list itself' },
    {
      name: 'a report that is not a page',
      args: ['--wait', '--report', 'r.txt'],
      says: '--report writes an HTML page',
    },
    { name: 'sorted rows as NDJSON', args: ['--wait', '--clean', '--format', 'ndjson'], says: '--clean writes CSV' },
    { name: 'a missing folder for a report', args: ['--wait', '--report', 'no/x.html'], says: 'folder does not exist' },
    {
      name: 'a missing folder for statistics',
      args: ['--wait', '--summary', 'no/x.json'],
      says: 'folder does not exist',
    },
  ])('refuses $name before any work', async ({ args: given, says }) => {
    writeFileSync(pathOf('list.csv'), list);
    const args = given.map((arg) => (arg === 'LIST' ? pathOf('list.csv') : arg === 'OUT' ? pathOf('o.csv') : arg));
    const { status, err } = await run('upload', pathOf('list.csv'), '--yes', ...args);
    expect({ status, err }).toEqual({ status: 2, err: expect.stringContaining(says) });
    expect(existsSync(pathOf('o.csv'))).toBe(false);
    expect((await jobs.listJobs({ skip: 0, limit: 1 })).jobs).toEqual([]);
    expect(readFileSync(pathOf('list.csv'), 'utf8')).toBe(list);
  });
});

describe('upload --exclude', () => {
  test('rows of a suppression list are not vetted, as with bulk, even with an earlier verdict', async () => {
    const home = makeHome();
    const pathOf = (name: string): string => join(home, name);
    const engine = bundledEngine({ level: 'syntax' });
    const jobs = openLocalJobs({
      ...{ home, canonical: keyOfAddress, level: 'syntax', maxOpenRows: 100 },
      openVet: async (caller, job) => {
        const vet = await engine.openVet(caller, job);
        // Only answers that take time are cached.
        const delayed: typeof vet = async (email) => vet(email);
        return Object.assign(delayed, vet.ignoresCache && { ignoresCache: vet.ignoresCache });
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
      const missing = await run('upload', pathOf('list.csv'), '--yes', '--exclude', pathOf('none.csv'));
      expect(missing.status).toBe(2);
    } finally {
      await jobs.close();
      rmSync(home, { recursive: true, force: true });
    }
  });
});

test('stdin has a path, except on Windows', () => {
  expect(stdinPath('linux')).toBe('/dev/stdin');
  expect(stdinPath('darwin')).toBe('/dev/stdin');
  expect(() => stdinPath('win32')).toThrow('cannot be read from a pipe');
});
