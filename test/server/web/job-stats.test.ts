import { expect, test } from 'vitest';
import {
  emptyVerdict,
  type JobResultRow,
  type JobResults,
  rowStatuses,
  suppressedVerdict,
} from '../../../src/model/job.js';
import { createStatsCache, readStats, selectRows } from '../../../src/server/web/job-stats.js';
import type { AppJob, RowSelection } from '../../../src/wire/app.js';

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
  expect((await staying).answered).toBe(0);
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
  const read = await readStats({ ...ended, last_run_at: '2026-01-01T00:00:20Z' }, { rows }, slices);
  expect(read).toMatchObject({ answered: 1, rows: { clean: 1, review: 1, rejected: 0 } });
  const { stats } = read;
  expect(stats.isLastRun).toBe(true);
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

/** The numbers of the selected rows. */
async function numbersOf(rows: JobResultRow[], selection: RowSelection): Promise<number[]> {
  const results = {
    columns: [],
    rows: (async function* () {
      yield rows;
    })(),
  };
  const numbers: number[] = [];
  for await (const chunk of selectRows(results, selection, { maybeYield: () => null }))
    numbers.push(...chunk.map(({ number }) => number));
  return numbers;
}

const rowOf = (status: string, sub_status = '', part?: JobResultRow['part']): JobResultRow => ({
  ...{ cells: [], email: '', verdict: { ...emptyVerdict, status, sub_status } },
  ...(part && { part }),
});

test.each(rowStatuses)('rows are filtered by the status %s', async (status) => {
  const rows = rowStatuses.map((each) => rowOf(each));
  expect(await numbersOf(rows, { only: status })).toEqual([2 + rowStatuses.indexOf(status)]);
  expect(rowStatuses).toContain(suppressedVerdict.status);
});

test('a row with several addresses is one row, in one file, and is found by each of its reasons', async () => {
  const rows = [
    rowOf('valid'),
    rowOf('valid', '', { index: 0, of: 2 }),
    rowOf('invalid', 'mailbox_not_found', { index: 1, of: 2 }),
    rowOf('invalid', 'mailbox_not_found'),
  ];
  expect(await numbersOf(rows, { part: 'clean' })).toEqual([2]);
  expect(await numbersOf(rows, { part: 'review' })).toEqual([3]);
  expect(await numbersOf(rows, { part: 'rejected' })).toEqual([4]);
  expect(await numbersOf(rows, { reason: 'mailbox_not_found' })).toEqual([3, 4]);
});
