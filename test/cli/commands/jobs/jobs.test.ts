import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newIdentity } from '../../../../src/disk/process-identity.js';
import { Failure } from '../../../../src/model/failure.js';
import type { Job } from '../../../../src/model/job.js';
import type { LocalJobs } from '../../../../src/service/local/jobs.js';
import { openLocalJobs } from '../../../../src/service/local/jobs.js';
import { lockWork } from '../../../../src/service/work-lock.js';
import { askerOf } from '../../../fakes/asker.js';
import { canonical, makeHome } from '../../../fakes/job-lab.js';
import { fakeService, resultOf } from '../../../fakes/service.js';
import { answerWith, type CliEnvironment, type CliRun, runCli } from '../../run-cli.js';

describe('upload and jobs', () => {
  let home: string;
  let jobs: LocalJobs;
  let asked: string[];
  let status: (email: string) => string;
  let beforeAnswer: () => Promise<void>;
  beforeEach(() => {
    beforeAnswer = async () => {};
    home = makeHome();
    asked = [];
    status = (email) => (email.split('@')[0] ?? '').toLowerCase();
    jobs = openLocalJobs({
      home,
      canonical,
      level: 'dns',
      maxOpenRows: 100,
      openAsker: async () =>
        askerOf(async (email) => {
          asked.push(email);
          await beforeAnswer();
          return resultOf(email, { status: status(email), sub_status: `because_${status(email)}` });
        }),
    });
  });
  afterEach(async () => {
    await jobs.close();
    rmSync(home, { recursive: true, force: true });
  });

  const file = (name: string): string => join(home, name);
  const table = 'name;email\nAda;valid@x.example\n"=1+1";invalid@x.example\nBob;risky@x.example\nAda;VALID@x.example\n';
  const writeList = (text = table): string => {
    writeFileSync(file('list.csv'), text);
    return file('list.csv');
  };
  const run = (args: string[], world: CliEnvironment = {}): Promise<CliRun> =>
    runCli(args, {
      tty: false,
      service: fakeService({ ...jobs, close: async () => {} }),
      environment: { MAILVET_HOME: home },
      ...world,
    });
  const upload = (...args: string[]): Promise<CliRun> =>
    run(['upload', writeList(), '--column', 'email', '--yes', '--wait', ...args]);
  const queueList = async (filename = 'list.csv'): Promise<Job> => {
    const { upload_id } = await jobs.previewUpload({ path: writeList(), filename });
    return jobs.confirmUpload(upload_id, 'email');
  };
  /** Runs a command, which is interrupted when its first row is answered. */
  const interrupt = async (args: string[]): Promise<void> => {
    const stop = new AbortController();
    status = () => {
      stop.abort();
      return 'valid';
    };
    expect(await run(args, { signal: stop.signal })).toMatchObject({ status: 130 });
  };
  const manyRows = Array.from({ length: 500 }, (_, row) => `valid@host${row}.example\n`).join('');
  const onlyJob = async (): Promise<Job> => {
    const [job] = (await jobs.listJobs({ skip: 0, limit: 1 })).jobs;
    if (job === undefined) throw new Error('no job');
    return job;
  };

  test('prints the job with --json as in a pipe, and rows only on request', async () => {
    for (const tty of [false, true]) {
      const flags = ['--column', 'email', '--yes', '--wait', '--json'];
      const { out } = await run(['upload', writeList(), ...flags], { tty });
      expect(JSON.parse(out)).toMatchObject({ status: 'completed', processed: 4 });
    }
    expect(JSON.parse((await upload('--json', '--quiet')).out)).toMatchObject({ status: 'completed' });
    for (const flags of [
      ['--format', 'json'],
      ['--json', '-o', '-'],
    ]) {
      expect(JSON.parse((await upload(...flags)).out)[0]).toMatchObject({ email: 'valid@x.example', status: 'valid' });
    }
  });

  test('fetches the rows of a queued job without verdicts', async () => {
    const { id } = await queueList();
    const { out, err } = await run(['jobs', 'results', id, '--format', 'csv']);
    expect(out.split('\n')[1]).toBe('Ada;valid@x.example;;;;;');
    expect(err).toContain('not done yet');
  });

  test('gives no verdict to other rows if the stored list was changed, and the addresses if it is gone', async () => {
    await upload();
    const { id } = await onlyJob();
    const [stored = ''] = readdirSync(file('uploads'));
    writeFileSync(join(file('uploads'), stored), 'name;email\nEve;new@x.example\nAda;valid@x.example\n');
    const changed = await run(['jobs', 'results', id, '--quiet']);
    expect([changed.status, changed.err]).toEqual([
      6,
      expect.stringContaining('The stored list does not give the rows'),
    ]);
    rmSync(join(file('uploads'), stored));
    const withoutList = await run(['jobs', 'results', id, '--fields', 'email,status', '--format', 'ndjson']);
    expect({ exit: withoutList.status, rows: withoutList.out.trim().split('\n').length }).toEqual({ exit: 0, rows: 4 });
  });

  test('creates an empty job from a file with only a header, and notes it', async () => {
    const { status: exit, err } = await run(['upload', writeList('name;email\n'), '--yes', '--wait']);
    expect({ exit, err }).toEqual({ exit: 0, err: 'note: The file has no addresses.\n' });
  });

  describe('a job whose worker was killed', () => {
    const dead = newIdentity().split('~').with(3, '4194305').join('~');
    let id: string;
    beforeEach(async () => {
      ({ id } = await queueList());
      await (await jobs.store()).claimJob(dead, Date.now() + 30_000, Date.now());
    });
    const advice = () => `The job was interrupted. Continue it with: mailvet jobs resume ${id.slice(0, 8)}`;

    test.each([['get'], ['list']])('jobs %s shows that it was interrupted, and how to continue it', async (command) => {
      const { out, err } = await run(['jobs', command, ...(command === 'get' ? [id] : []), '--json']);
      const document = JSON.parse(out);
      expect(command === 'get' ? document : document.jobs[0]).toMatchObject({
        id,
        status: 'interrupted',
        interrupted: true,
        eta_seconds: null,
      });
      expect(err).toContain(advice());
    });

    test.each([
      { columns: 200, args: () => ['jobs', 'get', id] },
      { columns: 200, args: () => ['jobs', 'list'] },
      { columns: 40, args: () => ['jobs', 'list'] },
    ])('a terminal of $columns columns does not show it as running', async ({ columns, args }) => {
      const { out, err } = await run(args(), { tty: true, columns });
      expect(out).toContain('interrupted');
      expect(out).not.toContain('running');
      expect(out.replaceAll(' \\\n', '')).toContain(`mailvet jobs resume ${id.slice(0, 8)}`);
      expect(err).toBe('');
    });

    test('its results have the same note, and it can be continued', async () => {
      expect((await run(['jobs', 'results', id])).err).toContain(advice());
      const { out, err } = await run(['jobs', 'resume', id, '--wait']);
      expect(JSON.parse(out)).toMatchObject({ id, status: 'completed', processed: 4 });
      expect(err).not.toContain('interrupted');
    });

    test('--watch notes the interruption once, and ends when the job is continued', async () => {
      const watching = run(['jobs', 'get', id, '--watch']);
      await jobs.jobs.work(id);
      const { out, err } = await watching;
      expect(JSON.parse(out)).toMatchObject({ status: 'completed' });
      expect(err.split(advice()).length - 1).toBeLessThanOrEqual(1);
    });
  });

  test('the progress says that a job is stopping, without an estimate of its time', async () => {
    const stop = new AbortController();
    beforeAnswer = async () => {
      stop.abort();
      await setTimeout(1_200);
    };
    const args = ['upload', writeList(), '--column', 'email', '--yes', '--wait'];
    const { err } = await run(args, { tty: true, columns: 400, signal: stop.signal });
    expect(err).toContain('0 of 4 · ✔ 0 ▲ 0 ✖ 0 ? 0 · stopping');
    expect(err).toContain('waiting a second for open answers; a second Ctrl-C ends at once.');
  });

  test('Ctrl-C after the last row was asked names the command that writes the rows', async () => {
    const stop = new AbortController();
    beforeAnswer = async () => {
      setImmediate(() => stop.abort());
      await setTimeout(100);
    };
    const args = ['upload', writeList(), '--column', 'email', '--yes', '--wait', '-o', file('out.csv')];
    const { status: exit, err } = await run(args, { signal: stop.signal });
    const { id, status: state } = await onlyJob();
    expect([exit, state]).toEqual([130, 'completed']);
    expect(err).toContain(
      `Interrupted, but every row was answered.\n  Write them with: mailvet jobs results ${id.slice(0, 8)} -o ${file('out.csv')}`,
    );
  });

  test('a job that was stopped is interrupted, not queued, until it is continued', async () => {
    const { id } = await queueList();
    const store = await jobs.store();
    await store.claimJob('worker', Date.now() + 30_000, Date.now());
    await store.releaseJob(id, 'worker');
    const { out } = await run(['jobs', 'get', id], { tty: true });
    expect(out).toMatch(/State +interrupted\n/);
    expect(out).toContain(`mailvet jobs resume ${id.slice(0, 8)}\n`);
    expect(out).not.toMatch(/Rate|--watch/);
    expect(JSON.parse((await run(['jobs', 'get', id])).out).status).toBe('interrupted');
    const listed = async (state: string) =>
      JSON.parse((await run(['jobs', 'list', '--json', '--status', state])).out).total;
    expect(await listed('interrupted')).toBe(1);
    expect(await listed('queued')).toBe(0);
    await jobs.resumeJob(id);
    expect(await listed('queued')).toBe(1);
    expect((await run(['jobs', 'get', id])).err).toBe('');
  });

  test('jobs list shows the newest first, and of --status interrupted those without a worker', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 4; count++) {
      ids.push((await queueList('list.csv')).id);
    }
    const [killed = '', running = '', stopped = '', queued = ''] = ids;
    const store = await jobs.store();
    const dead = newIdentity().split('~').with(3, '4194305').join('~');
    await store.claimJob(newIdentity(), Date.now() + 30_000, Date.now(), { owner: 'local', jobId: running });
    await store.claimJob('worker', Date.now() + 30_000, Date.now(), { owner: 'local', jobId: stopped });
    await store.releaseJob(stopped, 'worker');
    await store.claimJob(dead, Date.now() + 30_000, Date.now(), { owner: 'local', jobId: killed });
    const { out } = await run(['jobs', 'list'], { tty: true });
    const shown = out.split('\n').slice(1, 5);
    expect(shown.map((line) => line.slice(0, 8))).toEqual(
      [queued, stopped, running, killed].map((id) => id.slice(0, 8)),
    );
    const interrupted = JSON.parse((await run(['jobs', 'list', '--json', '--status', 'interrupted'])).out);
    expect(interrupted.jobs.map(({ id }: { id: string }) => id)).toEqual([stopped, killed]);
  });

  test('Ctrl-C prints the commands that continue and write the output', async () => {
    const stop = new AbortController();
    status = (email) => {
      stop.abort();
      return (email.split('@')[0] ?? '').toLowerCase();
    };
    // More rows than are asked at a time.
    const list = writeList(`email\n${manyRows}`);
    const output = ['-o', file('out.csv')];
    const args = ['upload', list, '--column', 'email', '--yes', '--wait', ...output];
    const { status: exit, err } = await run(args, { signal: stop.signal });
    const { id } = await onlyJob();
    expect(exit).toBe(130);
    expect(err).toContain('note: Stopping');
    expect(err).toMatch(/Interrupted\. The verdicts of \d+ of 500 rows are kept\./);
    expect(err).toContain(
      `mailvet jobs resume ${id.slice(0, 8)} --wait && mailvet jobs results ${id.slice(0, 8)} ${output.join(' ')}\n`,
    );
  });

  test('after a change of the suppression list, the same command starts a new job', async () => {
    const exclude = file('stop.txt');
    writeFileSync(exclude, 'nobody@host0.example\n');
    const list = writeList('email\nvalid@host0.example\nvalid@host1.example\n');
    const args = ['upload', list, '--yes', '--wait', '--exclude', exclude, '-o', file('out.csv')];
    await interrupt(args);
    writeFileSync(exclude, 'valid@host0.example\n');
    expect(await run(args)).toMatchObject({ status: 0, err: expect.not.stringContaining('Continuing job') });
  });

  test('the same command after Ctrl-C continues the job, and asks no answered address again', async () => {
    const args = ['upload', writeList(`email\n${manyRows}`), '--yes', '--wait', '-o', file('out.csv')];
    await interrupt(args);
    const { id } = await onlyJob();
    const { status: exit, err } = await run(args);
    expect({ exit, id: (await onlyJob()).id, asked: asked.length }).toEqual({ exit: 0, id, asked: 500 });
    expect(err).toMatch(new RegExp(`note: Continuing job ${id.slice(0, 8)} of this list, started .+ \\(interrupted, `));
    expect(readFileSync(file('out.csv'), 'utf8').split('\n').length).toBe(502);
    await run(args);
    expect((await onlyJob()).id).not.toBe(id);
  });

  test('an upload given again without --wait finds a job whose rows were not written, also one that has ended', async () => {
    const args = ['upload', writeList(), '--column', 'email', '--yes'];
    await interrupt([...args, '--wait']);
    const { id } = await onlyJob();
    await jobs.jobs.work(id);
    const again = await run(args);
    expect({ status: again.status, job: JSON.parse(again.out) }).toMatchObject({
      status: 0,
      job: { id, processed: 4 },
    });
    expect(again.err).toMatch(/note: Continuing job .*\nnote: Its results: mailvet jobs results /);
    expect((await jobs.listJobs({ skip: 0, limit: 9 })).jobs).toHaveLength(1);
  });

  test('the same command after jobs cancel starts a new job, and names the command that continues the other', async () => {
    const args = ['upload', writeList(`email\n${manyRows}`), '--yes', '--wait', '-o', file('out.csv')];
    await interrupt(args);
    const { id } = await onlyJob();
    expect(await run(['jobs', 'cancel', id])).toMatchObject({ status: 0 });
    const { status: exit, err } = await run(args);
    expect({ exit, isNew: (await onlyJob()).id !== id }).toEqual({ exit: 0, isNew: true });
    expect(err).toMatch(
      new RegExp(
        `note: A canceled job of this list has \\d+ of 500 rows\\. .* run: mailvet jobs resume ${id.slice(0, 8)} --wait\n`,
      ),
    );
    expect((await run(args)).err).not.toContain('canceled');
  });

  test('refuses a second start of the same upload, but not of another file', async () => {
    writeList();
    const same = () => upload('-o', file('out.csv'), '--json');
    const runs = await Promise.all([same(), same(), upload('-o', file('other.csv'))]);
    expect(runs.map(({ status }) => status).sort()).toEqual([0, 0, 6]);
    const second = runs.find(({ status }) => status === 6);
    expect(JSON.parse(second?.err ?? '').error).toMatchObject({
      code: 'locked',
      message: `Another mailvet (process ${process.pid}) is already working on list.csv.`,
    });
    expect((await same()).status).toBe(0);
  });

  test('names the lock if the system cannot tell whether its process has ended', () => {
    const unlock = lockWork(home, 'learn', 'what is learned');
    const [lock = ''] = readdirSync(join(home, 'locks'));
    const [holder = ''] = readdirSync(join(home, 'locks', lock));
    // As on macOS and Windows: no start time, and the process id may be in use again.
    const [host, , namespace] = holder.split('~');
    const other = [host, '', namespace, process.ppid, '', 'abc', 1].join('~');
    renameSync(join(home, 'locks', lock, holder), join(home, 'locks', lock, other));
    expect(() => lockWork(home, 'learn', 'what is learned')).toThrow(
      expect.objectContaining({
        hint: `Wait until it has finished. If it has ended, remove ${join(home, 'locks', lock)}`,
      }),
    );
    unlock();
  });

  test('--max-age reuses verdicts of an earlier run', async () => {
    await upload('--quiet');
    asked = [];
    await upload('--quiet', '--max-age', '30d');
    expect(asked).toEqual([]);
    expect(await onlyJob()).toMatchObject({ reused_count: 3, credits_used: 0 });
    const files = ['-o', file('out.csv')];
    const reuse = ['upload', writeList(), '--column', 'email', '--yes', '--wait', '--max-age', '30d', ...files];
    expect((await run(reuse, { tty: true })).err).toContain('3 answers reused');
    await upload('--quiet');
    expect(asked).toHaveLength(4);
  });

  test('the password of a proxy is not stored with a job, and is taken from the settings', async () => {
    const proxy = 'socks5://me:hush@127.0.0.1:1080';
    beforeAnswer = async () => void (await run(['jobs', 'cancel', 'latest']));
    const first = await upload('--quiet', '--set', `proxy=${proxy}`);
    beforeAnswer = async () => {};
    expect(first.opened.at(-1)?.proxy).toBe(proxy);
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).map((name) => join(home, name));
    expect(files.filter((path) => statSync(path).isFile() && readFileSync(path).includes('hush'))).toEqual([]);
    const resume = ['jobs', 'resume', (await onlyJob()).id, '--wait', '--quiet'];
    for (const other of [{}, { MAILVET_PROXY: 'socks5://me:hush@127.0.0.2:1080' }]) {
      expect(await run(resume, { environment: { MAILVET_HOME: home, ...other } })).toMatchObject({
        status: 2,
        err: expect.stringContaining('The job uses the proxy socks5://********@127.0.0.1:1080'),
      });
    }
    const again = await run(resume, { environment: { MAILVET_HOME: home, MAILVET_PROXY: proxy } });
    expect([again.status, again.opened.at(-1)?.proxy]).toEqual([0, proxy]);
  });

  test('--max-age asks again for unknown addresses', async () => {
    status = (email) => (email.startsWith('risky') ? 'unknown' : 'valid');
    await upload('--quiet');
    asked = [];
    await upload('--quiet', '--max-age', '30d');
    expect(asked).toEqual(['risky@x.example']);
    expect(await onlyJob()).toMatchObject({ unknown_count: 1, reused_count: 2 });
  });

  test('says why there are fewer rows than counts after an address was forgotten', async () => {
    await upload();
    expect((await run(['jobs', 'results', 'latest'])).err).not.toContain('forget');
    await jobs.jobs.forget('valid@x.example');
    const { out, err } = await run(['jobs', 'results', 'latest']);
    expect(out.trimEnd().split('\n')).toHaveLength(2);
    expect(err).toContain('2 rows of the job were deleted with "mailvet forget"');
    const { out: card } = await run(['jobs', 'get', 'latest'], { tty: true });
    expect(card).toContain('Forgotten 2 rows, in no count and no result');
    expect(card).toContain('2 of 2 rows');
  });

  test('deletes a job that has ended, and no other', async () => {
    const { id } = await queueList();
    const refused = await run(['jobs', 'delete', id, '--json']);
    expect(JSON.parse(refused.err).error).toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining('Cancel it first'),
    });
    await run(['jobs', 'cancel', id]);
    expect(await run(['jobs', 'delete', 'latest'])).toMatchObject({
      status: 2,
      err: expect.stringContaining('Add --yes'),
    });
    const deleted = await run(['jobs', 'delete', id.slice(0, 8), '--yes']);
    expect(JSON.parse(deleted.out)).toMatchObject({ id, status: 'canceled' });
    expect((await run(['jobs', 'get', id])).status).toBe(5);
  });

  test.each([
    { name: 'no', key: 'n', want: { status: 0, note: 'note: Nothing was deleted.', upload: 'note: Not started;' } },
    { name: 'Ctrl-C', key: '\x03', want: { status: 130, note: 'error: Canceled;', upload: 'error: Canceled;' } },
  ])('$name to a question changes nothing, and ends with $want.status', async ({ key, want }) => {
    await upload();
    const { id } = await onlyJob();
    const deletion = await answerWith(key, run(['jobs', 'delete', id], { tty: true }));
    const start = await answerWith(key, run(['upload', writeList(), '--column', 'email'], { tty: true }));
    expect([deletion.status, start.status, (await onlyJob()).id]).toEqual([want.status, want.status, id]);
    expect(deletion.err).toContain(want.note);
    expect(start.err).toContain(want.upload);
  });

  test('asks for the column only if several have addresses', async () => {
    const one = await answerWith('n', run(['upload', writeList()], { tty: true }));
    expect(one).toMatchObject({
      status: 0,
      err: expect.stringMatching(/Only the column "email" has addresses\..*Not started/s),
    });
    const two = writeList('name;email;other\nAda;valid@x.example;b@x.example\nBob;c@x.example;d@x.example\n');
    const asked = await answerWith('\x03', run(['upload', two], { tty: true }));
    expect(asked).toMatchObject({ status: 130, err: expect.not.stringMatching(/Only the column|unique addresses/) });
  });

  test('upload --wait ends as interrupted if its job is canceled meanwhile', async () => {
    beforeAnswer = async () => void (await run(['jobs', 'cancel', 'latest']));
    const { status, err } = await run(['upload', writeList(), '--column', 'email', '--yes', '--wait']);
    expect(status).toBe(130);
    const { id } = await onlyJob();
    expect(err).toContain(`Continue it with: mailvet jobs resume ${id.slice(0, 8)}`);
  });

  test('resume --wait prints the job in a pipe, also with --quiet', async () => {
    const { id } = await queueList();
    await run(['jobs', 'cancel', id]);
    const { out, err } = await run(['jobs', 'resume', id, '--wait', '--quiet']);
    expect(JSON.parse(out)).toMatchObject({ id, status: 'completed' });
    expect(err).toBe('');
  });

  test('says which part of the list is shown', async () => {
    for (let count = 0; count < 3; count++) await queueList(`list${count}.csv`);
    const { out } = await run(['jobs', 'list', '--limit', '2'], { tty: true });
    expect(out.match(/list\d\.csv/g)).toEqual(['list2.csv', 'list1.csv']);
    expect(out).toMatch(/\n2 of \d+\. More: mailvet jobs list --skip 2 --limit 2\n$/);
    const next = await run(['jobs', 'list', '--skip', '2', '--limit', '2'], { tty: true });
    const beyond = await run(['jobs', 'list', '--skip', '99'], { tty: true });
    expect(beyond.out).toMatch(/^There are no more than \d+ jobs\.\n$/);
    expect(next.out.match(/list\d\.csv/g)).toEqual(['list0.csv']);
    expect((await run(['jobs', 'list', '--status', 'failed'], { tty: true })).out).toBe('There are no failed jobs.\n');
    expect((await run(['jobs', 'list', '--status', 'interrupted'], { tty: true })).out).toBe(
      'There are no interrupted jobs.\n',
    );
  });

  test.each([
    ['resume', /^note: The job is complete, so there is nothing to resume. Its results: mailvet jobs results \S+\n$/],
    ['cancel', /^note: The job had already ended \(completed\); nothing was canceled\.\n$/],
  ])('%s of a completed job changes nothing, and notes it', async (command, says) => {
    await upload('--quiet');
    const { id } = await onlyJob();
    const { status: exit, out, err } = await run(['jobs', command, id]);
    expect({ exit, status: JSON.parse(out).status }).toEqual({ exit: 0, status: 'completed' });
    expect(err).toMatch(says);
  });

  test.each([
    { flags: ['csv'], want: 'name;email;mailvet_status' },
    { flags: ['ndjson'], want: '{"email":"valid@x.example","status":"valid"' },
    { flags: ['json'], want: '[\n{"email":"valid@x.example","status":"valid"' },
    { flags: ['plain'], want: 'valid@x.example\ninvalid@x.example\n' },
    { flags: ['csv', '--fields', 'status,email'], want: 'status;email\nvalid;valid@x.example\n' },
    { flags: ['ndjson', '--fields', 'status,email'], want: '{"status":"valid","email":"valid@x.example"}\n' },
    { flags: ['json', '--fields', 'status,email'], want: '[\n{"status":"valid","email":"valid@x.example"},\n' },
    { flags: ['plain', '--fields', 'status,email'], want: 'valid\tvalid@x.example\n' },
  ])('fetches results as $flags', async ({ flags, want }) => {
    await upload('--quiet');
    const { out, status: exit } = await run(['jobs', 'results', 'latest', '--format', ...flags]);
    expect([exit, out.slice(0, want.length)]).toEqual([0, want]);
  });

  test('shows the list of jobs and one job on a terminal', async () => {
    await upload('--quiet');
    const { id } = await onlyJob();
    const listed = await run(['jobs', 'list'], { tty: true });
    expect(listed.out).toMatch(new RegExp(`\n${id.slice(0, 8)} +completed +█+ 100% +1 +1? *1 +.*list\\.csv`));
    for (const name of [id, id.slice(0, 4), 'latest']) {
      const card = await run(['jobs', 'get', name, '--watch'], { tty: true });
      expect(card.out).toContain('because invalid');
      expect(card.out).toMatch(new RegExp(`Job +${id}\nState +completed\n`));
    }
  });

  test('a worker runs a job with the settings that it was created with', async () => {
    const { upload_id } = await jobs.previewUpload({ path: writeList(), filename: 'list.csv' });
    const job = await jobs.confirmUpload(upload_id, 'email', {
      settings: { level: 'syntax', resolvers: ['[::1]:5353'] },
    });
    const { status: exit, out, opened } = await run(['jobs', 'work', job.id]);
    expect({ exit, out }).toEqual({ exit: 0, out: '' });
    expect(opened.at(-1)).toMatchObject({ level: 'syntax', resolvers: ['[::1]:5353'] });
    expect((await onlyJob()).status).toBe('completed');
  });

  test.each([
    ['jobs', 'get', '00000000-0000-4000-8000-000000000000'],
    ['jobs', 'results', 'nonsense'],
    ['jobs', 'cancel', '../../etc/passwd'],
    ['jobs', 'resume', 'x'],
  ])('reports an unknown job: %s %s %s', async (...args) => expect((await run(args)).status).toBe(5));

  test('works with a back end that runs jobs elsewhere', async () => {
    const elsewhere = fakeService({ previewUpload: jobs.previewUpload });
    const upload = await run(['upload', writeList(), '--yes', '--max-age', '1d', '--json'], { service: elsewhere });
    expect(JSON.parse(upload.err).error.code).toBe('unsupported');
  });

  test.each(['list', 'get latest', 'results latest', 'cancel latest'])('jobs %s takes --set timeout', async (words) => {
    const { err, opened } = await runCli(['jobs', ...words.split(' '), '--set', 'timeout=3s'], {
      service: fakeService(),
    });
    expect(err).toContain('The fake has no jobs.');
    expect(opened).toMatchObject([{ timeoutMs: 3_000 }]);
  });
});

test('--watch shows the rate and the time left of the job, as jobs get does', async () => {
  const counts = { total: 1000, processed: 100, rows_per_second: 30, eta_seconds: 30 };
  let polls = 0;
  const service = fakeService({
    getJob: async (id) => (++polls === 1 ? { id, status: 'running', ...counts } : { id, status: 'completed' }),
  });
  const id = '3f2a91c0-0000-4000-8000-000000000000';
  const watched = await runCli(['jobs', 'get', id, '--watch', '--remote'], { tty: true, service });
  expect(watched.err).toContain('100 of 1,000 · 30/s · 30 s left');
  polls = 0;
  const shown = await runCli(['jobs', 'get', id, '--remote'], { tty: true, service });
  expect(shown.out).toMatch(/Rate +30\/s\nLeft +30 s\n/);
});

test('--watch repeats a poll that failed, and says how often', async () => {
  const retries: unknown[] = [];
  const service = fakeService({
    getJob: async (id, options) => {
      retries.push(options?.retries);
      if (retries.length === 1) throw new Failure('network', 'The service cannot be reached.');
      return { id, status: 'completed' };
    },
  });
  const id = '3f2a91c0-0000-4000-8000-000000000000';
  const { status, err } = await runCli(['jobs', 'get', id, '--watch', '--remote'], { tty: false, service });
  expect({ status, err, retries }).toEqual({
    status: 0,
    err: 'note: The service cannot be reached. Trying again in 2.0 s (1 of 4).\n',
    retries: [0, 0],
  });
});
