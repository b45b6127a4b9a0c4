import { afterEach, beforeEach, expect, test } from 'vitest';
import { jobResults } from '../../../src/jobs/results/job-results.js';
import type { TableReader } from '../../../src/jobs/uploads/upload-dependencies.js';
import type { RowVerdict } from '../../../src/model/job.js';
import type { Row } from '../../../src/rows/rows.js';
import { batch, claim, result, verdict } from '../../contract/store/store-lab.js';
import { type Lab, list, openLab, plainReader } from '../../fakes/job-lab.js';

let lab: Lab;
beforeEach(async () => {
  lab = await openLab('wasm');
});
afterEach(() => lab.close());

const unknown: RowVerdict = { ...verdict, status: 'unknown', sub_status: 'timeout_exceeded', confidence: 1 / 3 };
const meant: RowVerdict = { ...unknown, status: 'invalid', sub_status: 'mailbox_not_found', did_you_mean: 'ü@x.org' };

async function verdicts(id: string): Promise<(RowVerdict | null)[]> {
  const { rows } = await jobResults({ ...lab, reader: plainReader }, 'local', id);
  const all: (RowVerdict | null)[] = [];
  for await (const some of rows) all.push(...some.map((row) => row.verdict));
  return all;
}

test('a later verdict replaces an earlier one, and a row that the job does not have is left out', async () => {
  const id = await lab.submit(list(4));
  await claim(lab.store, 'w');
  const said = [result(0), result(1, { verdict: unknown }), result(2, { verdict: unknown }), result(9)];
  await lab.store.saveBatch(batch(id, 'w', said));
  await lab.store.saveBatch(batch(id, 'w', [result(2, { verdict: meant })]));
  expect(await verdicts(id)).toEqual([verdict, unknown, meant, null]);
});

test('a verdict that is taken back to be asked for again is gone', async () => {
  const id = await lab.submit(list(3));
  await claim(lab.store, 'w');
  await lab.store.saveBatch(batch(id, 'w', [result(0), result(1, { verdict: unknown }), result(2)]));
  await lab.store.finishJob(id, 'w', 'completed', 5);
  expect(await verdicts(id)).toEqual([verdict, unknown, verdict]);
  await lab.store.resumeJob('local', id, true);
  expect(await verdicts(id)).toEqual([verdict, null, verdict]);
});

test.each([
  { name: 'fewer', change: (rows: Row[]) => rows.slice(1) },
  { name: 'more', change: (rows: Row[]) => [...rows, ...rows.slice(0, 1)] },
])('a list that gives $name rows than it gave to the job gets no verdicts of its neighbours', async ({ change }) => {
  const id = await lab.submit(list(3));
  const reader: TableReader = {
    ...plainReader,
    open: async (...args) => {
      const source = await plainReader.open(...args);
      return { ...source, chunks: changed(source.chunks, change) };
    },
  };
  const { rows } = await jobResults({ ...lab, reader }, 'local', id);
  await expect(drain(rows)).rejects.toMatchObject({ code: 'storage' });
});

async function* changed(chunks: AsyncIterable<Row[]>, change: (rows: Row[]) => Row[]): AsyncGenerator<Row[]> {
  const all: Row[] = [];
  for await (const rows of chunks) all.push(...rows);
  yield change(all);
}

async function drain(rows: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of rows);
}
