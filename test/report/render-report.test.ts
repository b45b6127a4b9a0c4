import { describe, expect, test } from 'vitest';
import type { BulkAnswer } from '../../src/model/result.js';
import { renderReport } from '../../src/report/render-report.js';
import { createStatsCollector } from '../../src/report/run-stats.js';

function answer(email: string, status: string, subStatus: string, more: Partial<BulkAnswer> = {}): BulkAnswer {
  const result = { email, status, is_valid: status === 'valid', confidence: 0.9, sub_status: subStatus };
  return { result: { ...result, did_you_mean: null } as BulkAnswer['result'], duplicate: false, ...more };
}

function reportOf(answers: readonly BulkAnswer[], name = 'list.csv', emptyUnit: 'row' | 'cell' = 'row', empty = 0) {
  const gatherer = createStatsCollector(0, { keepBad: true });
  gatherer.add(answers);
  gatherer.summary.empty_count = empty;
  return renderReport(gatherer.stats({ name, columns: ['Email'], otherColumns: [], emptyUnit }, 12_000));
}

const mixed = [
  answer('a@good.example', 'valid', ''),
  answer('b@bad.example', 'invalid', 'mailbox_not_found'),
  answer('b@bad.example', 'invalid', 'mailbox_not_found', { duplicate: true }),
  answer('c@all.example', 'risky', 'catch_all'),
  answer('d@slow.example', 'unknown', 'greylisted'),
  answer('', '', '', { empty: true }),
];

describe('the report', () => {
  test('shows each count once, and every row that is not valid', () => {
    const { html } = reportOf(mixed);
    expect(html).toContain('aria-label="1 valid, 1 risky, 1 invalid, 1 unknown"');
    expect(html.match(/b@bad\.example/g)).toHaveLength(1);
    expect(html).not.toContain('a@good.example');
    expect(html).toContain('The mail server says that there is no such mailbox.');
    expect(html).toContain('Remove 1 invalid address: mail to it bounces');
  });

  test.each(['row', 'cell'] as const)('says that each %s without an address was counted', (unit) => {
    expect(reportOf(mixed, 'list.csv', unit, 4).html).toContain(`4 ${unit}s without an address`);
  });

  test('cells with several addresses are to be split, not checked again', () => {
    const several = [1, 2].map((row) => answer(`a${row}@x.example, b@x.example`, 'unknown', 'several_addresses'));
    const { html } = reportOf([...several, answer('d@slow.example', 'unknown', 'greylisted')]);
    expect(html).toMatch(/Check 1 unknown address again: it may be good or bad\. The most common reason: [^<]*later/);
    expect(html).toContain('2 cells hold several addresses, which were not checked.');
    const { html: only } = reportOf([answer('c@good.example', 'valid', ''), ...several]);
    expect(only).not.toMatch(/unknown address(?:es)? again|Nothing: all/);
  });

  test('has no tick for mailboxes that were not probed', () => {
    const { html } = reportOf([answer('a@good.example', 'valid', 'not_probed')]);
    expect(html).toContain('plausible, not probed');
    expect(html).not.toContain('✔');
    const { html: partly } = reportOf([...mixed, answer('e@good.example', 'valid', 'not_probed')]);
    expect(partly).toContain('1 not probed');
  });

  test('marks a domain by what most of its rows are', () => {
    const bad = (status: string) => [1, 2].map((index) => answer(`${index}@${status}.example`, status, 'greylisted'));
    const { html } = reportOf([...bad('invalid'), ...bad('unknown'), ...bad('risky')]);
    expect(html.match(/100% [✖▲?]/g)).toEqual(['100% ✖', '100% ▲', '100% ?']);
  });

  test('shows a domain in Unicode with its DNS name, unless it looks like another one', () => {
    const rows = ['a@münchen.de', 'b@xn--mnchen-3ya.de', 'c@gооgle.com'].map((email) => answer(email, 'valid', ''));
    const { html } = reportOf(rows);
    expect(html).toContain('<bdi>münchen.de</bdi> <span class="muted small">xn--mnchen-3ya.de</span>');
    expect(html.match(/<bdi>münchen/g)).toHaveLength(1);
    expect(html).toContain('<bdi>xn--ggle-55da.com</bdi>');
    expect(html).not.toContain('gооgle');
  });

  test('is self-contained', () => {
    const { html } = reportOf(mixed);
    expect(html).not.toMatch(/\b(?:src|href)=/);
    expect(html).not.toMatch(/\sstyle="/);
    expect(html).not.toMatch(/@import|url\(/);
  });

  test.each([
    ['an address', [answer('<script>alert(1)</script>@x.example', 'invalid', 'failed_syntax_check')], 'list.csv'],
    ['a word of a service', [answer('a@x.example', '<script>', '"><script>alert(1)</script>')], 'list.csv'],
    ['the name of the file', mixed, '</title><script>alert(1)</script>.csv'],
  ])('markup in %s stays text', (_, answers, name) => {
    const { html } = reportOf(answers, name);
    expect(html.match(/<script>/g)).toHaveLength(1);
    expect(html.match(/<\/title>/g)).toHaveLength(1);
  });

  test('direction marks in a name are shown, not obeyed', () => {
    expect(reportOf(mixed, '\u202Egnp.csv').html).not.toContain('\u202E');
  });

  test('shows 5,000 rows and says that others are left out', () => {
    const many = Array.from({ length: 6_000 }, (_, index) =>
      answer(`n${index}@x.example`, 'invalid', 'mailbox_not_found'),
    );
    const { html } = reportOf(many);
    expect(html.match(/n\d+@x\.example/g)).toHaveLength(5_000);
    expect(html).toContain('of which the first 5,000 are here');
  });

  test('stays small even if each address is as long as a page', () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      answer(`${index}${'x'.repeat(20_000)}@x.example`, 'invalid', 'failed_syntax_check'),
    );
    expect(reportOf(many).html.length).toBeLessThan(3_000_000);
  });

  test('an empty list has a report, too', () => expect(reportOf([]).html).toContain('There are none.'));
});
