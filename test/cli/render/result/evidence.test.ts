import { describe, expect, test } from 'vitest';
import { renderEvidence } from '../../../../src/cli/render/result/card.js';
import { wrap } from '../../../../src/cli/render/style/text-layout.js';
import type { Evidence } from '../../../../src/model/evidence.js';
import type { ValidationResult } from '../../../../src/model/result.js';
import {
  accepted,
  evidenceOf,
  noListFacts,
  noRoute,
  notRun,
  randomAccepted,
  refused,
  unanswered,
} from '../../../fakes/evidence.js';
import { resultOf } from '../../../fakes/service.js';

const style = { color: false, columns: 100 };
const evidenceShown = (email: string, change: Partial<ValidationResult> = {}): string =>
  renderEvidence(resultOf(email, change), style);

const refusal = evidenceOf({
  email: 'info@example.org',
  lists: { ...noListFacts, role: 'info', free: true },
  route: {
    state: 'passed',
    detail: { hosts: [{ name: 'mx.example.org', preference: 10, addresses: ['192.0.2.1'] }], implicit: false },
  },
  dmarc: { state: 'failed', reason: 'absent' },
  provider: null,
  mailbox: {
    outcome: { state: 'failed', reason: 'mailbox_not_found' },
    host: 'mx.example.org',
    ip: '192.0.2.1',
    reply: { stage: 'rcpt', code: 550, enhanced: '5.1.1', text: '5.1.1 no such \x1b[31muser' },
    rule: 'enhanced:5.1.1',
    certainty: 0.99,
    retryAt: null,
    controls: {
      random: { stage: 'rcpt', code: 550, enhanced: null, text: 'nobody\x1b here' },
      known: { mailbox: 'postmaster', reply: { stage: 'rcpt', code: 250, enhanced: null, text: 'ok' } },
      decides: 'tells_mailboxes_apart',
    },
    dialogue: [
      { atMs: 12.4, from: 'host', text: '220 mx.example.org' },
      { atMs: 13, from: 'us', text: 'EHLO me' },
      { atMs: 14, from: 'note', text: 'TLS is on\x1b[2J' },
    ],
  },
  catchAll: {
    outcome: 'refused',
    source: 'probe',
    reply: { stage: 'rcpt', code: 550, enhanced: null, text: 'nobody here' },
  },
  plausibility: { score: 0.91, model: 'names-1' },
  timings: { dns: 21.7, smtp: 80 },
  lookups: [
    { type: 'MX', name: 'example.org', records: ['10 mx.example.org'], outcome: 'found', elapsedMs: 12 },
    { type: 'TXT', name: '_dmarc.example.org', records: [], outcome: 'nxdomain', elapsedMs: 3.2 },
  ],
});
const result = resultOf('info@example.org', {
  status: 'invalid',
  sub_status: 'mailbox_not_found',
  reasons: ['mailbox_not_found', 'role_based'],
  evidence: refusal,
});

describe('the evidence', () => {
  const rendered = renderEvidence(result, style);

  test.each([
    ['the lists', '    role: info\n    free provider\n'],
    [
      'DNS with its time',
      'DNS (22 ms)\n    MX 10    mx.example.org 192.0.2.1\n    SPF      v=spf1 -all\n    DMARC    absent\n',
    ],
    ['what DNS was asked', '    MX      example.org → 10 mx.example.org (12 ms)\n'],
    ['a DNS lookup without records', '    TXT     _dmarc.example.org → nxdomain (3 ms)\n'],
    ['the mail server', 'Dialogue (80 ms)\n    with mx.example.org [192.0.2.1]\n'],
    ['the dialogue with its times', '       12 ms ← 220 mx.example.org\n       13 ms → EHLO me\n'],
    ['the rule', 'rule enhanced:5.1.1, certainty 0.99'],
    ['the reply, made safe', 'reply to rcpt: 550 5.1.1 no such \ufffd[31muser\n'],
    ['the random mailbox', 'random mailbox: refused (probe): 550 nobody here\n'],
    ['the control that the host should know', 'control, postmaster: 250 ok\n'],
    ['what the controls decide', 'conclusion: the host accepts some mailboxes'],
    ['how plausible the name is', 'the name before the @ looks chosen by a person: 0.91 of 1 (names-1)\n'],
    [
      'the sentence of the verdict',
      'invalid, mailbox_not_found: The mail server says that there is no such mailbox.\n',
    ],
    ['why not unknown', 'not unknown, since the host answered RCPT and rule enhanced:5.1.1 is about the mailbox\n'],
    [
      'a reason of lower precedence',
      'not role_based, although that is true, too: mailbox_not_found takes precedence\n',
    ],
    ['further reasons', 'also applies: role_based\n'],
  ])('shows %s', (_name, text) => expect(rendered).toContain(text));

  test.each([40, 80, 200])('fits %i columns without control characters', (columns) => {
    const lines = renderEvidence(result, { color: false, columns }).split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(lines.filter((line) => /[\x00-\x1f\x7f]/.test(line))).toEqual([]);
  });

  test('reports that the service sends no evidence', () => {
    expect(evidenceShown('a@b.co')).toContain('The service sends none.');
  });

  test('leaves out DNS and the dialogue if they did not run', () => {
    const bare = evidenceOf({ ...noRoute('skipped', 'not_asked'), level: 'syntax' });
    const text = evidenceShown('a@b.co', { sub_status: 'not_probed', evidence: bare });
    expect(text).not.toMatch(/DNS|Dialogue|Reading/);
    expect(text).toContain('not more certain, since level syntax does not check the mailbox');
  });
});

const inconclusive = { outcome: 'inconclusive', source: 'probe', reply: null } as const;

test.each<[status: string, sub: string, evidence: Partial<Evidence>, want: string]>([
  ['valid', '', {}, 'not catch_all, since a random mailbox of the same domain was refused'],
  ['risky', 'catch_all', { catchAll: randomAccepted }, 'not valid, since a random mailbox was accepted too'],
  [
    'risky',
    'catch_all',
    { catchAll: { ...randomAccepted, source: 'provider' }, provider: 'Yahoo' },
    'not valid, since Yahoo is known to accept every recipient',
  ],
  ['risky', 'disposable', { mailbox: accepted }, 'not valid, though the mailbox was accepted: it will not last'],
  [
    'risky',
    'mailbox_quota_exceeded',
    { mailbox: refused('mailbox_quota_exceeded') },
    'not invalid, since a full mailbox exists',
  ],
  [
    'unknown',
    'greylisted',
    { mailbox: unanswered('greylisted'), catchAll: notRun },
    'not invalid, since "come back later" says nothing about the mailbox',
  ],
  [
    'unknown',
    'mail_server_temporary_error',
    { catchAll: inconclusive },
    'not valid, since it is unknown whether a random mailbox is accepted, too',
  ],
  [
    'unknown',
    'rate_limited',
    { catchAll: { ...inconclusive, reason: 'rate_limited' } },
    'not valid, since it is unknown whether a random mailbox is accepted, too',
  ],
  [
    'unknown',
    'failed_smtp_connection',
    { mailbox: unanswered('failed_smtp_connection'), catchAll: notRun },
    'not invalid, since no host said anything about the mailbox',
  ],
  ['unknown', 'dns_error', noRoute('unknown', 'dns_timeout'), 'not invalid, since DNS gave no usable answer'],
  [
    'invalid',
    'no_dns_entries',
    noRoute('failed', 'no_dns_entries'),
    'not unknown, since DNS answered, and knows the top-level domain',
  ],
])('explains %s, %s, with %j: %s', (status, sub, evidence, want) => {
  const text = evidenceShown('jane@corp.com', { status, sub_status: sub, evidence: evidenceOf(evidence) });
  expect(text).toContain(`    ${want}\n`);
});

test.each([
  { name: 'words', text: 'one two three', width: 8, want: ['one two', 'three'] },
  { name: 'a word longer than the line is cut', text: 'a 0123456789', width: 8, want: ['a', '01234567', '89'] },
  { name: 'nothing', text: '', width: 8, want: [''] },
  { name: 'no room at all', text: 'abcdefghij', width: -3, want: ['abcdefgh', 'ij'] },
])('wraps $name', ({ text, width, want }) => expect(wrap(text, width)).toEqual(want));

test('shows deliveries that were learned from bounces', () => {
  const text = evidenceShown('jane@corp.com', {
    evidence: evidenceOf({ catchAll: randomAccepted, deliveries: { delivered: 41, mailed: 52 } }),
  });
  expect(text).toContain('41 of 52 mailed addresses of this domain without a bounce');
});

test.each([
  {
    first: '2026-11-01',
    last: '2026-11-05',
    bounced: null,
    want: 'from 2026-11-01 to 2026-11-05, and no bounce took it back',
  },
  { first: '2026-11-05', last: '2026-11-05', bounced: null, want: 'our own mail reached it on 2026-11-05, and' },
  { first: null, last: null, bounced: '2026-11-09', want: 'a hard bounce of 2026-11-09 took back what was delivered' },
])('says in one line what our own mail showed: $want', ({ want, ...days }) => {
  const delivery = { ...days, daysSinceFirst: 9, daysSinceLast: 5, accepted: 1, late: 0 };
  const evidence = evidenceOf({ catchAll: randomAccepted, delivery });
  expect(evidenceShown('jane@corp.com', { evidence })).toContain(want);
});
