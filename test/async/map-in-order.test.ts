import { expect, test } from 'vitest';
import { mapInOrder } from '../../src/async/map-in-order.js';
import { yieldToIo } from '../../src/async/yield-to-io.js';

const window = { maxOpen: 3, maxAhead: 8, maxReady: 4 };

async function collect<T>(batches: AsyncIterable<T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

/** Answers on demand, so that a test decides the order. */
function manualAnswers() {
  const waiting = new Map<number, (value: number) => void>();
  let maxOpenSeen = 0;
  return {
    answer: (item: number) =>
      new Promise<number>((resolve) => {
        waiting.set(item, resolve);
        maxOpenSeen = Math.max(maxOpenSeen, waiting.size);
      }),
    give: (item: number) => {
      waiting.get(item)?.(item * 10);
      waiting.delete(item);
    },
    open: () => [...waiting.keys()],
    most: () => maxOpenSeen,
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('synchronous answers are yielded in order, for chunks of any size', async () => {
  expect(await collect(mapInOrder([[1, 2], [], [3], [4, 5, 6]], (n) => n * 10, window))).toEqual([
    10, 20, 30, 40, 50, 60,
  ]);
});

test('late answers keep input order', async () => {
  const { answer, give, open } = manualAnswers();
  const all = collect(
    mapInOrder(
      [
        [1, 2, 3],
        [4, 5],
      ],
      answer,
      window,
    ),
  );
  while (open().length < 3) await turn();
  for (const item of [3, 2, 1]) give(item);
  while (open().length < 2) await turn();
  for (const item of [5, 4]) give(item);
  expect(await all).toEqual([10, 20, 30, 40, 50]);
});

test('at most maxOpen items are in progress at a time', async () => {
  const { answer, give, open, most } = manualAnswers();
  const all = collect(mapInOrder([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]], answer, window));
  let given = 0;
  while (given < 10) {
    await turn();
    const next = open()[0];
    if (next === undefined) continue;
    give(next);
    given++;
  }
  expect(await all).toHaveLength(10);
  expect(most()).toBe(3);
});

test('an answer is yielded while a later one of its chunk is pending', async () => {
  const { answer, give, open } = manualAnswers();
  const batches = mapInOrder([[1, 2]], (n) => (n === 1 ? 10 : answer(n)), { maxOpen: 1, maxAhead: 8, maxReady: 4 });
  expect((await batches.next()).value).toEqual([10]);
  while (open().length < 1) await turn();
  give(2);
  expect((await batches.next()).value).toEqual([20]);
});

test('reading stops while an item stays open', async () => {
  const { answer, give, open } = manualAnswers();
  const read: number[] = [];
  const batches = mapInOrder(
    [Array.from({ length: 100 }, (_, n) => n)],
    (n) => {
      read.push(n);
      return n === 0 ? answer(n) : n;
    },
    window,
  );
  const first = batches.next();
  while (open().length < 1) await turn();
  await turn();
  expect(read).toHaveLength(8);
  give(0);
  expect((await first).value).toHaveLength(8);
  await batches.return(undefined);
});

test('reading waits for the consumer, so that answers do not pile up', async () => {
  const read: number[] = [];
  const batches = mapInOrder(
    Array.from({ length: 50 }, (_, n) => [2 * n, 2 * n + 1]),
    (n) => {
      read.push(n);
      return n;
    },
    window,
  );
  expect((await batches.next()).value).toEqual([0, 1]);
  for (let turns = 0; turns < 10; turns++) await turn();
  expect(read.length).toBeLessThanOrEqual(2 + window.maxReady);
  expect((await collect(batches)).length).toBe(98);
});

test('answers before a failure are yielded before it is thrown', async () => {
  async function* input() {
    yield [1, 2];
    throw new Error('the disk went away');
  }
  const seen: number[] = [];
  const run = async () => {
    for await (const batch of mapInOrder(input(), (n) => n, window)) seen.push(...batch);
  };
  await expect(run()).rejects.toThrow('the disk went away');
  expect(seen).toEqual([1, 2]);
});

test('a failed answer ends the run with its error', async () => {
  await expect(
    collect(mapInOrder([[1, 2]], (n) => (n === 2 ? Promise.reject(new Error('no')) : Promise.resolve(n)), window)),
  ).rejects.toThrow('no');
});

test('after a failure, answers after a gap are yielded with a substitute in the gap', async () => {
  const { answer, give, open } = manualAnswers();
  const seen: number[] = [];
  const run = async () => {
    const batches = mapInOrder(
      [
        [1, 2, 3],
        [4, 5],
      ],
      (n) => (n === 1 || n === 4 ? answer(n) : n === 5 ? Promise.reject(new Error('stop')) : n * 10),
      { ...window, unanswered: (n) => -n },
    );
    for await (const batch of batches) seen.push(...batch);
  };
  await expect(run()).rejects.toThrow('stop');
  expect(open()).toEqual([1, 4]);
  give(1);
  expect(seen).toEqual([-1, 20, 30, -4, -5]);
});

test('a chunk without items is yielded in its place, so that its rows need not wait for others', async () => {
  const { answer, give } = manualAnswers();
  const batches = mapInOrder([[], [1], [], []], answer, window);
  expect(await batches.next()).toEqual({ done: false, value: [] });
  give(1);
  expect(await batches.next()).toEqual({ done: false, value: [10] });
  expect(await batches.next()).toEqual({ done: false, value: [] });
  await batches.return([]);
});

test('after a failure, items whose answers wait for their turn are finished', async () => {
  const items = Array.from({ length: 40 }, (_, index) => index + 1);
  const seen: number[] = [];
  const run = async () => {
    const answer = async (n: number) => {
      await yieldToIo();
      return n;
    };
    const stopAtLast = (n: number) => (n === 40 ? Promise.reject(new Error('stop')) : answer(n));
    const batches = mapInOrder([items], stopAtLast, { ...window, maxOpen: 40, maxAhead: 40, unanswered: (n) => -n });
    for await (const batch of batches) seen.push(...batch);
  };
  await expect(run()).rejects.toThrow('stop');
  expect(seen).toEqual([...items.slice(0, -1), -40]);
});

test('an answer that comes after its substitute was yielded is not settled', async () => {
  const { answer, give } = manualAnswers();
  const settled: number[] = [];
  const seen: number[] = [];
  const run = async () => {
    const batches = mapInOrder(
      [
        [1, 2, 3],
        [4, 5],
      ],
      (n) => (n === 3 ? Promise.reject(new Error('stop')) : answer(n)),
      { ...window, unanswered: (n) => -n, onSettled: (n) => settled.push(n) },
    );
    for await (const batch of batches) {
      seen.push(...batch);
      for (const late of [1, 4]) give(late);
      await turn();
    }
  };
  const running = run();
  give(2);
  await expect(running).rejects.toThrow('stop');
  expect(seen.filter((n) => n > 0)).toEqual(settled);
  expect(seen.map(Math.abs)).toHaveLength(5);
});

test('an answer that comes after its reader has gone is not settled', async () => {
  const { answer, give } = manualAnswers();
  const settled: number[] = [];
  const batches = mapInOrder([[1, 2]], answer, { ...window, onSettled: (n) => settled.push(n) });
  const first = batches.next();
  await turn();
  give(1);
  await first;
  await batches.return(undefined);
  give(2);
  await turn();
  expect(settled).toEqual([10]);
});

test('an item that waits releases its slot, and gets a slot again before later items', async () => {
  const order: string[] = [];
  const wakes = new Map<number, () => void>();
  const answers = mapInOrder(
    [[1, 2, 3]],
    async (n, places) => {
      order.push(`ask ${n}`);
      if (n === 1) {
        await turn();
        places.release();
        await new Promise<void>((resolve) => wakes.set(n, resolve));
        await places.acquire();
        order.push('again 1');
      } else if (n === 2) await new Promise<void>((resolve) => wakes.set(n, resolve));
      return n;
    },
    { maxOpen: 1, maxAhead: 8, maxReady: 4 },
  );
  const all = collect(answers);
  while (!wakes.has(2)) await turn();
  wakes.get(1)?.();
  await turn();
  expect(order).toEqual(['ask 1', 'ask 2']);
  wakes.get(2)?.();
  expect(await all).toEqual([1, 2, 3]);
  expect(order).toEqual(['ask 1', 'ask 2', 'again 1', 'ask 3']);
});
