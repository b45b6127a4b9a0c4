import { describe, expect, test } from 'vitest';
import { createTimeSlicer } from '../../src/async/time-slicer.js';

const caller = { priority: 'job', owner: 'a', taskId: '' } as const;

describe('the time slicer', () => {
  test('short work never waits', () => {
    const open = createTimeSlicer({ now: () => 0, afterIo: () => {} });
    expect(open(caller).maybeYield()).toBeNull();
  });

  test('if many computations begin at the same time, all but the first few wait', () => {
    let time = 0;
    const open = createTimeSlicer({ sliceMs: 5, now: () => time, afterIo: () => {} });
    const waited = Array.from({ length: 100 }, () => {
      const paused = open(caller).maybeYield();
      if (paused === null) time += 0.4;
      return paused !== null;
    });
    expect(waited.filter((waits) => !waits)).toHaveLength(3);
  });

  test('between two turns of I/O, each long computation gets one slice', async () => {
    let time = 0;
    const waiters: (() => void)[] = [];
    const open = createTimeSlicer({ sliceMs: 5, now: () => time, afterIo: (run) => waiters.push(run) });
    const done: string[] = [];
    const compute = async (name: string) => {
      const slices = open({ ...caller, owner: name });
      for (let step = 0; step < 4; step++) {
        await slices.maybeYield();
        done.push(name);
        time += 4;
      }
    };
    const all = Promise.all([compute('a'), compute('b')]);
    const perLook: string[] = [];
    await new Promise((resolve) => setImmediate(resolve));
    for (let waiter = waiters.shift(); waiter !== undefined; waiter = waiters.shift()) {
      const before = done.length;
      waiter();
      await new Promise((resolve) => setImmediate(resolve));
      perLook.push(done.slice(before).join(''));
    }
    await all;
    expect(perLook.every((names) => new Set(names).size <= 1)).toBe(true);
    expect(done.filter((name) => name === 'a')).toHaveLength(4);
    expect(done.filter((name) => name === 'b')).toHaveLength(4);
  });

  test('the unused part of a slice is lost, so computations that return from I/O together do not run together', async () => {
    let time = 0;
    const waiters: (() => void)[] = [];
    const open = createTimeSlicer({ sliceMs: 5, now: () => time, afterIo: (run) => waiters.push(run) });
    const many = Array.from({ length: 10 }, () => open(caller));
    time = 1;
    for (const slices of many) {
      const waiting = slices.maybeYield();
      time += 1;
      waiters.shift()?.();
      await waiting;
      expect(slices.maybeYield()).toBeNull();
    }
    waiters.shift()?.();
    const goOn = many.filter((slices) => {
      const isFree = slices.maybeYield() === null;
      if (isFree) time += 0.5;
      return isFree;
    });
    expect(goOn).toHaveLength(2);
  });

  test('I/O is served between two slices', async () => {
    const open = createTimeSlicer();
    let looked = 0;
    let working = true;
    const serveIo = (): void => {
      looked++;
      if (working) setImmediate(serveIo);
    };
    setImmediate(serveIo);
    const until = performance.now() + 60;
    const compute = async () => {
      const slices = open(caller);
      while (performance.now() < until) await slices.maybeYield();
    };
    await Promise.all(Array.from({ length: 10 }, compute));
    working = false;
    expect(looked).toBeGreaterThan(5);
  });
});
