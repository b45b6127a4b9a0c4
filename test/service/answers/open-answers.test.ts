import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../../src/jobs/store/open-store.js';
import type { Run } from '../../../src/lists/answers.js';
import { spellingMark } from '../../../src/lists/mailbox-key.js';
import { forgetAnswers, openAnswers, openRunRecords } from '../../../src/service/answers/open-answers.js';
import { resultOf } from '../../fakes/service.js';

const dayMs = 24 * 60 * 60_000;
let home = '';
let now = 1_000_000;
const notes: string[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mailvet-answers-'));
  now = 1_000_000;
  notes.length = 0;
});
afterEach(() => rmSync(home, { recursive: true }));

const key = { scope: 'smtp', digest: 'list', name: 'list.csv' };
const open = ({ isPaid = false } = {}) =>
  openAnswers({ home, isPaid, keepMs: 30 * dayMs, now: () => now, onNote: (text) => notes.push(text) });
const begin = (change = {}, { fresh = false, isPaid = false } = {}) =>
  open({ isPaid }).begin({ ...key, ...change }, { fresh });
const known = (email: string, change = {}) => ({ key: email, result: resultOf(email, change) });
const keysOf = async (run: Run, keys: string[], maxAgeMs: number | null = null) =>
  [...(await run.find(keys, maxAgeMs)).keys()].sort();

describe('a run that was left', () => {
  beforeEach(async () => {
    const run = await begin();
    expect(run.unfinished).toBeNull();
    await run.add([known('a@b.co'), known('u@b.co', { status: 'unknown', sub_status: 'greylisted' })]);
    await run.close();
    now += 60_000;
  });

  test('is continued, unknown answers too', async () => {
    expect(open().isUnfinished(key)).toBe(true);
    const run = await begin();
    expect(run.unfinished).toMatchObject({ answered: 2, lastAt: 1_000_000 });
    expect(await keysOf(run, ['a@b.co', 'u@b.co', 'c@b.co'])).toEqual(['a@b.co', 'u@b.co']);
    await run.finish();
    expect([open().anyUnfinished(), open().isUnfinished(key)]).toEqual([false, false]);
    const next = await begin();
    expect([next.unfinished, await keysOf(next, ['a@b.co'])]).toEqual([null, []]);
    await next.close();
  });

  test.each([
    { name: 'another list', change: { digest: 'other' } },
    { name: 'another level', change: { scope: 'dns' } },
  ])('is not that of $name', async ({ change }) => {
    const run = await begin(change);
    expect([run.unfinished, await keysOf(run, ['a@b.co'])]).toEqual([null, []]);
    await run.close();
  });

  test('starts again with --fresh', async () => {
    const run = await begin({}, { fresh: true });
    expect([run.unfinished, await keysOf(run, ['a@b.co'])]).toEqual([null, []]);
    await run.close();
  });

  test.each([
    { isPaid: false, days: 1.01, isContinued: false },
    { isPaid: true, days: 1.01, isContinued: true },
    { isPaid: true, days: 7.01, isContinued: false },
  ])('paid $isPaid, after $days days: continued $isContinued', async ({ isPaid, days, isContinued }) => {
    now = 1_000_000 + days * dayMs;
    const run = await begin({}, { isPaid });
    expect(run.unfinished !== null).toBe(isContinued);
    if (!isContinued && days < 7) expect(notes.join()).toContain('too old to be continued');
    await run.close();
  });

  test('is asked again where its answers are of an earlier run, but for --max-age', async () => {
    await (await begin()).finish();
    now += dayMs;
    const run = await begin();
    const all = ['a@b.co', 'u@b.co'];
    expect([await keysOf(run, all), await keysOf(run, all, 2 * dayMs), await keysOf(run, all, 1_000)]).toEqual([
      [],
      // What is unknown is never reused by another run.
      ['a@b.co'],
      [],
    ]);
    await run.close();
  });
});

test('questions that were sent and never answered are in doubt, until they are answered or were not paid', async () => {
  const run = await begin({}, { isPaid: true });
  await run.inDoubt(['a@b.co', 'b@b.co', 'c@b.co']);
  await run.add([known('a@b.co'), { key: 'b@b.co', result: null }]);
  await run.close();
  const next = await begin({}, { isPaid: true });
  expect(next.unfinished).toMatchObject({ inDoubt: 1 });
  const found = await next.find(['a@b.co', 'b@b.co', 'c@b.co'], null);
  expect([...found].map(([each, result]) => [each, result?.status]).sort()).toEqual([
    ['a@b.co', 'valid'],
    ['c@b.co', undefined],
  ]);
  await next.close();
});

test('a run that asks and is not answered leaves the paid answers of another run', async () => {
  const isPaid = { isPaid: true };
  const first = await begin({}, isPaid);
  await first.inDoubt(['a@b.co']);
  await first.add([known('a@b.co')]);
  await first.close();
  now += 1_000;
  const other = await begin({ digest: 'other' }, isPaid);
  await other.inDoubt(['a@b.co']);
  expect(await other.find(['a@b.co'], null)).toEqual(new Map([['a@b.co', null]]));
  expect((await other.find(['a@b.co'], dayMs)).get('a@b.co')?.status).toBe('valid');
  await other.add([{ key: 'a@b.co', result: null }]);
  await other.finish();
  const again = await begin({}, isPaid);
  expect((await again.find(['a@b.co'], null)).get('a@b.co')?.status).toBe('valid');
  await again.close();
});

test('a disk that is full ends no run that costs nothing', async () => {
  const run = await begin();
  await run.add([known('a@b.co')]);
  const [record = ''] = readdirSync(join(home, 'runs')).filter((name) => name.endsWith('.json'));
  rmSync(join(home, 'runs', record));
  mkdirSync(join(home, 'runs', record, 'in the way'), { recursive: true });
  await run.add([known('b@b.co')]);
  await run.add([known('c@b.co')]);
  expect(notes.map((text) => text.slice(0, 27))).toEqual(['Answers are no longer kept,']);
  await run.close();
});

test('a second start says which process runs it, and changes nothing', async () => {
  const run = await begin();
  await expect(begin()).rejects.toMatchObject({
    code: 'locked',
    message: `Another mailvet (process ${process.pid}) is already working on list.csv.`,
  });
  await begin({ digest: 'other' }).then((other) => other.close());
  await run.close();
  await (await begin()).close();
});

test('no address stands in the data directory, not even as a suggestion; forget finds all spellings', async () => {
  const run = await begin();
  const suggestion = { did_you_mean: 'secret@gmail.com', canonical: 'secret@gmial.com' };
  await run.add([
    { key: 'secret@gmial.com', result: resultOf('secret@gmial.com', suggestion) },
    { key: `secret@gmial.com${spellingMark}Secret`, result: resultOf('Secret@gmial.com', suggestion) },
  ]);
  await run.close();
  const texts = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path).toString('latin1'));
  expect(texts.length).toBeGreaterThan(2);
  expect(texts.filter((text) => /secret@/i.test(text))).toEqual([]);
  const { store } = await openStore({ home });
  const found = await store.findAnswers('smtp', ['secret@gmial.com']);
  expect(found.get('secret@gmial.com')?.answer).toMatchObject(suggestion);
  await store.close();
  expect(await forgetAnswers(home, 'secret@gmial.com')).toBe(2);
  expect(await forgetAnswers(home, 'secret@gmial.com')).toBe(0);
});

test('to forget makes no store where there is none', async () => {
  expect(await forgetAnswers(home, 'a@b.co')).toBe(0);
  expect(readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.db'))).toEqual([]);
});

test('records of runs are bounded, and forgotten with their jobs', async () => {
  const records = openRunRecords(home, () => now);
  const record = { startedAt: now, answered: 0, inDoubt: 0 };
  for (let number = 0; number < 120; number++) {
    await records.write(`r${number}`, { ...record, lastAt: now + number, jobs: [`job${number}`] });
  }
  await records.prune();
  expect([records.read('r19'), records.read('r20')?.jobs]).toEqual([null, ['job20']]);
  await records.removeJobs(['job20']);
  expect(records.read('r20')).toBeNull();
  now += 8 * dayMs;
  await records.prune();
  expect(records.any()).toBe(false);
});
