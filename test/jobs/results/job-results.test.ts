import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { jobResults } from '../../../src/jobs/results/job-results.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import type { TableReader } from '../../../src/jobs/uploads/preview-upload.js';
import { Failure } from '../../../src/model/failure.js';
import type { RowVerdict } from '../../../src/model/job.js';
import type { Row } from '../../../src/rows/rows.js';
import { csvReader } from '../../../src/service/local/open-jobs.js';
import { batch, claim, result, verdict } from '../../contract/store/store-lab.js';
import { type Lab, list, openLab, plainReader } from '../../fakes/job-lab.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab('wasm');
});
afterEach(() => lab.close());

const unknown: RowVerdict = { ...verdict, status: 'unknown', sub_status: 'timeout_exceeded', confidence: 1 / 3 };
const suggested: RowVerdict = {
  ...unknown,
  status: 'invalid',
  sub_status: 'mailbox_not_found',
  did_you_mean: 'ü@x.org',
};

async function verdicts(id: string): Promise<(RowVerdict | null)[]> {
  const { rows } = await jobResults({ ...lab, reader: plainReader }, 'local', id);
  return (await all(rows)).map((row) => row.verdict);
}

test('a later verdict replaces an earlier one, and a row that the job does not have is left out', async () => {
  const id = await lab.submit(list(4));
  await claim(lab.store, 'w');
  const results = [result(0), result(1, { verdict: unknown }), result(2, { verdict: unknown }), result(9)];
  await lab.store.saveBatch(batch(id, 'w', results));
  await lab.store.saveBatch(batch(id, 'w', [result(2, { verdict: suggested })]));
  expect(await verdicts(id)).toEqual([verdict, unknown, suggested, null]);
});

describe('verdicts of an ended job', () => {
  const ended = async (): Promise<{
    id: string;
    store: JobStore;
    loads: () => number;
    change(mark?: string | null): void;
  }> => {
    const id = await lab.submit(list(3));
    await claim(lab.store, 'w');
    await lab.store.saveBatch(batch(id, 'w', [result(0), result(1), result(2)]));
    await lab.store.finishJob(id, 'w', 'completed', 5);
    let loads = 0;
    let mark: string | null = 'before';
    const readResults: JobStore['readResults'] = (job) => {
      loads++;
      return lab.store.readResults(job);
    };
    const store = { ...lab.store, readResults, changeToken: () => mark };
    const change = (to: string | null = 'after'): void => {
      mark = to;
    };
    return { id, store, loads: () => loads, change };
  };
  const read = async (store: JobStore, id: string): Promise<void> => {
    const { rows } = await jobResults({ ...lab, store, reader: plainReader }, 'local', id);
    expect(await all(rows)).toHaveLength(3);
  };
  afterEach(() => void vi.useRealTimers());

  test('are kept for the next reader, for ten seconds, until the store changes', async () => {
    const { id, store, loads, change } = await ended();
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    await read(store, id);
    await read(store, id);
    expect(loads()).toBe(1);
    change();
    await read(store, id);
    expect(loads()).toBe(2);
    vi.advanceTimersByTime(10_001);
    await read(store, id);
    expect(loads()).toBe(3);
  });

  test('are shared by concurrent readers, but not kept if changes of the store cannot be detected', async () => {
    const { id, store, loads, change } = await ended();
    change(null);
    await Promise.all([read(store, id), read(store, id), read(store, id)]);
    expect(loads()).toBe(1);
    await read(store, id);
    expect(loads()).toBe(2);
  });
});

async function all<Item>(chunks: AsyncIterable<Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const some of chunks) for (const item of some) items.push(item);
  return items;
}

/** Reads the list with changed rows. */
const readingAs = (change: (rows: Row[]) => AsyncIterable<Row[]>): TableReader => ({
  ...plainReader,
  open: async (...args) => {
    const source = await plainReader.open(...args);
    return { ...source, chunks: change(await all(source.chunks)) };
  },
});
async function* inOne(rows: Row[]): AsyncGenerator<Row[]> {
  yield rows;
}

const describeRows = async (id: string, reader: TableReader): Promise<string[]> => {
  const { rows } = await jobResults({ ...lab, reader }, 'local', id);
  return (await all(rows)).map(({ cells, verdict }) => [cells, verdict?.sub_status ?? null].join(' '));
};

/** A job of `person0` to `person3`. All but the last have a verdict that identifies its address. */
async function saveThreeOfFour(): Promise<string> {
  const id = await lab.submit(list(4));
  await claim(lab.store, 'w');
  const results = [0, 1, 2].map((row) => result(row, { verdict: { ...verdict, sub_status: `v${row}` } }));
  await lab.store.saveBatch(batch(id, 'w', results));
  return id;
}

const row = (id: string, name: string): Row => ({ cells: [id, `${name}.example`], email: `${name}.example` });

test.each<{ name: string; change(rows: Row[]): Row[] }>([
  { name: 'another address in a row', change: (rows) => rows.with(1, row('1', 'new@x')) },
  { name: 'nothing', change: () => [] },
])('a stored list that has $name is an error with a next step', async ({ change }) => {
  const id = await saveThreeOfFour();
  const reader = readingAs((rows) => inOne(change(rows)));
  await expect(describeRows(id, reader)).rejects.toMatchObject({
    code: 'storage',
    message: 'The stored list does not give the rows that it gave when the job was created.',
    hint: expect.stringContaining('Upload the list again'),
  });
});

test('a temporary failure is thrown, and the list is not skipped', async () => {
  const id = await saveThreeOfFour();
  const cause = Object.assign(new Error('too many'), { code: 'EMFILE', syscall: 'open' });
  const busy = new Failure('bad_input', 'It cannot be opened: too many files are open.', { cause });
  const open: TableReader['open'] = () => Promise.reject(busy);
  await expect(describeRows(id, { ...plainReader, open })).rejects.toBe(busy);
});

test('a list that is gone leaves the addresses with their verdicts', async () => {
  const id = await saveThreeOfFour();
  const { uploadId = '' } = (await lab.store.getJob('local', id)) ?? {};
  await lab.files.removeUpload(uploadId);
  expect(await describeRows(id, csvReader)).toEqual(
    [0, 1, 2, 3].map((number) => `person${number}@host${number}.example ${number < 3 ? `v${number}` : ''}`),
  );
});

test('a job that is deleted before its rows are read is an error, not a list without verdicts', async () => {
  const id = await saveThreeOfFour();
  await lab.store.finishJob(id, 'w', 'completed', 5);
  const { rows } = await jobResults({ ...lab, reader: plainReader }, 'local', id);
  await lab.store.deleteJob('local', id);
  await expect(all(rows)).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('deleted') });
});

test('if the record of the addresses is lost, no row gets the verdict on another one', async () => {
  const id = await saveThreeOfFour();
  await lab.files.removeJob(id);
  await expect(describeRows(id, plainReader)).rejects.toMatchObject({
    code: 'storage',
    message: expect.stringContaining('lost'),
  });
});
