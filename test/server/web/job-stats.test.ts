import { expect, test } from 'vitest';
import { emptyVerdict, type JobResults, rowStatuses, suppressedVerdict } from '../../../src/model/job.js';
import { createStatsCache, readStats, rowFilter } from '../../../src/server/web/job-stats.js';
import type { AppJob } from '../../../src/wire/app-jobs.js';

const job = { id: 'j', status: 'completed', processed: 1, created_at: '2026-01-01T00:00:00Z' } as unknown as AppJob;

/** Rows that arrive when `release` is called, unless reading is aborted. */
function slowRows() {
  let release = (): void => {};
  let reads = 0;
  let isAborted = false;
  const open = async (signal: AbortSignal) => {
    reads++;
    const rows = (async function* () {
      await new Promise<void>((resolve, reject) => {
        release = resolve;
        signal.addEventListener('abort', () => {
          isAborted = true;
          reject(signal.reason);
        });
      });
      yield [];
    })();
    return { results: { columns: [], rows } as unknown as JobResults, slices: { maybeYield: () => null } };
  };
  return { open, release: () => release(), reads: () => reads, isAborted: () => isAborted };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

test('a request that is aborted does not abort the statistics of another one', async () => {
  const rows = slowRows();
  const cache = createStatsCache();
  const first = new AbortController();
  const aborted = cache.get(job, first.signal, rows.open);
  const staying = cache.get(job, new AbortController().signal, rows.open);
  await tick();
  first.abort(new Error('gone'));
  await tick();
  rows.release();
  expect((await staying).job).toBe(job);
  await aborted;
  expect(rows.reads()).toBe(1);
});

test('when all requests are aborted, reading stops, and the next request reads again', async () => {
  const rows = slowRows();
  const cache = createStatsCache();
  const controller = new AbortController();
  const aborted = cache.get(job, controller.signal, rows.open);
  await tick();
  controller.abort(new Error('gone'));
  const next = cache.get(job, new AbortController().signal, rows.open);
  await expect(aborted).rejects.toThrow('gone');
  await tick();
  rows.release();
  await next;
  expect([rows.isAborted(), rows.reads()]).toEqual([true, 2]);
});

test('the rows that had an answer are counted, and the times are those of the last run', async () => {
  const verdict = { status: 'valid', sub_status: '', confidence: 1, safe_to_send: true, did_you_mean: null };
  const rows = (async function* () {
    yield [
      { cells: [], email: 'a@b.example', verdict },
      { cells: [], email: 'c@b.example', verdict: null },
    ];
  })();
  const ended = { ...job, started_at: job.created_at, finished_at: '2026-01-01T00:00:28Z' } as AppJob;
  const slices = { maybeYield: () => null };
  const stats = await readStats({ ...ended, last_run_at: '2026-01-01T00:00:20Z' }, { columns: [], rows }, slices);
  expect(stats).toMatchObject({ answered: 1, parts: { clean: 1, review: 1, rejected: 0 }, isLastRun: true });
  expect(stats.endedAt - stats.startedAt).toBe(8_000);
});

test('the first answers of a running job are counted at once, later ones after a while', async () => {
  let reads = 0;
  const open = async () => {
    reads++;
    return { results: { columns: [], rows: (async function* () {})() }, slices: { maybeYield: () => null } };
  };
  const cache = createStatsCache(() => 0);
  const { signal } = new AbortController();
  for (const processed of [0, 0, 10, 20]) await cache.get({ ...job, status: 'running', processed }, signal, open);
  expect(reads).toBe(2);
});

test.each(rowStatuses)('rows are filtered by the status %s', (status) => {
  const isWanted = rowFilter({ only: status });
  const rows = rowStatuses.map((each) => ({ cells: [], email: '', verdict: { ...emptyVerdict, status: each } }));
  expect(rows.filter(isWanted).map(({ verdict }) => verdict.status)).toEqual([status]);
  expect(rowStatuses).toContain(suppressedVerdict.status);
});
