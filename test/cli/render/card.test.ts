import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../src/cli/render/card.js';
import type { Evidence } from '../../../src/model/evidence.js';
import { resultOf } from '../../fakes/service.js';

const style = { colour: false };
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
});
