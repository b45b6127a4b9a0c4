import { describe, expect, test } from 'vitest';
import { createReadinessCheck } from '../../../src/server/observe/readiness.js';

describe('readiness', () => {
  test('a thousand concurrent requests within a second query the store once', async () => {
    let checks = 0;
    let time = 0;
    const isReady = createReadinessCheck({ check: async () => checks++, now: () => time });
    await Promise.all(Array.from({ length: 1_000 }, isReady));
    time = 999;
    await isReady();
    expect(checks).toBe(1);
    time = 1_001;
    await isReady();
    expect(checks).toBe(2);
  });

  test('a store that cannot be written is not ready, and ready again when it can', async () => {
    let time = 0;
    let full = true;
    const check = async () => {
      if (full) throw new Error('The disk is full.');
    };
    const isReady = createReadinessCheck({ check, now: () => time });
    await expect(isReady()).rejects.toThrow('The disk is full.');
    await expect(isReady()).rejects.toThrow('The disk is full.');
    full = false;
    time = 2_000;
    await expect(isReady()).resolves.toBeUndefined();
  });

  test('a store that does not answer is not waited for', async () => {
    const isReady = createReadinessCheck({ check: () => new Promise(() => {}), timeoutMs: 5 });
    await expect(isReady()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
