import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../../src/cli/render/result/card.js';
import type { Evidence } from '../../../../src/model/evidence.js';
import { resultOf } from '../../../fakes/service.js';

const style = { colour: false, columns: 80 };
const notAsked = { state: 'skipped', reason: 'not_asked' } as const;

function evidenceWith(change: Partial<Evidence>): Evidence {
  return {
    input: 'ada@example.org',
    level: 'smtp',
    syntax: { ok: false, fault: { code: 'empty', position: 0, message: '', suggestion: null } },
    lists: null,
    route: notAsked,
    spf: notAsked,
    dmarc: notAsked,
    provider: null,
    mailbox: null,
    catchAll: { outcome: 'not_run', source: null, reply: null },
    plausibility: null,
    timings: {},
    ...change,
  };
}

describe('the card', () => {
  test('points at a fault of spelling', () => {
    const fault = {
      code: 'local_double_dot',
      position: 2,
      message: 'Two dots in a row.',
      suggestion: 'a.b@c.co',
    } as const;
    const card = renderCard(
      resultOf('a..b@c.co', {
        status: 'invalid',
        sub_status: 'failed_syntax_check',
        reasons: ['failed_syntax_check', 'local_double_dot:2'],
        did_you_mean: 'a.b@c.co',
        evidence: evidenceWith({ syntax: { ok: false, fault } }),
      }),
      style,
    );
    expect(card).toContain('✖ a..b@c.co\n    ^ Two dots in a row.\n');
    expect(card).toContain('Did you mean a.b@c.co?');
  });

  test('says what was not checked instead of no', () => {
    const card = renderCard(
      resultOf('a@b.co', {
        sub_status: 'not_probed',
        reasons: ['not_probed', 'dns_not_checked', 'smtp_not_checked'],
        catchall: { is_catchall: false, confidence: null },
      }),
      style,
    );
    expect(card).toMatch(/DNS +not checked\n/);
    expect(card).toMatch(/Mailbox +not checked\n/);
    expect(card).toMatch(/Catch-all +not checked\n/);
  });

  test('says when to ask again', () => {
    const card = renderCard(
      resultOf('a@b.co', { status: 'unknown', sub_status: 'greylisted', retry_at: 1_700_000_000 }),
      style,
    );
    expect(card).toContain('Ask again after 2023-11-14T22:13:20Z.');
  });

  const fault = (position: number, message: string) =>
    evidenceWith({ syntax: { ok: false, fault: { code: 'local_double_dot', position, message, suggestion: null } } });
  const long = 'There are two dots in a row before the @: keep only one.';
  test.each([
    { name: 'a verdict with all its facts', result: resultOf('a@b.co', { sub_status: 'catch_all', status: 'risky' }) },
    {
      name: 'reasons',
      result: resultOf('a@b.co', {
        status: 'unknown',
        sub_status: 'dns_error',
        reasons: ['dns_error', 'spf_no_answer'],
      }),
    },
    { name: 'a fault near the start', result: resultOf('a..b@c.co', { status: 'invalid', evidence: fault(2, long) }) },
    {
      name: 'a fault far to the right',
      result: resultOf('somebody.with.a.name..x@c.co', { status: 'invalid', evidence: fault(21, long) }),
    },
    {
      name: 'a fault beyond the edge',
      result: resultOf(`${'x'.repeat(60)}..y@c.co`, { status: 'invalid', evidence: fault(61, long) }),
    },
  ])('fits 40 columns: $name', ({ result }) => {
    const card = renderCard(result, { colour: false, columns: 40 });
    expect(card.split('\n').filter((line) => line.length > 40)).toEqual([]);
  });

  test('the mark stands under its letter though the address takes two lines', () => {
    const email = `${'x'.repeat(60)}..y@c.co`;
    const card = renderCard(resultOf(email, { status: 'invalid', evidence: fault(61, 'Two dots.') }), {
      colour: false,
      columns: 40,
    });
    expect(card).toContain(`✖ ${'x'.repeat(37)}\n  ${'x'.repeat(23)}..y@c.co\n${' '.repeat(26)}^\n  Two dots.\n`);
  });

  test('a suggestion is never cut', () => {
    const meant = `${'x'.repeat(50)}@c.co`;
    const card = renderCard(resultOf('a@b.co', { did_you_mean: meant }), { colour: false, columns: 40 });
    expect(card).toContain(`  Did you mean\n  ${meant}?\n`);
  });
});
