import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/async/clock.js';
import { jobResults } from '../../../src/jobs/results/job-results.js';
import { createRunner, type RunnerOptions } from '../../../src/jobs/run/runner.js';
import type { Batch, JobRecord } from '../../../src/jobs/store/job-record.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import { Failure } from '../../../src/model/failure.js';
import type { RowVerdict } from '../../../src/model/job.js';
import type { ValidationResult } from '../../../src/model/result.js';
import { findJob } from '../../../src/service/local/job-control.js';
import { lastResults } from '../../contract/store/store-lab.js';
import { askerOf } from '../../fakes/asker.js';
import { jumpingClock } from '../../fakes/clock.js';
import { canonical, drivers, knownAnswer, type Lab, list, openLab, plainReader } from '../../fakes/job-lab.js';

const greylisted = (email: string, retryAt: number): ValidationResult => ({
  ...knownAnswer(email),
  status: 'unknown',
  sub_status: 'greylisted',
  retry_at: retryAt,
});

describe.each(drivers)('runner on %s', (driver) => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await openLab(driver);
  });
  afterEach(() => lab.close());

  type VetAddress = (email: string) => ValidationResult | Promise<ValidationResult>;
  interface TestOptions extends Partial<RunnerOptions> {
    vet?: VetAddress;
    concurrency?: number;
  }
  const runner = ({ vet = async (email) => knownAnswer(email), concurrency, ...options }: TestOptions = {}) =>
    createRunner({
      ...{ store: lab.store, files: lab.files, canonical, openAsker: async () => askerOf(vet) },
      ...(concurrency !== undefined && { maxOpen: () => concurrency }),
      ...options,
    });
  /** Vets each address, and keeps what it was asked. */
  const recorder = () => {
    const asked: string[] = [];
    const vet = async (email: string): Promise<ValidationResult> => {
      asked.push(email);
      return knownAnswer(email);
    };
    return { asked, vet };
  };
  /** Vets each address in a later turn, and counts how often it was asked. */
  const counter = (onAsk: (asked: ReadonlyMap<string, number>) => void = () => {}) => {
    const asked = new Map<string, number>();
    const vet = async (email: string): Promise<ValidationResult> => {
      asked.set(email, (asked.get(email) ?? 0) + 1);
      onAsk(asked);
      await new Promise((resolve) => setImmediate(resolve));
      return knownAnswer(email);
    };
    return { asked, vet };
  };
  const jobOf = (id: string): Promise<JobRecord> => findJob(lab.store, 'local', id);
  const outcome = async (id: string): Promise<{ email: string; verdict: RowVerdict | null }[]> => {
    const { rows } = await jobResults({ ...lab, reader: plainReader }, 'local', id);
    const all = [];
    for await (const some of rows) all.push(...some.map(({ email, verdict }) => ({ email, verdict })));
    return all;
  };
  const rowVerdict = (result: ValidationResult): RowVerdict => {
    const { status, sub_status, confidence, safe_to_send, did_you_mean } = result;
    return { status, sub_status, confidence, safe_to_send, did_you_mean };
  };

  test('progress is reported while rows are answered, not only at each heartbeat', async () => {
    await lab.submit(list(40));
    let calls = 0;
    const vet: VetAddress = async (email) => {
      // Some rows are in flight all the time.
      await sleep(calls++ % 4 === 0 ? 100 : 20);
      return knownAnswer(email);
    };
    const reported: number[] = [];
    const onProgress = ({ processed }: JobRecord): void => void reported.push(processed);
    await runner({ vet, onProgress, concurrency: 4, flushMs: 30, heartbeatMs: 60_000 }).runNext();
    expect(reported.length).toBeGreaterThan(3);
    expect(reported.at(-1)).toBe(40);
  });

  test('every row gets its verdict, in input order', async () => {
    const id = await lab.submit(list(600));
    expect((await runner({ batchRows: 100 }).runNext())?.end).toBe('completed');
    const rows = await outcome(id);
    expect(rows.map(({ email }) => email)).toEqual(
      list(600)
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(',')[1]),
    );
    expect(rows.map(({ verdict }) => verdict)).toEqual(rows.map(({ email }) => rowVerdict(knownAnswer(email))));
    const job = await jobOf(id);
    expect(job.processed).toBe(600);
    expect(job.valid + job.invalid + job.risky + job.unknown + job.duplicate).toBe(600);
    expect(Object.values(job.subCounts).reduce((sum, count) => sum + count, 0)).toBe(600);
  });

  test('rows are vetted in order, and never more than allowed at once', async () => {
    await lab.submit(list(200));
    const asked: string[] = [];
    let running = 0;
    let maxInProgress = 0;
    const vet = async (email: string): Promise<ValidationResult> => {
      asked.push(email);
      maxInProgress = Math.max(maxInProgress, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return knownAnswer(email);
    };
    await runner({ vet, concurrency: 7, batchRows: 30 }).runNext();
    expect(maxInProgress).toBe(7);
    expect(asked).toEqual(Array.from({ length: 200 }, (_, row) => `person${row}@host${row % 50}.example`));
  });

  test.each([
    { name: 'one address', line: 'a@x.example', asks: 1, duplicate: 99_999 },
    { name: 'nothing', line: '', asks: 0, duplicate: 0 },
  ])(
    '100,000 rows of $name take linear time, and other work gets its turns',
    async ({ line, asks, duplicate }) => {
      const rows = 100_000;
      const id = await lab.submit(`email\n${`${line}\n`.repeat(rows)}`);
      let turns = 0;
      let asked = 0;
      let running = true;
      const turn = (): void => {
        turns++;
        if (running) setImmediate(turn);
      };
      setImmediate(turn);
      const before = process.cpuUsage();
      const vet = async (email: string): Promise<ValidationResult> => {
        asked++;
        // The first answer comes when all duplicates wait for it.
        await new Promise((resolve) => setTimeout(resolve, 100));
        return knownAnswer(email);
      };
      expect((await runner({ vet }).runNext())?.end).toBe('completed');
      running = false;
      const { user, system } = process.cpuUsage(before);
      expect(asked).toBe(asks);
      // A slice is 10 ms, but some work on the thread cannot be split.
      expect((user + system) / 1000 / turns).toBeLessThan(25);
      expect(await jobOf(id)).toMatchObject({ processed: rows, duplicate, invalid: asks });
    },
    20_000,
  );

  test('a row that throws is unknown and does not fail the job', async () => {
    const id = await lab.submit(list(50));
    const vet = (email: string): Promise<ValidationResult> => {
      if (email.startsWith('person7@')) throw new Error('bug');
      if (email.startsWith('person8@')) return Promise.reject(new Error('bug'));
      return Promise.resolve(knownAnswer(email));
    };
    expect((await runner({ vet }).runNext())?.end).toBe('completed');
    const rows = await outcome(id);
    expect([rows[7]?.verdict?.sub_status, rows[8]?.verdict?.sub_status]).toEqual([
      'exception_occurred',
      'exception_occurred',
    ]);
    expect((await jobOf(id)).processed).toBe(50);
  });

  test('a greylisted row is retried after the others, and its duplicates wait with it', async () => {
    const id = await lab.submit('email\ngrey@x.example\ngrey@X.example\nb@x.example\n');
    const clock = jumpingClock(1_700_000_000_000);
    const asked: [string, number][] = [];
    const waits: Batch['waits'][] = [];
    const store: JobStore = {
      ...lab.store,
      saveBatch: (batch) => {
        waits.push(batch.waits);
        return lab.store.saveBatch(batch);
      },
    };
    const vet = async (email: string): Promise<ValidationResult> => {
      asked.push([email, Math.floor(clock.jumpedMs() / 60_000)]);
      return email.startsWith('grey') && asked.length < 4
        ? greylisted(email, clock.now() / 1000 + 30)
        : knownAnswer(email);
    };
    expect((await runner({ vet, clock, store, heartbeatMs: 30_000 }).runNext())?.end).toBe('completed');
    expect(asked.map(([email]) => email)).toEqual([
      'grey@x.example',
      'b@x.example',
      'grey@x.example',
      'grey@x.example',
    ]);
    expect(asked.map(([, minute]) => minute)).toEqual([
      0,
      0,
      1,
      expect.toSatisfy((minute: number) => minute === 5 || minute === 6),
    ]);
    expect(waits).toContainEqual({ rows: 1, nextAt: expect.toSatisfy((at) => at >= 1_700_000_060_000) });
    expect(waits.at(-1)).toEqual({ rows: 0, nextAt: null });
    const rows = await outcome(id);
    expect(rows[0]?.verdict).toEqual(rowVerdict(knownAnswer('grey@x.example')));
    expect(rows[1]?.verdict).toEqual(rows[0]?.verdict);
    expect(await jobOf(id)).toMatchObject({ processed: 3, waiting: 0, nextRetryAt: null });
  });

  test('a host that greylists forever results in unknown, not in an endless job', async () => {
    const id = await lab.submit('email\ngrey@x.example\n');
    const clock = jumpingClock(1_700_000_000_000);
    let asked = 0;
    const vet = async (email: string): Promise<ValidationResult> => {
      asked++;
      return greylisted(email, clock.now() / 1000 + 60);
    };
    expect((await runner({ vet, clock, heartbeatMs: 30_000 }).runNext())?.end).toBe('completed');
    expect(asked).toBe(4);
    expect((await outcome(id))[0]?.verdict?.sub_status).toBe('greylisted');
    expect(await jobOf(id)).toMatchObject({ processed: 1, unknown: 1, subCounts: { greylisted: 1 } });
  });

  test('stopping finishes the rows in flight and leaves the job to be continued', async () => {
    const id = await lab.submit(list(500));
    const stop = new AbortController();
    const { asked, vet } = counter(({ size }) => {
      if (size === 120) stop.abort();
    });
    const first = await runner({ vet, concurrency: 10, batchRows: 25, signal: stop.signal }).runNext();
    expect(first?.end).toBe('stopped');
    const stopped = await jobOf(id);
    expect(stopped).toMatchObject({ state: 'queued', worker: null, processed: asked.size });
    expect((await runner({ vet }).runNext())?.end).toBe('completed');
    expect([...asked.values()].every((times) => times === 1)).toBe(true);
    expect((await jobOf(id)).processed).toBe(500);
  });

  test('stopping completes a job if all of its rows were in flight', async () => {
    const id = await lab.submit(list(20));
    const stop = new AbortController();
    const vet = async (email: string): Promise<ValidationResult> => {
      setImmediate(() => stop.abort());
      await new Promise((resolve) => setTimeout(resolve, 50));
      return knownAnswer(email);
    };
    expect((await runner({ vet, signal: stop.signal }).runNext())?.end).toBe('completed');
    expect(await jobOf(id)).toMatchObject({ state: 'completed', processed: 20 });
  });

  test('rows that hang are abandoned after the drain, and asked again later', async () => {
    const id = await lab.submit(list(20));
    const stop = new AbortController();
    const clock = jumpingClock(1_700_000_000_000);
    const vet = (email: string): Promise<ValidationResult> => {
      if (!email.startsWith('person3@')) return Promise.resolve(knownAnswer(email));
      stop.abort();
      return new Promise(() => {});
    };
    expect((await runner({ vet, signal: stop.signal, clock }).runNext())?.end).toBe('stopped');
    const { processed } = await jobOf(id);
    expect(processed).toBeLessThan(20);
    expect((await runner().runNext())?.end).toBe('completed');
    expect((await jobOf(id)).processed).toBe(20);
  });

  test('a canceled job stops, keeps what it has, and can be resumed', async () => {
    const id = await lab.submit(list(400));
    const vet = async (email: string): Promise<ValidationResult> => {
      if (email.startsWith('person200@')) await lab.store.cancelJob('local', id, Date.now());
      await new Promise((resolve) => setImmediate(resolve));
      return knownAnswer(email);
    };
    const counted: string[] = [];
    const onVerdict = (_job: JobRecord, email: string): void => {
      counted.push(email);
    };
    expect((await runner({ vet, concurrency: 5, batchRows: 20, onVerdict }).runNext())?.end).toBe('lost');
    const canceled = await jobOf(id);
    expect(counted).toHaveLength(canceled.processed);
    expect(canceled.state).toBe('canceled');
    expect(canceled.processed).toBe((await lastResults(lab.store, id)).length);
    expect(await runner().runNext()).toBeNull();
    await lab.store.resumeJob('local', id);
    expect((await runner({ onVerdict }).runNext())?.end).toBe('completed');
    expect((await jobOf(id)).processed).toBe(400);
    // Rows that were answered but not saved are counted once, too.
    expect([counted.length, new Set(counted).size]).toEqual([400, 400]);
  });

  test('a job that could not be released is claimed again by the same process', async () => {
    const id = await lab.submit(list(10));
    const full = new Failure('storage', 'The disk is full.');
    const broken: JobStore = {
      ...lab.store,
      saveBatch: () => Promise.reject(full),
      releaseJob: () => Promise.reject(full),
    };
    await expect(runner({ store: broken }).runNext()).rejects.toBe(full);
    expect((await jobOf(id)).state).toBe('running');
    expect((await runner().runNext())?.end).toBe('completed');
  });

  test.each([
    { name: 'back', byMs: -86_400_000 },
    { name: 'forward', byMs: 86_400_000 },
  ])('a clock that is set $name by a day during a run changes neither waits nor results', async ({ byMs }) => {
    const id = await lab.submit(`email\ngrey@x.example\n${list(30).replace(/^.*\n/, '').replaceAll(/^\d+,/gm, '')}`);
    const steady = jumpingClock(1_700_000_000_000);
    let offMs = 0;
    const clock: Clock = { ...steady, now: () => steady.now() + offMs };
    const asked = new Map<string, number[]>();
    const vet = async (email: string): Promise<ValidationResult> => {
      asked.set(email, [...(asked.get(email) ?? []), Math.floor(steady.jumpedMs() / 60_000)]);
      const first = asked.get(email)?.length === 1;
      if (email === 'person20@host20.example') offMs = byMs;
      return email.startsWith('grey') && first ? greylisted(email, clock.now() / 1000 + 30) : knownAnswer(email);
    };
    const options = { vet, clock, concurrency: 3, batchRows: 10, heartbeatMs: 30_000 };
    expect((await runner(options).runNext())?.end).toBe('completed');
    expect(asked.get('grey@x.example')).toEqual([0, 1]);
    expect([...asked.values()].every((times) => times.length === 1 || times.length === 2)).toBe(true);
    expect(asked.size).toBe(31);
    expect((await jobOf(id)).processed).toBe(31);
    expect((await outcome(id)).every(({ verdict }) => verdict !== null)).toBe(true);
  });

  test.each([
    { name: 'was set back a day', byMs: -86_400_000, waits: [29, 31] },
    { name: 'was set forward a day', byMs: 86_400_000, waits: [0, 1] },
    { name: 'stands', byMs: 0, waits: [1, 2] },
  ])('a row that waited when its worker stopped is retried on time if the clock $name', async (jump) => {
    const id = await lab.submit('email\ngrey@x.example\nb@x.example\n');
    const stop = new AbortController();
    const before = jumpingClock(1_700_000_000_000);
    const vet = async (email: string): Promise<ValidationResult> => {
      if (email.startsWith('b')) stop.abort();
      return email.startsWith('grey') ? greylisted(email, before.now() / 1000 + 30) : knownAnswer(email);
    };
    expect((await runner({ vet, clock: before, signal: stop.signal }).runNext())?.end).toBe('stopped');
    const after = jumpingClock(1_700_000_000_000 + jump.byMs);
    const { asked, vet: secondVet } = recorder();
    const settings = { vet: secondVet, clock: after, heartbeatMs: 30_000 };
    expect((await runner(settings).runNext())?.end).toBe('completed');
    expect(asked).toEqual(['grey@x.example']);
    const [least = 0, most = 0] = jump.waits;
    expect(after.jumpedMs() / 60_000).toBeGreaterThanOrEqual(least);
    expect(after.jumpedMs() / 60_000).toBeLessThanOrEqual(most);
    expect((await jobOf(id)).processed).toBe(2);
  });

  test('a duplicate whose first row was answered in an earlier run gets that answer without a query', async () => {
    const rows = `${list(30)}30,person0@HOST0.example\n`;
    const id = await lab.submit(rows);
    const stop = new AbortController();
    const vet = async (email: string): Promise<ValidationResult> => {
      if (email.startsWith('person5@')) stop.abort();
      return knownAnswer(email);
    };
    expect((await runner({ vet, concurrency: 1, batchRows: 5, signal: stop.signal }).runNext())?.end).toBe('stopped');
    const { asked, vet: secondVet } = recorder();
    expect((await runner({ vet: secondVet }).runNext())?.end).toBe('completed');
    expect(asked).not.toContain('person0@HOST0.example');
    const found = await outcome(id);
    expect(found[30]?.verdict).toEqual(found[0]?.verdict);
    expect(await jobOf(id)).toMatchObject({ processed: 31, duplicate: 1 });
  });

  test.each([
    { name: 'while its worker stops', stops: true, atRow: 'person9@', whole: false },
    { name: 'while its last row is vetted', stops: false, atRow: 'person19@', whole: false },
    { name: 'after its last row', stops: false, atRow: null, whole: true },
  ])('a job that is canceled $name stays canceled', async ({ stops, atRow, whole }) => {
    const id = await lab.submit(list(20));
    const stop = new AbortController();
    let canceling: Promise<unknown> = Promise.resolve();
    const cancel = (): void => {
      canceling = lab.store.cancelJob('local', id, Date.now());
    };
    const vet = async (email: string): Promise<ValidationResult> => {
      if (atRow !== null && email.startsWith(atRow)) {
        cancel();
        if (stops) stop.abort();
      }
      return knownAnswer(email);
    };
    const onProgress = ({ processed, total }: JobRecord): void => {
      if (whole && processed === total) cancel();
    };
    expect((await runner({ vet, onProgress, signal: stop.signal, concurrency: 1 }).runNext())?.end).toBe('lost');
    await canceling;
    expect((await jobOf(id)).state).toBe('canceled');
  });

  test.each([
    ['cut off at a line', (text: string) => text.slice(0, text.indexOf('\n') + 1), 'but its file has'],
    ['cut off within a line', (text: string) => text.slice(0, -9), 'cannot be read'],
    ['empty', () => '', 'but its file has'],
    ['other data', () => '[1,2]\n', 'cannot be read'],
    ['longer than the job', (text: string) => `${text}["more@x.example"]\n`, 'but its file has'],
  ])('a file of addresses that is %s fails the job with a sentence', async (_name, spoil, says) => {
    const id = await lab.submit(list(1_900));
    const path = join(lab.home, 'emails', id);
    writeFileSync(path, spoil(readFileSync(path, 'utf8')));
    expect((await runner().runNext())?.end).toBe('failed');
    expect(await jobOf(id)).toMatchObject({ state: 'failed', processed: 0, error: expect.stringContaining(says) });
  });

  test('a temporary error fails no job', async () => {
    const id = await lab.submit(list(10));
    const busy = new Failure('locked', 'The store is busy.');
    const store: JobStore = {
      ...lab.store,
      readResults: () => {
        throw busy;
      },
    };
    await expect(runner({ store }).runNext()).rejects.toBe(busy);
    expect((await jobOf(id)).state).toBe('queued');
  });

  test('addresses that are lost from the disk fail the job with a sentence', async () => {
    const id = await lab.submit(list(10));
    await lab.files.removeJob(id);
    expect((await runner().runNext())?.end).toBe('failed');
    const job = await jobOf(id);
    expect(job.state).toBe('failed');
    expect(job.error).toContain('cannot be read');
  });

  test('a verdict is reused, with its suggested spelling; an unknown one is asked again', async () => {
    const options = { cacheScope: 'smtp', maxAgeMs: 30 * 24 * 3_600_000 };
    await lab.submit(list(40), options);
    await runner().runNext();
    const twoHoursLater: Clock = { ...jumpingClock(0), now: () => Date.now() + 2 * 3_600_000 };
    const id = await lab.submit(list(40), options);
    const { asked, vet } = recorder();
    expect((await runner({ vet, clock: twoHoursLater, batchRows: 10 }).runNext())?.end).toBe('completed');
    const all = list(40)
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(',')[1] ?? '');
    expect(asked).toEqual(all.filter((email) => knownAnswer(email).status === 'unknown'));
    expect((await outcome(id)).map(({ verdict }) => verdict)).toEqual(
      all.map((email) => rowVerdict(knownAnswer(email))),
    );
  });

  test('a commit counts only its own rows as reused, so that a crash counts none twice', async () => {
    await lab.submit(list(50), { cacheScope: 'dns' });
    await runner().runNext();
    await lab.submit(list(50), { cacheScope: 'dns', maxAgeMs: 1e9 });
    const commits: [counted: number, rows: number][] = [];
    const saveBatch = (saved: Batch): Promise<boolean> => {
      commits.push([saved.counts.reused, saved.results.filter(({ reused }) => reused).length]);
      return lab.store.saveBatch(saved);
    };
    await runner({ store: { ...lab.store, saveBatch }, batchRows: 20 }).runNext();
    expect(commits.filter(([counted]) => counted > 0).length).toBeGreaterThan(1);
    expect(commits.map(([counted]) => counted)).toEqual(commits.map(([, rows]) => rows));
  });

  test('verdicts of another level are not reused', async () => {
    await lab.submit(list(5), { cacheScope: 'dns' });
    await runner().runNext();
    await lab.submit(list(5), { cacheScope: 'smtp', maxAgeMs: 1e9 });
    const { asked, vet } = recorder();
    await runner({ vet }).runNext();
    expect(asked).toHaveLength(5);
  });

  test('a repeat has the answer of its first row, which may come later, and another case its own', async () => {
    const names = ['a@x.example', 'b@x.example', 'A@x.example', 'a@x.example', 'A@x.example', 'a@X.example', ''];
    const id = await lab.submit(`email\n${names.join('\n')}\n`);
    const { asked, vet } = recorder();
    await runner({ vet }).runNext();
    expect(asked.sort()).toEqual(['A@x.example', 'a@x.example', 'b@x.example']);
    const want = names.slice(0, -1).map((name) => rowVerdict(knownAnswer(name.replace('X', 'x'))));
    expect((await outcome(id)).slice(0, -1).map(({ verdict }) => verdict)).toEqual(want);
    expect(await jobOf(id)).toMatchObject({ total: 7, uniqueTotal: 2, processed: 7, duplicate: 4 });
  });

  test('a table without rows is completed at once', async () => {
    const id = await lab.submit('id,email\n');
    expect((await runner().runNext())?.end).toBe('completed');
    expect(await outcome(id)).toEqual([]);
  });
});
