import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from '../../src/async/on-abort.js';

test('all callbacks are called once, and removed ones are not', () => {
  const controller = new AbortController();
  const called: string[] = [];
  const say = (word: string) => () => called.push(word);
  const same = say('twice');
  onAbort(controller.signal, same);
  onAbort(controller.signal, same);
  onAbort(controller.signal, say('gone'))();
  controller.abort();
  controller.abort();
  expect(called).toEqual(['twice', 'twice']);
});

test('ten thousand callbacks of a signal share one listener', () => {
  const { signal } = new AbortController();
  const takeBack = Array.from({ length: 10_000 }, () => onAbort(signal, () => {}));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const done of takeBack) done();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});
