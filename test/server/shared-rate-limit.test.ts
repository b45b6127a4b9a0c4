import { expect, test } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { createSharedRateLimit } from '../../src/server/access/rate-limit.js';

/** A store with this many tokens left, and the requests to it. */
function openTurns(left: number) {
  const asked: number[] = [];
  const take = async (requests: readonly { keyId: string; requested: number }[]): Promise<number[]> =>
    requests.map(({ requested }) => {
      asked.push(requested);
      const granted = Math.min(requested, left);
      left -= granted;
      return granted;
    });
  return { asked, take };
}

const count = async (check: ReturnType<typeof createSharedRateLimit>, times: number): Promise<number> => {
  const answers = await Promise.all(Array.from({ length: times }, () => check('k')));
  return answers.filter((answer) => answer === null).length;
};

test('two nodes together admit what the store grants, and fetch it in batches', async () => {
  const turns = openTurns(100);
  const nodes = [1, 2].map(() => createSharedRateLimit(100, turns.take, () => 0));
  const passed = await Promise.all(nodes.map((node) => count(node, 80)));
  expect(passed[0]).toBe(80);
  expect(passed[1]).toBe(20);
  expect(turns.asked.length).toBeLessThan(20);
});

test('one caller costs one query per batch, and a refusal is cached briefly', async () => {
  const turns = openTurns(5);
  let now = 0;
  const check = createSharedRateLimit(100, turns.take, () => now);
  for (let each = 0; each < 5; each++) expect(await check('k')).toBeNull();
  expect(turns.asked).toEqual([5]);
  expect(await check('k')).toMatchObject({ code: 'rate_limited' });
  expect(check('k')).toBeInstanceOf(Failure);
  now = 60;
  await check('k');
  expect(turns.asked).toHaveLength(3);
});

test('unused tokens are given up after a second', async () => {
  const turns = openTurns(1_000);
  let now = 0;
  const check = createSharedRateLimit(100, turns.take, () => now);
  await check('k');
  now = 1_001;
  await check('k');
  expect(turns.asked).toEqual([5, 5]);
});

test('if the store does not answer, each node applies its own limit', async () => {
  const check = createSharedRateLimit(
    3,
    () => Promise.reject(new Error('gone')),
    () => 0,
  );
  expect(await count(check, 10)).toBe(3);
});
