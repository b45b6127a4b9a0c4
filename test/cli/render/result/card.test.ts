import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../../src/cli/render/result/card.js';
import { parseAddress } from '../../../../src/engine/grammar/parse-address.js';
import type { Evidence } from '../../../../src/model/evidence.js';
import { recordsNotAsked } from '../../../../src/model/record-checks/record-checks.js';
import type { ValidationResult } from '../../../../src/model/result.js';
import { resultOf } from '../../../fakes/service.js';

const style = { color: false, columns: 80, unicode: true };
const cardOf = (email: string, change: Partial<ValidationResult> = {}, columns = 80): string =>
  renderCard(resultOf(email, change), { ...style, columns });
const notAsked = { state: 'skipped', reason: 'not_asked' } as const;

function evidenceWith(change: Partial<Evidence>): Evidence {
  return {
    input: 'ada@example.org',
    level: 'smtp',
    syntax: { ok: false, fault: { code: 'empty', position: 0, message: '', suggestion: null } },
    lists: null,
    route: notAsked,
    ...recordsNotAsked,
    provider: null,
    mailbox: null,
    catchAll: { outcome: 'not_run', source: null, reply: null },
    plausibility: null,
    timings: {},
    ...change,
  };
}

const fault = (position: number, message: string) =>
  evidenceWith({ syntax: { ok: false, fault: { code: 'local_double_dot', position, message, suggestion: null } } });

/** A mailbox that no server accepted. */
function silent(status: string, sub_status: string, smtp_code: number) {
  const { details } = resultOf('a@b.co');
  return { status, sub_status, details: { ...details, smtp_valid: false, smtp_code } };
}

function lookupOf(outcome: 'nxdomain' | 'nodata' | 'found') {
  return evidenceWith({
    syntax: parseAddress('a@b.co'),
    lookups: [{ type: 'MX', name: 'b.co', records: ['10 mx.b.co'], outcome, elapsedMs: 1 }],
  });
}

describe('the card', () => {
  test.each([
    ['nxdomain', 'The domain does not exist.', 'b.co · does not exist'],
    ['nodata', 'The domain exists, but has no mail server.', 'b.co · no mail server · SPF'],
    ['found', 'The mail server of the domain has no IP address.', 'b.co · no address of 10 mx'],
  ] as const)('distinguishes a missing domain from a missing mail server: %s', (outcome, means, domain) => {
    const { details } = resultOf('a@b.co');
    const card = cardOf('a@b.co', {
      status: 'invalid',
      sub_status: 'no_dns_entries',
      details: { ...details, dns_valid: false },
      evidence: lookupOf(outcome),
    });
    expect(card).toContain(means);
    expect(card).toContain(domain);
    expect(card.includes('SPF')).toBe(outcome !== 'nxdomain');
  });

  test('says once when to try again', () => {
    const late = { ...silent('unknown', 'greylisted', 451), retry_at: 1_700_000_000 };
    expect(cardOf('a@b.co', late).match(/^ *Try again|\. Try again/gm)).toHaveLength(1);
  });

  test('shows the mail server that answered, and what it sent instead of SMTP', () => {
    const mailbox = {
      outcome: { state: 'unknown', reason: 'exception_occurred' },
      ...{ host: 'mx2.b.co', ip: '192.0.2.2', reply: null, rule: null, certainty: 0, retryAt: null },
      dialogue: [{ atMs: 1, from: 'note', text: 'what the host sent is not SMTP: "HTTP/1.1 400"' }],
    } as const;
    const evidence = evidenceWith({
      syntax: parseAddress('a@b.co'),
      route: {
        state: 'passed',
        detail: { implicit: false, hosts: [{ name: 'mx1.b.co', preference: 1, addresses: [] }] },
      },
      mailbox: { ...mailbox, dialogue: [...mailbox.dialogue] },
    });
    const card = cardOf('a@b.co', { ...silent('unknown', 'exception_occurred', 0), evidence });
    expect(card).toContain('mail server mx2.b.co');
    expect(card).toMatch(/Server +what the host sent is not SMTP: "HTTP\/1\.1 400"/);
  });

  test('marks a syntax error', () => {
    const fault = {
      code: 'local_double_dot',
      position: 2,
      message: 'Two dots in a row.',
      suggestion: 'a.b@c.co',
    } as const;
    const card = cardOf('a..b@c.co', {
      status: 'invalid',
      sub_status: 'failed_syntax_check',
      reasons: ['failed_syntax_check', 'local_double_dot:2'],
      did_you_mean: 'a.b@c.co',
      evidence: evidenceWith({ syntax: { ok: false, fault } }),
    });
    expect(card).toContain('✖ invalid   a..b@c.co\n              ^ Two dots in a row.\n');
    expect(card).toContain('Did you mean a.b@c.co?');
  });

  test.each([
    { name: 'syntax only', reasons: ['not_probed', 'dns_not_checked', 'smtp_not_checked'], want: 'syntax only: ' },
    { name: 'DNS, too', reasons: ['not_probed', 'smtp_not_checked'], want: 'syntax and DNS only: ' },
  ])('shows first that the address was only partly checked, without a tick: $name', ({ reasons, want }) => {
    const partly = { sub_status: 'not_probed', safe_to_send: false, reasons };
    const card = cardOf('a@b.co', { ...partly, catchall: { is_catchall: false, confidence: null } });
    expect(card.split('\n')[0]).toBe(`~ valid   a@b.co      ${want}the mailbox was not checked`);
    expect(card).not.toContain('✔');
    expect(card).not.toContain('Mailbox');
  });

  test.each([
    { name: 'safe to send', change: {}, want: '✔ valid   a@b.co' },
    { name: 'not sure enough', change: { safe_to_send: false, confidence: 0.6 }, want: '~ valid   a@b.co' },
    { name: 'a role', change: { status: 'risky', sub_status: 'role_based' }, want: '▲ risky   a@b.co' },
    { name: 'an unknown word of a service', change: { status: 'odd\u001b', safe_to_send: false }, want: '? odd' },
  ])('shows a sign that matches the word: $name', ({ change, want }) => {
    expect(cardOf('a@b.co', change).startsWith(want)).toBe(true);
  });

  test.each([
    { name: 'a role', sub_status: 'role_based', means: 'The mailbox belongs to a role rather than a person.' },
    { name: 'a catch-all', sub_status: 'catch_all', means: 'The domain accepts every recipient,' },
  ])('explains its own verdict first, then the suggestion: $name', ({ sub_status, means }) => {
    const reasons = [sub_status, 'possible_typo'];
    const slip = { status: 'risky', sub_status, reasons, did_you_mean: 'info@gmail.com' };
    const card = cardOf('info@gmial.com', slip).replace(/\s+/g, ' ');
    expect(card.startsWith(`▲ risky info@gmial.com ${means}`)).toBe(true);
    expect(card).toMatch(/Did you mean info@gmail\.com\? .*Also The domain, or its ending, looks misspelled/);
  });

  test('shows a missing answer before a suggestion', () => {
    const reasons = ['greylisted', 'possible_typo'];
    const card = cardOf('a@gmial.com', { status: 'unknown', sub_status: 'greylisted', reasons });
    expect(card.split('\n')[1]).toContain('try again later');
  });

  test('uses ASCII signs on a screen that shows only ASCII', () => {
    const ascii = { ...style, unicode: false };
    expect(renderCard(resultOf('a@b.co'), ascii).startsWith('+ valid ')).toBe(true);
    expect(renderCard(resultOf('a@b.co', { status: 'risky' }), ascii).startsWith('! risky ')).toBe(true);
  });

  test.each([
    ['refused a made-up mailbox', {}, 'accepted (250), and a made-up one was refused'],
    [
      'accepts everything',
      { status: 'risky', sub_status: 'catch_all', catchall: { is_catchall: true, confidence: 0.98 } },
      'accepted (250), and so was a made-up one (catch-all, 98%)',
    ],
    [
      'accepted, and the random one deferred',
      { status: 'unknown', sub_status: 'greylisted', reasons: ['greylisted', 'catch_all_inconclusive'] },
      'accepted (250); no clear answer for a made-up one',
    ],
    ['full', { ...silent('risky', 'mailbox_quota_exceeded', 552) }, 'exists, but is full (552)'],
    ['disabled', { ...silent('invalid', 'does_not_accept_mail', 550) }, 'refused (550)'],
    [
      'not reached',
      { ...silent('unknown', 'failed_smtp_connection', 0) },
      'not asked: no mail server could be reached',
    ],
    ['no answer', { ...silent('unknown', 'greylisted', 451) }, 'nothing was learned about it (451)'],
  ])('describes the mailbox: %s', (_name, change, want) => {
    expect(cardOf('a@b.co', change)).toMatch(new RegExp(`Mailbox +${want.replace(/[()]/g, '\\$&')}\n`));
  });

  test('does not show the answer of an untrusted resolver as a fact', () => {
    const card = cardOf('a@b.co', {
      status: 'unknown',
      sub_status: 'dns_error',
      reasons: ['dns_error', 'resolver_denies_everything'],
    });
    expect(card).toMatch(/Domain +b.co · DNS gave no usable answer\n/);
    expect(card).not.toContain('SPF');
  });

  const ai = (status: string) =>
    status === 'unknown' ? { ai_enhancement: { used: false, method: null, estimate: 0.64 } } : {};
  test.each([
    { status: 'unknown', sub_status: 'greylisted', says: 'Estimate   64% that the mailbox exists' },
    { status: 'risky', sub_status: 'catch_all', says: 'Estimate   64% that the mailbox exists' },
    { status: 'risky', sub_status: 'disposable', says: 'Confidence 64% ' },
  ])('labels the percentage for $sub_status', ({ says, ...verdict }) => {
    const result = { ...verdict, confidence: verdict.status === 'unknown' ? 0.5 : 0.64, ...ai(verdict.status) };
    expect(cardOf('a@b.co', result)).toContain(`\n  ${says}`);
  });

  test.each([
    { sub_status: 'dns_error', did_you_mean: null },
    { sub_status: 'failed_smtp_connection', did_you_mean: 'a@gmail.com' },
  ])('says of an estimate that only the name supports it: $sub_status', (verdict) => {
    const result = { status: 'unknown', ...verdict, confidence: 0.5, ...ai('unknown') };
    const card = cardOf('a@b.co', result);
    expect(card).toContain('Estimate   64% that the mailbox exists, by its name alone');
  });

  test('the words for a misspelled domain also fit an ending that does not exist', () => {
    const verdict = { status: 'risky', sub_status: 'possible_typo', did_you_mean: 'a@corp.com' };
    const card = cardOf('a@corp.con', verdict);
    expect(card).toContain('The domain, or its ending, looks misspelled.');
  });

  test('suggests flags for local checks, and none for a remote service', () => {
    const adviceOf = (tier: string): string => {
      const result = resultOf('a@b.co', { status: 'unknown', sub_status: 'antispam_system' });
      return renderCard({ ...result, metadata: { ...result.metadata, plan_tier: tier } }, style).replace(/\s+/g, ' ');
    };
    expect(adviceOf('local')).toContain('the setting proxy');
    expect(adviceOf('team')).not.toContain('--');
    expect(adviceOf('team')).toContain('The operator of the service');
  });

  test('shows an international domain with its DNS name', () => {
    const result = resultOf('a@münchen.de');
    const card = renderCard({ ...result, details: { ...result.details, domain: 'xn--mnchen-3ya.de' } }, style);
    expect(card).toMatch(/Domain {5}münchen\.de \(xn--mnchen-3ya\.de[,)]/);
  });

  test('puts the mark under its character after wide characters', () => {
    const card = cardOf('日本..x@c.co', { status: 'invalid', evidence: fault(3, 'Two dots.') });
    expect(card).toContain(`✖ invalid   日本..x@c.co\n${' '.repeat(12 + 5)}^ Two dots.\n`);
  });

  test('does not say that nothing is known of a mailbox that was accepted', () => {
    const reasons = ['greylisted', 'catch_all_inconclusive'];
    const card = cardOf('a@b.co', { status: 'unknown', sub_status: 'greylisted', reasons });
    expect(card.replace(/\s+/g, ' ')).toContain('accepted this mailbox, but gave no clear answer for a made-up one');
    expect(card).not.toContain('This says nothing about the mailbox');
  });

  test('a retry is not due before the minute that is shown', () => {
    const at = new Date(2026, 10, 18, 12, 43, 49).getTime() / 1000;
    const card = cardOf('a@b.co', { ...silent('unknown', 'greylisted', 450), retry_at: at });
    expect(card).toMatch(/Try again after .*12:44 /);
  });

  test('shows the time of a retry in local time', () => {
    const card = cardOf('a@b.co', { status: 'unknown', sub_status: 'greylisted', retry_at: 1_700_000_000 });
    expect(card).toMatch(/Try again after 2023-11-1[45] \d\d:\d\d [A-Z]{2,4}.*\./);
  });

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
    const card = renderCard(result, { color: false, columns: 40, unicode: true });
    expect(card.split('\n').filter((line) => line.length > 40)).toEqual([]);
  });

  test('puts the mark under its character if the address takes two lines', () => {
    const email = `${'x'.repeat(60)}..y@c.co`;
    const card = cardOf(email, { status: 'invalid', evidence: fault(61, 'Two dots.') }, 40);
    expect(card).toContain(
      `✖ invalid\n  ${'x'.repeat(37)}\n  ${'x'.repeat(23)}..y@c.co\n${' '.repeat(26)}^\n  Two dots.\n`,
    );
  });

  test('breaks an address that is wider than the screen before its domain', () => {
    const email = 'a.rather.long.local.part.of.words@contoso.example';
    const card = cardOf(email, {}, 45);
    expect(card).toMatch(/^✔ valid\n {2}a\.rather\.long\.local\.part\.of\.words\n {2}@contoso\.example\n/);
  });

  test.each([true, false])('ends the last line at the right edge of the others, with color: %s', (color) => {
    const domain = `${'x'.repeat(60)}.example`;
    const details = { ...resultOf('').details, domain, provider: 'contoso.example' };
    const card = renderCard(resultOf(`a@${domain}`, { details }), { color, columns: 120, unicode: true });
    const widths = stripVTControlCharacters(card)
      .split('\n')
      .map((line) => line.length);
    expect(widths.at(-2)).toBe(Math.max(...widths));
    expect(widths.at(-2)).toBeGreaterThan(80);
  });

  test('a suggestion is never cut', () => {
    const suggestion = `${'x'.repeat(50)}@c.co`;
    const card = cardOf('a@b.co', { did_you_mean: suggestion }, 40);
    expect(card).toContain(`  Did you mean\n  ${suggestion}?\n`);
  });
});
