import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from '../../src/async/on-abort.js';

test('all callbacks are called once, and removed ones are not', () => {
  const controller = new AbortController();
  const called: string[] = [];
  const recordCall = (name: string) => () => called.push(name);
  const same = recordCall('twice');
  onAbort(controller.signal, same);
  onAbort(controller.signal, same);
  onAbort(controller.signal, recordCall('gone'))();
  controller.abort();
  controller.abort();
  expect(called).toEqual(['twice', 'twice']);
});

test('ten thousand callbacks of a signal share one listener', () => {
  const { signal } = new AbortController();
  const takeBack = Array.from({ length: 10_000 }, () => onAbort(signal, () => {}));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const remove of takeBack) remove();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});
