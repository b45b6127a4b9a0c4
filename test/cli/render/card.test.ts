import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../src/cli/render/card.js';
import { renderEvidence } from '../../../src/cli/render/evidence.js';
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

describe('the evidence', () => {
  const evidence = evidenceWith({
    lists: { reserved: null, disposable: null, role: 'info', free: true, didYouMean: null },
    route: {
      state: 'passed',
      detail: { hosts: [{ name: 'mx.example.org', preference: 10, addresses: ['192.0.2.1'] }], implicit: false },
    },
    spf: { state: 'passed', detail: 'v=spf1 -all' },
    dmarc: { state: 'failed', reason: 'absent' },
    mailbox: {
      outcome: { state: 'failed', reason: 'mailbox_not_found' },
      host: 'mx.example.org',
      ip: '192.0.2.1',
      reply: { stage: 'rcpt', code: 550, enhanced: '5.1.1', text: 'no such \x1b[31muser' },
      rule: 'enhanced:5.1.1',
      certainty: 0.99,
      retryAt: null,
      dialogue: [
        { atMs: 12.4, from: 'host', text: '220 mx.example.org' },
        { atMs: 13, from: 'us', text: 'EHLO me' },
      ],
    },
    timings: { dns: 21.7, smtp: 80 },
  });
  const shown = renderEvidence(
    resultOf('info@example.org', {
      status: 'invalid',
      sub_status: 'mailbox_not_found',
      reasons: ['mailbox_not_found', 'role_based'],
      evidence,
    }),
    style,
  );

  test.each([
    ['the lists', 'role: info\n    free provider'],
    [
      'DNS with its time',
      'DNS (22 ms)\n    MX 10   mx.example.org  192.0.2.1\n    SPF     v=spf1 -all\n    DMARC   absent\n',
    ],
    ['the dialogue with its times', '   12 ms ← 220 mx.example.org\n       13 ms → EHLO me\n'],
    ['the rule', 'rule enhanced:5.1.1, certainty 0.99'],
    ['the reply, made safe', 'reply to rcpt: 550 5.1.1 no such \ufffd[31muser'],
    [
      'why',
      'invalid, mailbox_not_found: The mail host says that there is no such mailbox.\n    also holds: role_based',
    ],
  ])('shows %s', (_name, text) => {
    expect(shown).toContain(text);
  });

  test('says when the service gives none', () => {
    expect(renderEvidence(resultOf('a@b.co'), style)).toContain('The service gives none.');
  });
});
