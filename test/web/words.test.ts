import { describe, expect, test } from 'vitest';
import { shareText } from '../../src/report/components/status-bar.js';
import { sizeText } from '../../src/web/pages/lists/lists-page.js';
import { asCli, asCurl } from '../../src/web/parts/shell-line.js';
import { agoText } from '../../src/web/parts/time.js';

// Pages show local dates.
const now = new Date(2026, 10, 15, 12).getTime();
const hours = (number: number): number => number * 3_600_000;

describe('texts of the pages', () => {
  test.each([
    { age: 2_000, says: 'just now' },
    { age: 6 * 60_000, says: '6 min ago' },
    { age: hours(2), says: '2 h ago' },
    { age: hours(30), says: 'yesterday' },
    { age: hours(47), says: '2026-11-13' },
    { age: hours(24 * 12), says: '2026-11-03' },
    { age: hours(24 * 365), says: '2025-11-15' },
    { age: -hours(3), says: 'in 3 h' },
  ])('$says', ({ age, says }) => expect(agoText(now - age, now)).toBe(says));

  test.each([
    { part: 0, whole: 10, says: '0%' },
    { part: 1, whole: 100_000, says: '< 1%' },
    { part: 99_999, whole: 100_000, says: '> 99%' },
    { part: 10, whole: 10, says: '100%' },
    { part: 0, whole: 0, says: '–' },
  ])('$part of $whole is $says', ({ part, whole, says }) => expect(shareText(part, whole)).toBe(says));

  test.each([
    { bytes: 812, says: '812 bytes' },
    { bytes: 1_500_000, says: '1.4 MB' },
    { bytes: 64 * 1024 * 1024, says: '64 MB' },
  ])('$bytes bytes are $says', ({ bytes, says }) => expect(sizeText(bytes)).toBe(says));

  test('an address that looks like a flag or shell code is one word', () => {
    expect(asCli('-x@b.co')).toBe('mailvet validate --explain -- -x@b.co');
    expect(asCli('$(reboot)@b.co')).toBe("mailvet validate --explain '$(reboot)@b.co'");
    expect(asCurl('http://x', "a'b@c.de")).toContain(`'http://x/api/v1/validation/single?email=a'\\''b%40c.de'`);
  });
});
