import { expect, test } from 'vitest';
import { renderAge, renderAgo, renderDuration, renderMoment } from '../../../src/model/text/time.js';

test.each([
  [0, '0 ms'],
  [99.4, '99 ms'],
  [99.6, '0.1 s'],
  [400, '0.4 s'],
  [9_960, '10 s'],
  [59_400, '59 s'],
  [60_000, '1 min'],
  [358_000, '5 min 58 s'],
  [3_600_000, '1 h'],
  [7_380_000, '2 h 3 min'],
  [86_369_000, '23 h 59 min'],
  [86_371_000, '1 day'],
  [90_000_000, '1 day'],
  [-5, '0 ms'],
])('%d ms last %s', (ms, want) => expect(renderDuration(ms)).toBe(want));

test.each([
  [2_000, 'just now'],
  [15_000, '15 s'],
  [3_599_000, '59 min'],
  [7_200_000, '2 h'],
  [86_400_000, '1 day'],
  [200_000_000, '2 days'],
])('%d ms ago is %s', (ms, want) => {
  expect(renderAge(ms)).toBe(want);
  expect(renderAgo(ms)).toBe(want === 'just now' ? want : `${want} ago`);
});

test('a time of today is shown without a date, others with one', () => {
  const now = Date.now();
  expect(renderMoment(now, now)).toMatch(/^\d\d:\d\d \S+/);
  expect(renderMoment(now - 3 * 86_400_000, now)).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d/);
});
