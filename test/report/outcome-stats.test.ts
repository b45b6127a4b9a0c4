import { describe, expect, test } from 'vitest';
import { createOutcomeCounter, formatRate, rateOf } from '../../src/report/outcome-stats.js';
import { renderOutcomeReport } from '../../src/report/render-report.js';

// Newcombe 1998, table I, method 3.
test.each([
  { count: 81, of: 263, low: 0.2553, high: 0.3662 },
  { count: 15, of: 148, low: 0.0624, high: 0.1605 },
  { count: 0, of: 20, low: 0, high: 0.1611 },
  { count: 1, of: 29, low: 0.0061, high: 0.1718 },
])('the interval of $count of $of', ({ count, of, low, high }) => {
  expect(rateOf(count, of).low).toBeCloseTo(low, 4);
  expect(rateOf(count, of).high).toBeCloseTo(high, 4);
});

test('a rate without data is shown as such', () => {
  expect(formatRate(rateOf(0, 0))).toBe('–');
  expect(formatRate(rateOf(3, 120))).toBe('3 of 120, 2.5% (0.9–7.1%)');
});

describe('outcomes', () => {
  const counter = createOutcomeCounter();
  const valid = { status: 'valid', sub_status: '', confidence: 0.97 };
  const catchAll = { status: 'risky', sub_status: 'catch_all', confidence: 0.6 };
  for (let index = 0; index < 98; index++) counter.add(`v${index}@x.example`, valid, 'delivered', '');
  counter.add('bad@x.example', valid, 'hard', '550 5.1.1 <script>');
  counter.add('full@x.example', valid, 'soft', '');
  for (let index = 0; index < 10; index++)
    counter.add(`c${index}@all.example`, catchAll, index < 6 ? 'delivered' : 'hard', '');
  counter.add('i@x.example', { status: 'invalid', sub_status: 'mailbox_not_found', confidence: 0.98 }, 'delivered', '');
  const stats = counter.stats(true);

  test('are counted by verdict, with false valid and false invalid', () => {
    expect(stats.by_status.find(({ name }) => name === 'valid')).toMatchObject({
      mailed: 100,
      delivered: 98,
      hard: 1,
      soft: 1,
    });
    expect(stats.false_valid).toMatchObject({ count: 1, of: 100 });
    expect(stats.false_verdicts.map(({ address }) => address)).toEqual(['bad@x.example', 'i@x.example']);
    expect(stats.worst_domains.map(({ name, hard }) => `${name} ${hard}`)).toEqual(['all.example 4', 'x.example 1']);
  });

  test('the confidence by decile leaves out full mailboxes', () => {
    expect(stats.calibration.map(({ from, right }) => [from, right.count, right.of])).toEqual([
      [0.6, 6, 10],
      [0.9, 98, 100],
    ]);
    expect(stats.calibration_error).toBeCloseTo((Math.abs(99 * 0.97 + 0.98 - 98) + 0) / 110, 6);
  });

  test('the report escapes what a mail server said, and needs no inline style', () => {
    const { html } = renderOutcomeReport(stats, 0);
    expect(html).toContain('1 of 100, 1% (0.2–5.4%)');
    expect(html).toContain('550 5.1.1 &lt;script>');
    expect(html).not.toMatch(/style="/);
  });
});
