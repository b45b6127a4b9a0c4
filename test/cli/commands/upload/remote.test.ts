import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../../../../src/cli/program.js';
import { Failure } from '../../../../src/model/failure.js';
import { workbookBytes } from '../../../../src/rows/write/write-workbook.js';
import { openRemoteService } from '../../../../src/service/remote/remote.js';
import { type FakeService, startFakeService } from '../../../fakes/fake-service.js';
import { freshFolder, runCli } from '../../run-cli.js';

let fake: FakeService;
beforeEach(async () => {
  fake = await startFakeService({ hasResults: true });
});
afterEach(() => fake.stop());

const home = freshFolder();

async function upload(args: string[], tty = false, dataDirectory = home, signal?: AbortSignal) {
  const service = await openRemoteService({ baseUrl: fake.url, apiKey: fake.apiKey, retries: 0 });
  const environment = { MAILVET_HOME: dataDirectory };
  return runCli(['upload', ...args, '--remote'], { tty, service, environment, ...(signal && { signal }) });
}

function csvOf(rows: number): string {
  const path = join(freshFolder(), 'people.csv');
  writeFileSync(
    path,
    `name,email\n${Array.from({ length: rows }, (_, index) => `P${index},p${index}@site.example\n`).join('')}`,
  );
  return path;
}

/** From now on each poll finds the jobs completed, or as given. */
function finishJobs(change: Record<string, unknown> = {}): void {
  fake.misbehave(({ method }) => {
    if (method === 'GET') for (const job of fake.jobs) Object.assign(job, { status: 'completed', ...change });
    return undefined;
  });
}

/** A command that reads jobs, and its back end. */
async function onService(args: string[], environment: Record<string, string> = {}, tty = false) {
  const service = await openRemoteService({ baseUrl: fake.url, apiKey: fake.apiKey, retries: 0 });
  return runCli([...args, '--remote'], { tty, service, environment });
}

const confirmations = () => fake.seen.filter(({ path }) => path.endsWith('/confirm')).length;
const sentFiles = () => fake.seen.flatMap(({ file }) => (file === null ? [] : [file.filename])).sort();

describe('an upload to a service', () => {
  test('makes one job, and prints it unchanged to a pipe', async () => {
    const { status, out } = await upload([csvOf(3), '--yes']);
    expect({ status, job: JSON.parse(out) }).toMatchObject({
      status: 0,
      job: { status: 'queued', id: fake.jobs[0]?.id },
    });
    expect(fake.violations).toEqual([]);
  });

  test('asks a service for nothing that the interface does not have, and starts no job whose rows it cannot get', async () => {
    fake.isMailvet = false;
    const refused = await upload([csvOf(3), '--yes', '--wait', '-o', join(freshFolder(), 'out.csv')]);
    expect(refused).toMatchObject({ status: 2, err: expect.stringContaining('does not send the rows of a job') });
    expect(refused.err).toMatch(/mailvet bulk \S+people\.csv/);
    expect(fake.seen.filter(({ method }) => method === 'POST')).toEqual([]);
    const { status } = await upload([csvOf(1_500), '--yes']);
    expect({ status, violations: fake.violations }).toEqual({ status: 0, violations: [] });
  });

  test.each([
    { args: ['--limit', '2'], err: 'note: --limit took the first 2 rows.\n' },
    { args: ['--limit', '9'], err: '' },
  ])('says that $args takes a part of the file, and how to follow the job', async ({ args, err }) => {
    const run = await upload([csvOf(3), '--yes', ...args]);
    const follow = `note: The service runs the job. Follow it with: mailvet jobs get ${fake.jobs[0]?.id} --watch`;
    expect(run.status).toBe(0);
    expect(run.err).toMatch(new RegExp(`^${err.replaceAll('.', '\\.')}${follow}[^\n]*\n$`));
  });

  /** The service answers with rows of its own reading, in UTF-8. */
  function answerRows(columns: string[], emails: string[], job: Record<string, unknown> = {}): void {
    const rows = emails.map((email) => JSON.stringify({ cells: ['?', email], email, verdict: null }));
    const body = `${[JSON.stringify({ columns }), ...rows].join('\n')}\n`;
    const headers = { 'content-type': 'application/x-ndjson' };
    fake.misbehave(({ method, path }) => {
      if (method === 'GET') for (const each of fake.jobs) Object.assign(each, { status: 'completed', ...job });
      return path.endsWith('/results') ? { status: 200, body, headers } : undefined;
    });
  }

  test.each([
    { of: 'a byte order mark and semicolons', text: '\u00ef\u00bb\u00bfname;email\r\n"Ada";ada@site.example\r\n' },
    { of: 'windows-1252 and quotes', text: 'name,email\n"J\u00f6rg, \u0080",ada@site.example\n\n' },
    { of: 'no header', text: 'J\u00f6rg,ada@site.example\n', column: 'column_2' },
  ])('writes the bytes of a file with $of', async ({ text, column = 'email' }) => {
    const list = join(freshFolder(), 'people.csv');
    writeFileSync(list, text, 'latin1');
    answerRows(column === 'email' ? ['name', 'email'] : ['column_1', column], ['ada@site.example']);
    const { status } = await upload([list, '--column', column, '--yes', '--wait', '-o', `${list}.out.csv`]);
    const written = readFileSync(`${list}.out.csv`, 'latin1');
    // Only our columns are added.
    const bare = written.replace(/[;,]mailvet_[^\r\n]*/, '').replace(/(?<=example)[;,]+(?=\r?\n)/, '');
    expect({ status, bare }).toEqual({ status: 0, bare: text });
  });

  test.each([
    { emails: ['eve@site.example'], of: 'another address' },
    { emails: [], of: 'a row less' },
    { emails: ['ada@site.example', 'bob@site.example'], of: 'a row more' },
  ])('writes no row if the service read $of', async ({ emails }) => {
    const list = join(freshFolder(), 'people.csv');
    writeFileSync(list, 'name,email\nAda,ada@site.example\n');
    answerRows(['name', 'email'], emails);
    const flags = ['--base-url', fake.url];
    const { status, err } = await upload([list, '--yes', '--wait', '-o', `${list}.out.csv`, ...flags]);
    expect({ status, err }).toEqual({ status: 4, err: expect.stringContaining('other rows than the file has') });
    expect(err).toContain(`mailvet jobs results ${fake.jobs[0]?.id} --remote --base-url ${fake.url}`);
    expect(existsSync(`${list}.out.csv`)).toBe(false);
  });

  test('closes with the name of the list, whatever was sent', async () => {
    const list = join(freshFolder(), 'crm.xlsx');
    writeFileSync(list, await buffer(workbookBytes([['name', 'email']], [[['Ada', 'ada@site.example']]])));
    answerRows(['name', 'email'], ['ada@site.example'], { total: 1, processed: 1, valid_count: 1, duplicate_count: 0 });
    const { err } = await upload([list, '--yes', '--wait', '-o', `${list}.out.csv`]);
    expect({ sent: sentFiles(), err }).toEqual({
      sent: ['crm.csv'],
      err: expect.stringMatching(/^note: crm\.xlsx: /m),
    });
  });

  test('says what is unusual in the list before it is paid for', async () => {
    const list = join(freshFolder(), 'crm.csv');
    const rows = 'a@site.example,x@site.example\n"b@site.example, c@site.example",y@site.example\n';
    writeFileSync(list, `Email A,Email B\n${rows}`);
    fake.misbehave(({ path }) => (path.endsWith('/confirm') ? { status: 402 } : undefined));
    const { err } = await upload([list, '--yes']);
    expect(err).toContain('warning: The column "Email A" is vetted, but "Email B" may be meant.');
    expect(err).toContain('note: Row 3 holds several addresses');
    expect((await upload([list, '--yes', '--column', '2'])).err).not.toMatch(/may be meant|several/);
  });

  test('jobs results writes the layout that the service sends', async () => {
    fake.jobs.push({ id: 'job', status: 'completed' });
    const layout = { has_header: true, delimiter: ';', preamble: 'Export;\r\n', line_end: '\r\n' };
    const row = { cells: ['Ada', 'ada@site.example'], email: 'ada@site.example', verdict: null };
    const body = `${JSON.stringify({ columns: ['name', 'email'], layout })}\n${JSON.stringify(row)}\n`;
    const headers = { 'content-type': 'application/x-ndjson' };
    fake.misbehave(({ path }) => (path.endsWith('/results') ? { status: 200, body, headers } : undefined));
    const target = join(freshFolder(), 'out.csv');
    expect((await onService(['jobs', 'results', 'job', '-o', target])).status).toBe(0);
    expect(readFileSync(target, 'utf8')).toMatch(/^Export;\r\nname;email;mailvet_status;.*\r\nAda;ada@site\.example;/);
  });

  test('sends a long file in parts, and prints one document with their jobs', async () => {
    const { status, out } = await upload([csvOf(25), '--yes', '--set', 'max_rows=10', '--column', 'email']);
    expect(status).toBe(0);
    expect(sentFiles()).toEqual(['people.part-1.csv', 'people.part-2.csv', 'people.part-3.csv']);
    const { jobs, status: sum } = JSON.parse(out);
    expect(sum).toBe('queued');
    expect(jobs.map(({ id }: { id: string }) => id).sort()).toEqual(fake.jobs.map(({ id }) => id).sort());
  });

  test.each([{ rows: 3 }, { rows: 25 }])('prints all keys that a local job has: $rows rows', async ({ rows }) => {
    const { out } = await upload([csvOf(rows), '--yes', '--set', 'max_rows=10']);
    const { jobs = [], ...job } = JSON.parse(out);
    const added = { interrupted: false, last_run_at: null, resolver_down: false };
    for (const each of [job, ...jobs]) expect(each).toMatchObject(added);
  });

  test.each([
    { name: 'one job', rows: 3, flags: ['--json'], note: false },
    { name: 'several jobs', rows: 25, flags: ['--json'], note: false },
    { name: 'the rows of one job', rows: 3, flags: ['--format', 'json'], note: true },
    { name: 'the rows of several jobs', rows: 25, flags: ['--format', 'json'], note: true },
  ])(
    'a service with only the documented interface: --wait $flags of $name succeeds with its counts',
    async ({ rows, flags, note }) => {
      await fake.stop();
      fake = await startFakeService();
      finishJobs();
      const { status, out, err } = await upload([csvOf(rows), '--yes', '--set', 'max_rows=10', '--wait', ...flags]);
      expect({ status, ended: JSON.parse(out).status }).toEqual({ status: 0, ended: 'completed' });
      for (const { id } of fake.jobs) expect(out).toContain(id);
      expect(err.includes('does not send rows')).toBe(note);
    },
  );

  test.each([
    { name: 'fails there', ends: 'failed', args: ['--wait'], want: 4 },
    { name: 'has lost the rows for -o', ends: 'completed', args: ['--wait', '-o', '/dev/null'], want: 5 },
    { name: 'runs in the background, with --quiet', ends: 'queued', args: ['--quiet'], want: 0 },
  ])('prints the id of a charged job that $name', async ({ ends, args, want }) => {
    await fake.stop();
    fake = await startFakeService();
    fake.isMailvet = true;
    finishJobs({ status: ends });
    const { status, out } = await upload([csvOf(3), '--yes', ...args]);
    expect(status).toBe(want);
    expect(out).toContain(fake.jobs[0]?.id);
  });

  test('reports the id of a charged job even if stdout cannot be written', async () => {
    const full = new Failure('storage', 'The disk is full.');
    const unread: typeof runProgram = (args, host) =>
      runProgram(args, {
        ...host,
        terminal: { ...host.terminal, stdout: { ...host.terminal.stdout, write: () => Promise.reject(full) } },
      });
    const service = await openRemoteService({ baseUrl: fake.url, apiKey: fake.apiKey, retries: 0 });
    const args = ['upload', csvOf(3), '--yes', '--quiet', '--remote'];
    const { status, err } = await runCli(args, { tty: false, service }, unread);
    expect(status).toBe(6);
    expect(err).toContain(fake.jobs[0]?.id);
  });

  test('--wait follows the job to its end and writes the rows of all parts', async () => {
    finishJobs();
    const target = join(freshFolder(), 'vetted.csv');
    expect((await upload([csvOf(25), '--yes', '--set', 'max_rows=10', '--wait', '-o', target])).status).toBe(0);
    expect(readFileSync(target, 'utf8').trim().split('\n')).toHaveLength(26);
  });

  test('a second start ends with 6, and nothing is charged twice', async () => {
    finishJobs();
    const [list, folder] = [csvOf(3), freshFolder()];
    const same = () => upload([list, '--yes', '--wait'], false, folder);
    const runs = await Promise.all([same(), same()]);
    expect(runs.map(({ status }) => status).sort()).toEqual([0, 6]);
    expect(fake.jobs).toHaveLength(1);
    expect(runs.map(({ err }) => err).join()).toContain('already working on people.csv');
  });

  test('works without a writable data directory, and notes what it cannot detect', async () => {
    finishJobs();
    const { status, err } = await upload([csvOf(3), '--yes', '--wait'], false, '/dev/null/nowhere');
    expect(status).toBe(0);
    expect(err).toContain('A second start of the same upload cannot be detected.');
  });

  test('keeps the old output and ends with 4 if rows are missing', async () => {
    answerRows(['name', 'email'], ['p0@site.example'], { processed: 3 });
    const target = join(freshFolder(), 'vetted.csv');
    writeFileSync(target, 'of yesterday\n');
    const { status, err } = await upload([csvOf(3), '--yes', '--wait', '-o', target]);
    expect({ status, kept: readFileSync(target, 'utf8') }).toEqual({ status: 4, kept: 'of yesterday\n' });
    expect(err).toContain('sent 1 of 3 rows');
    const laterRun = await onService(['jobs', 'results', fake.jobs[0]?.id ?? '', '-o', target]);
    expect([laterRun.status, readFileSync(target, 'utf8')]).toEqual([4, 'of yesterday\n']);
  });

  describe('of which a part was not sent', () => {
    const jobs = (...args: string[]) => onService(['jobs', ...args], { MAILVET_HOME: home }, args[0] === 'results');
    const counts = { valid_count: 1, invalid_count: 0, risky_count: 0, unknown_count: 0, duplicate_count: 0 };
    const uploadTwoOfThree = async (tty: boolean) => {
      fake.misbehave(({ method, file }) => {
        const done = { status: 'completed', total: 1, processed: 1, credits_used: 1, email_column: 'email', ...counts };
        if (method === 'GET') for (const job of fake.jobs) Object.assign(job, done);
        return file?.filename === 'people.part-2.csv' ? { status: 402 } : undefined;
      });
      return upload([csvOf(3), '--yes', '--wait', '--set', 'max_rows=1'], tty, freshFolder());
    };
    // Parts may arrive in any order.
    const inOrder = () =>
      fake.jobs.toSorted((first, second) => (String(first['filename']) < String(second['filename']) ? -1 : 1));
    const ids = () =>
      inOrder()
        .map(({ id }) => id)
        .join(',');

    test('does not look complete', async () => {
      const { status, out } = await uploadTwoOfThree(true);
      expect(status).toBe(3);
      expect(out).toContain('(2 of 3 parts)');
      expect(out).toMatch(/State +failed/);
      expect(out).toMatch(/66% · 2 of 3/);
      expect(out).not.toMatch(/every row|jobs resume/);
      const { out: json } = await uploadTwoOfThree(false);
      expect(JSON.parse(json)).toMatchObject({ status: 'failed', total: 3, processed: 2, jobs: [{}, {}] });
    });

    test('prints commands that take the ids of all parts', async () => {
      const { out } = await uploadTwoOfThree(true);
      expect(out.replace(/\s+(?:\\\s+)?/g, ' ')).toMatch(/mailvet jobs results \S{36},\S{36} -o list\.vetted\.csv/);
      const target = join(freshFolder(), 'out.csv');
      expect(await jobs('results', ids(), '-o', target)).toMatchObject({ status: 0 });
      expect(readFileSync(target, 'utf8').split('\n')).toHaveLength(4);
      expect(JSON.parse((await jobs('get', ids())).out)).toMatchObject({ id: ids(), total: 2, email_column: 'email' });
    });

    test('is not to be resumed, which a service cannot do', async () => {
      await uploadTwoOfThree(false);
      for (const job of fake.jobs) job['unknown_count'] = 1;
      fake.misbehave(() => undefined);
      const { status, err } = await jobs('results', ids(), '-o', join(freshFolder(), 'out.csv'));
      expect({ status, err }).toEqual({ status: 0, err: expect.not.stringContaining('jobs resume') });
    });

    test('is canceled as a whole', async () => {
      await uploadTwoOfThree(false);
      fake.misbehave(() => undefined);
      for (const job of fake.jobs) job.status = 'running';
      expect(JSON.parse((await jobs('cancel', ids())).out)).toMatchObject({ id: ids(), status: 'canceled' });
    });
  });

  test('a failed remote job ends with 4', async () => {
    finishJobs({ status: 'failed', error: 'no such plan' });
    const { status, err } = await upload([csvOf(3), '--yes', '--wait']);
    expect(status).toBe(4);
    expect(err).toContain('no such plan');
  });

  test('a job that ran while its resolver was down ends with 4, and its id is printed', async () => {
    const down = { resolver_down: true, unknown_count: 3, sub_status_counts: { dns_error: 3 } };
    finishJobs(down);
    const { status, out, err } = await upload([csvOf(3), '--yes', '--wait']);
    expect({ status, id: JSON.parse(out).id }).toEqual({ status: 4, id: fake.jobs[0]?.id });
    expect(err).toContain('The DNS server gave no answer that can be trusted for most of the list');
  });

  test.each([['--wait'], []])(
    'that was stopped while it created its jobs is continued, once (%j)',
    async (...flags) => {
      const folder = freshFolder();
      const args = [csvOf(5), '--yes', '--set', 'max_rows=2', ...flags];
      const stop = new AbortController();
      fake.misbehave(() => {
        if (confirmations() > 1) stop.abort();
        return undefined;
      });
      expect(await upload(args, false, folder, stop.signal)).toMatchObject({ status: 130 });
      expect(fake.jobs.length).toBeGreaterThan(0);
      finishJobs();
      const { status, err } = await upload(args, false, folder);
      expect({ status, jobs: fake.jobs.length }).toEqual({ status: 0, jobs: 3 });
      expect(err).toContain('note: Continuing an upload of this list');
      // Without --wait, the rows were not fetched.
      const isNew = flags.length > 0;
      expect((await upload(args, false, folder)).err.includes('Continuing')).toBe(!isNew);
      expect(fake.jobs.length).toBe(isNew ? 6 : 3);
    },
  );

  test('that was stopped while it created its job, which was canceled then, starts another one', async () => {
    const folder = freshFolder();
    const args = [csvOf(3), '--yes'];
    const stop = new AbortController();
    fake.misbehave(({ path }) => {
      if (path.endsWith('/confirm')) stop.abort();
      return undefined;
    });
    expect(await upload(args, false, folder, stop.signal)).toMatchObject({ status: 130 });
    fake.misbehave(() => undefined);
    for (const job of fake.jobs) job.status = 'canceled';
    expect(fake.jobs).toHaveLength(1);
    expect(await upload(args, false, folder)).toMatchObject({ status: 0 });
    expect(fake.jobs.map(({ status }) => status)).toEqual(['canceled', 'queued']);
  });

  test('uploads whose jobs were not created, and which the service has deleted, are sent again', async () => {
    const folder = freshFolder();
    const args = [csvOf(3), '--yes', '--wait'];
    fake.misbehave(({ path }) => (path.endsWith('/confirm') ? { status: 402 } : undefined));
    expect(await upload(args, false, folder)).toMatchObject({ status: 3 });
    const first = '00000000-0000-4000-8000-000000000001';
    fake.misbehave(({ method, path, body }) => {
      if (method === 'GET') for (const job of fake.jobs) job.status = 'completed';
      return path.endsWith('/confirm') && body.includes(first) ? { status: 404 } : undefined;
    });
    expect(await upload(args, false, folder)).toMatchObject({ status: 0 });
    expect(fake.jobs.map(({ id }) => id)).toEqual(['a0000000-0000-4000-8000-000000000002']);
  });

  test('that was stopped before it wrote the rows is no longer continued once jobs results has written them', async () => {
    const folder = freshFolder();
    const list = csvOf(3);
    const args = [list, '--yes', '--wait', '-o', `${list}.out.csv`];
    const stop = new AbortController();
    fake.misbehave(({ path }) => {
      if (path.includes('/bulk/jobs/')) stop.abort();
      return undefined;
    });
    expect(await upload(args, false, folder, stop.signal)).toMatchObject({ status: 130 });
    finishJobs();
    expect((await onService(['jobs', 'results', fake.jobs[0]?.id ?? ''], { MAILVET_HOME: folder })).status).toBe(0);
    const again = await upload(args, false, folder);
    expect(again).toMatchObject({ status: 0, err: expect.not.stringContaining('Continuing') });
    expect(confirmations()).toBe(2);
  });
});
