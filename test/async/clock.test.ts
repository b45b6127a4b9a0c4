import { describe, expect, test } from 'vitest';
import { sleep } from '../../src/async/clock.js';
import { fakeClock } from '../fakes/clock.js';

describe('sleep', () => {
  test('ends after its time', async () => {
    const clock = fakeClock();
    let over = false;
    const sleeping = sleep(clock, 1000).then(() => {
      over = true;
    });
    await clock.advance(999);
    expect(over).toBe(false);
    await clock.advance(1);
    await sleeping;
    expect(over).toBe(true);
  });

  test('rejects with the reason of an abort, and leaves no timer behind', async () => {
    const clock = fakeClock();
    const stop = new AbortController();
    const sleeping = sleep(clock, 1000, stop.signal);
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
  });

  test('does not begin if its signal is already aborted', async () => {
    const clock = fakeClock();
    const reason = new Error('enough');
    await expect(sleep(clock, 1000, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(clock.pending).toBe(0);
  });
});
