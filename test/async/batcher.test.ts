import { expect, test } from 'vitest';
import { createBatcher } from '../../src/async/batcher.js';
import { systemClock } from '../../src/async/clock.js';
import { fakeClock } from '../fakes/clock.js';

/** A batcher with a manual clock and a manual event loop. */
function start(tookMs: number, most = 1_000) {
  let now = 0;
  const turns: (() => void)[] = [];
  const batches: number[][] = [];
  const ask = createBatcher<number, number>(
    async (questions) => {
      batches.push([...questions]);
      now += tookMs;
      if (questions.includes(-1)) throw new Error('no');
      return questions.map((question) => question * 2);
    },
    { maxBatch: most, clock: { ...systemClock, elapsed: () => now }, afterIo: (run) => turns.push(run) },
  );
  const turn = async (): Promise<void> => {
    now++;
    for (const run of turns.splice(0)) run();
    for (let settled = 0; settled < 20; settled++) await Promise.resolve();
  };
  return { ask, turn, batches };
}

test('questions of one turn form one batch, and each gets its own answer', async () => {
  const { ask, turn, batches } = start(1);
  const answers = Promise.all([ask(1), ask(2), ask(3)]);
  await turn();
  expect(await answers).toEqual([2, 4, 6]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('after a slow batch, the next one waits only while items keep coming', async () => {
  const { ask, turn, batches } = start(5);
  void ask(0);
  await turn();
  void ask(1);
  for (const question of [2, 3, 4]) {
    void ask(question);
    await turn();
  }
  expect(batches).toEqual([[0]]);
  await turn();
  expect(batches).toEqual([[0], [1, 2, 3, 4]]);
});

test('the wait ends, however many items come and however slow the batch before was', async () => {
  const { ask, turn, batches } = start(1_000);
  void ask(0);
  await turn();
  void ask(1);
  for (let question = 2; question <= 100; question++) {
    void ask(question);
    await turn();
  }
  expect(batches[1]?.length).toBeGreaterThan(10);
  expect(batches[1]?.length).toBeLessThan(25);
});

test('a failed batch fails all of its items, and no later ones', async () => {
  const { ask, turn } = start(0);
  const failed = Promise.allSettled([ask(-1), ask(1)]);
  await turn();
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const answer = ask(4);
  await turn();
  expect(await answer).toBe(8);
});

test('items that may wait share a batch, or join the first urgent item', async () => {
  const clock = fakeClock();
  const batches: number[][] = [];
  const ask = createBatcher<number, number>(
    async (questions) => {
      batches.push([...questions]);
      return questions;
    },
    { clock, maxWaitMs: (ms) => ms, afterIo: queueMicrotask },
  );
  void ask(100);
  await clock.advance(60);
  void ask(99);
  await clock.advance(39);
  expect(batches).toEqual([]);
  await clock.advance(1);
  expect(batches).toEqual([[100, 99]]);
  void ask(98);
  await clock.advance(1);
  void ask(0);
  await clock.advance(0);
  expect(batches).toEqual([
    [100, 99],
    [98, 0],
  ]);
});

test('a batch is limited; the remaining items go with the next one, after I/O', async () => {
  const { ask, turn, batches } = start(1, 2);
  const answers = Promise.all([1, 2, 3, 4, 5].map(ask));
  await turn();
  expect(batches).toEqual([[1, 2]]);
  await turn();
  await turn();
  expect(await answers).toEqual([2, 4, 6, 8, 10]);
  expect(batches).toEqual([[1, 2], [3, 4], [5]]);
});
