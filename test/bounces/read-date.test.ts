import { describe, expect, test } from 'vitest';
import { readDate } from '../../src/service/bounces/read-date.js';

const now = Date.parse('2026-11-18T12:00:00Z');
const local = (...parts: [number, number, number, number, number, number]): string => new Date(...parts).toISOString();

test.each([
  ['2026-11-05', '2026-11-05T00:00:00.000Z'],
  ['2026/11/05', '2026-11-05T00:00:00.000Z'],
  ['2026-11-05T10:11:12Z', '2026-11-05T10:11:12.000Z'],
  ['2026-11-05T10:11:12.123456+01:00', '2026-11-05T09:11:12.123Z'],
  ['2026-11-05 10:11:12+00', '2026-11-05T10:11:12.000Z'],
  ['2026-11-05 10:11 UTC', '2026-11-05T10:11:00.000Z'],
  ['2026-11-05 10:11:12', local(2026, 10, 5, 10, 11, 12)],
  ['Thu, 5 Nov 2026 10:11:12 +0100 (CET)', '2026-11-05T09:11:12.000Z'],
  ['05 Nov 2026 10:11 EST', '2026-11-05T15:11:00.000Z'],
  ['5-Nov-2026', '2026-11-05T00:00:00.000Z'],
  ['Thu Nov  5 10:11:12 2026', local(2026, 10, 5, 10, 11, 12)],
  ['November 5, 2026, 3:11 PM', local(2026, 10, 5, 15, 11, 0)],
  ['Nov 5, 2026 12:11 am', local(2026, 10, 5, 0, 11, 0)],
  ['1795000000', '2026-11-18T11:06:40.000Z'],
  ['1795000000.5', '2026-11-18T11:06:40.500Z'],
  ['1795000000123', '2026-11-18T11:06:40.123Z'],
  ['05.11.2026 08:12', local(2026, 10, 5, 8, 12, 0)],
  ['18.11.2026', '2026-11-18T00:00:00.000Z'],
  ['18/11/2026', '2026-11-18T00:00:00.000Z'],
  ['11-18-2026', '2026-11-18T00:00:00.000Z'],
  ['05/05/2026', '2026-05-05T00:00:00.000Z'],
])('%s is read', (text, want) => expect(readDate(text, now)).toBe(want));

test.each([
  ['05/11/2026'],
  ['5-11-2026 08:12'],
  ['05/11/26'],
  ['11.18.2026'],
  ['13/13/2026'],
  ['2026-02-30'],
  ['2026-11-05 25:00'],
  ['2026-11-05 13:00 PM'],
  ['0000-00-00'],
  ['4'],
  ['12'],
  ['2026'],
  ['campaign 7'],
  ['march campaign 7 2026'],
  ['46344'],
  ['45979.5'],
  ['2026111811'],
  ['9999999999999'],
  ['08:12'],
  ['Nov 2026'],
  [`${' '.repeat(1_000_000)}2026-11-05`],
  [''],
])('%.30s is not a certain date', (text) => expect(readDate(text, now)).toBe(''));

describe('a date without a year', () => {
  test.each([
    ['Nov 17 03:12:44', now, local(2026, 10, 17, 3, 12, 44)],
    ['Nov 28 03:12:44', now, local(2025, 10, 28, 3, 12, 44)],
    ['Dec 31 23:59:59', Date.parse('2027-01-05T12:00:00Z'), local(2026, 11, 31, 23, 59, 59)],
    ['Feb 29 10:00:00', now, local(2024, 1, 29, 10, 0, 0)],
  ])('%s is in the last year in which it is not in the future', (text, at, want) => {
    expect(readDate(text, at)).toBe(want);
  });

  test.each([
    ['Nov 18 15:00:00 UTC', now],
    ['Jan  1 00:30:00 UTC', Date.parse('2026-12-31T23:00:00Z')],
  ])('%s is today in some time zone or a year ago, so it is not read', (text, at) => {
    expect(readDate(text, at)).toBe('');
  });
});
