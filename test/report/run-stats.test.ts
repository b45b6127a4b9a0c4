import { describe, expect, test } from 'vitest';
import type { BulkAnswer } from '../../src/model/result.js';
import { createStatsCollector, createTimeline } from '../../src/report/run-stats.js';
import { createStatusCounts, worstOf } from '../../src/report/status-counts.js';

const list = { name: 'list.csv', columns: ['Email'], otherColumns: [] };

function answer(email: string, status: string, more: Record<string, unknown> = {}): BulkAnswer {
  const { duplicate = false, empty, unanswered, ...result } = more;
  return {
    result: { email, status, is_valid: status === 'valid', confidence: 0.9, ...result },
    duplicate: duplicate === true,
    ...(empty === true && { empty }),
    ...(unanswered === true && { unanswered }),
  };
}

function statsOf(...answers: BulkAnswer[]) {
  const gatherer = createStatsCollector(0);
  gatherer.add(answers);
  return gatherer.stats(list, 1000);
}

describe('the statistics of a run', () => {
  test('each answer is in one of the five counts; rows without an address or an answer are in none', () => {
    const { summary } = statsOf(
      answer('a@x.example', 'valid'),
      answer('a@x.example', 'valid', { duplicate: true }),
      answer('b@x.example', 'made_up_by_a_service'),
      answer('', '', { empty: true }),
      answer('c@x.example', 'unknown', { unanswered: true }),
    );
    expect(summary).toMatchObject({ total: 3, valid_count: 1, unknown_count: 1, duplicate_count: 1, credits_used: 2 });
    expect(summary.unanswered_count).toBe(1);
  });

  test('reasons, domains and providers count each mailbox once, by status', () => {
    const details = { domain: 'x.example', provider: 'Google' };
    const { reasons, domains, providers } = statsOf(
      answer('a@x.example', 'valid', { sub_status: '', details }),
      answer('a@x.example', 'valid', { sub_status: '', details, duplicate: true }),
      answer('b@x.example', 'invalid', { sub_status: 'mailbox_not_found', details }),
      answer('c@y.example', 'invalid', { details: { domain: 'y.example', provider: '' } }),
    );
    expect(reasons.names).toMatchObject([
      { name: '', valid: 1 },
      { name: 'mailbox_not_found', invalid: 1 },
    ]);
    expect(domains.names).toMatchObject([
      { name: 'x.example', total: 2, valid: 1, invalid: 1 },
      { name: 'y.example', total: 1, invalid: 1 },
    ]);
    expect(providers.names).toMatchObject([{ name: 'Google', total: 2 }]);
  });

  test('providers are left out if those of some addresses are unknown', () => {
    const details = { domain: 'gmail.com', provider: 'Google' };
    const known = answer('a@gmail.com', 'valid', { details });
    expect(statsOf(known).providers.names).toHaveLength(1);
    const { providers, domains } = statsOf(known, answer('b@Gmail.com', 'valid'));
    expect(providers).toEqual({ names: [], dropped: 0 });
    expect(domains.names).toMatchObject([{ name: 'gmail.com', total: 2 }]);
  });

  test('a cell with several addresses counts for no domain', () => {
    const email = 'a@x.org, b@x.org';
    const { domains, reasons } = statsOf(answer(email, 'unknown', { sub_status: 'several_addresses' }));
    expect([domains.names, reasons.names[0]?.unknown]).toEqual([[], 1]);
  });

  test.each([
    { email: 'j ane@Gmail.com', want: ['gmail.com'] },
    { email: 'a..b@bücher.de', want: ['xn--bcher-kva.de'] },
    { email: 'jane', want: [] },
    { email: 'jane@gmail', want: [] },
    { email: 'jane@gmail..com', want: [] },
    { email: 'jane@gmail.c om', want: [] },
    { email: 'jane@-gmail.com', want: [] },
    { email: 'Jane <jane@gmail.com>', want: [] },
  ])('a malformed address counts for its domain if that is well-formed: $email', ({ email, want }) => {
    const details = { domain: email.slice(email.lastIndexOf('@') + 1), provider: '' };
    for (const more of [{}, { details }]) {
      const { domains } = statsOf(answer(email, 'invalid', { sub_status: 'failed_syntax_check', ...more }));
      expect(domains.names.map(({ name, invalid }) => [name, invalid])).toEqual(want.map((name) => [name, 1]));
    }
  });

  test('suggestions are counted, and some are kept', () => {
    const slips = Array.from({ length: 30 }, (_, at) =>
      answer(`a${at}@gmial.com`, 'risky', { did_you_mean: `a${at}@gmail.com` }),
    );
    const { suggestions } = statsOf(...slips);
    expect(suggestions.count).toBe(30);
    expect(suggestions.examples).toHaveLength(20);
    expect(suggestions.examples[0]).toEqual({ email: 'a0@gmial.com', suggestion: 'a0@gmail.com' });
  });
});

describe('a tally', () => {
  test('orders names of equal count by name', () => {
    const tally = createStatusCounts(100);
    for (const name of ['greylisted', 'catch_all', 'disposable', 'disposable']) tally.add(name, 'risky');
    expect(tally.counts().names.map(({ name }) => name)).toEqual(['disposable', 'catch_all', 'greylisted']);
  });

  test('keeps the frequent ones of too many names, and counts every row', () => {
    const tally = createStatusCounts(100);
    for (let index = 0; index < 5_000; index++) {
      tally.add(`rare${index}.example`, 'valid');
      if (index % 2 === 0) tally.add('frequent.example', 'invalid');
    }
    const { names, dropped } = tally.counts();
    expect(names.length).toBeLessThanOrEqual(200);
    expect(names[0]).toMatchObject({ name: 'frequent.example', total: 2_500, invalid: 2_500 });
    expect(names.reduce((sum, { total }) => sum + total, dropped)).toBe(7_500);
  });

  test('the worst names are those with the most rows that share a fault', () => {
    const tally = createStatusCounts(100);
    const add = (name: string, status: 'valid' | 'invalid' | 'risky', times: number): void => {
      for (let time = 0; time < times; time++) tally.add(name, status);
    };
    add('fine.example', 'valid', 9);
    add('fine.example', 'invalid', 8);
    add('gone.example', 'invalid', 4);
    add('slips.example', 'risky', 5);
    add('slips.example', 'valid', 2);
    add('once.example', 'invalid', 1);
    expect(worstOf(tally.counts(), 5)).toEqual([
      { name: 'slips.example', total: 7, status: 'risky', count: 5 },
      { name: 'gone.example', total: 4, status: 'invalid', count: 4 },
    ]);
  });
});

describe('a timeline', () => {
  test('counts the answers of each slice', () => {
    const { recordProgress, timeline } = createTimeline(1_000);
    recordProgress(3, 1_100);
    recordProgress(5, 1_200);
    recordProgress(9, 1_800);
    expect(timeline()).toEqual({ sliceMs: 250, answered: [5, 0, 0, 4] });
  });

  test('a run of a day has no more slices than a run of a minute, and loses no answer', () => {
    const { recordProgress, timeline } = createTimeline(0);
    for (let minute = 1; minute <= 24 * 60; minute++) recordProgress(minute * 10, minute * 60_000);
    const { sliceMs, answered } = timeline();
    expect(answered.length).toBeLessThanOrEqual(120);
    expect(answered.length * sliceMs).toBeGreaterThanOrEqual(24 * 3_600_000);
    expect(answered.reduce((sum, each) => sum + each, 0)).toBe(24 * 60 * 10);
  });
});
