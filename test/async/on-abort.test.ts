import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { onAbort } from '../../src/async/on-abort.js';

test('all who wait are called once, and those who took it back are not', () => {
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

test('ten thousand who wait for a signal are one listener of it', () => {
  const { signal } = new AbortController();
  const takeBack = Array.from({ length: 10_000 }, () => onAbort(signal, () => {}));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  for (const done of takeBack) done();
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
});
