import { describe, expect, test } from 'vitest';
import { catchAllConfidenceOf } from '../../src/engine/confidence.js';
import { parseAddress } from '../../src/engine/grammar/parse-address.js';
import { judge } from '../../src/engine/judge.js';
import type { Evidence, MailboxReason } from '../../src/model/evidence.js';
import { type SubStatus, statusOf } from '../../src/model/verdict.js';
import {
  accepted,
  evidenceOf,
  noListFacts,
  noRoute,
  notRun,
  randomAccepted,
  refused,
  unanswered,
} from '../fakes/evidence.js';

const broken: Partial<Evidence> = {
  syntax: { ok: false, fault: { code: 'missing_at', position: 4, message: 'No @.', suggestion: null } },
  lists: null,
  ...noRoute('skipped', 'not_asked'),
};
const lists = (facts: Partial<typeof noListFacts>): Partial<Evidence> => ({ lists: { ...noListFacts, ...facts } });
const unproven = (reason: MailboxReason): Partial<Evidence> => ({ mailbox: unanswered(reason), catchAll: notRun });
const disproven = (reason: MailboxReason): Partial<Evidence> => ({ mailbox: refused(reason), catchAll: notRun });
const sendsNoMail: Partial<Evidence> = {
  route: {
    state: 'passed',
    detail: { hosts: [{ name: 'corp.com', preference: 0, addresses: ['8.8.8.8'] }], implicit: true },
  },
  spf: { state: 'passed', detail: 'v=spf1 -all' },
};
const acceptsAnything: Partial<Evidence> = { catchAll: randomAccepted };
const ownDelivery = {
  ...{ first: '2026-11-01', last: '2026-11-05', bounced: null, daysSinceFirst: 17, daysSinceLast: 13 },
  ...{ accepted: 0, late: 0 },
};

interface Fact {
  name: string;
  given: Partial<Evidence> & { email?: string };
  status: string;
  sub: SubStatus;
}

const facts: Fact[] = [
  { name: 'accepted, and a random mailbox refused', given: {}, status: 'valid', sub: '' },
  { name: 'accepted with a tag', given: { email: 'jane+news@corp.com' }, status: 'valid', sub: 'alias_address' },
  {
    name: 'syntax level, all checks passed',
    given: { level: 'syntax', ...noRoute('skipped', 'not_asked') },
    status: 'valid',
    sub: 'not_probed',
  },
  {
    name: 'catch-all, but our own mail reached it',
    given: { ...acceptsAnything, delivery: ownDelivery },
    status: 'valid',
    sub: 'delivered',
  },
  {
    name: 'dns level, all checks passed',
    given: { level: 'dns', mailbox: null, catchAll: notRun },
    status: 'valid',
    sub: 'not_probed',
  },
  {
    name: 'a tag without a probe is not_probed',
    given: { email: 'a+b@corp.com', mailbox: null, catchAll: notRun },
    status: 'valid',
    sub: 'not_probed',
  },
  { name: 'broken grammar', given: broken, status: 'invalid', sub: 'failed_syntax_check' },
  {
    name: 'two addresses',
    given: { ...broken, syntax: parseAddress('a@corp.com, b@corp.com') },
    status: 'unknown',
    sub: 'several_addresses',
  },
  {
    name: 'an address of bytes that could not be decoded',
    given: { ...broken, syntax: parseAddress('\ufffdjos@corp.com') },
    status: 'unknown',
    sub: 'unknown_encoding',
  },
  {
    name: 'a special-use name',
    given: { ...lists({ reserved: 'test' }), ...noRoute('skipped', 'not_asked') },
    status: 'invalid',
    sub: 'reserved_domain',
  },
  { name: 'NXDOMAIN', given: noRoute('failed', 'no_dns_entries'), status: 'invalid', sub: 'no_dns_entries' },
  { name: 'a name that may be a role', given: lists({ possibleRole: 'hello' }), status: 'valid', sub: '' },
  { name: 'null MX', given: noRoute('failed', 'null_mx'), status: 'invalid', sub: 'does_not_accept_mail' },
  {
    name: 'no MX and an SPF that denies all, not probed',
    given: { ...sendsNoMail, level: 'dns', mailbox: null, catchAll: notRun },
    status: 'risky',
    sub: 'unlikely_to_accept_mail',
  },
  { name: 'the same, accepted', given: sendsNoMail, status: 'valid', sub: '' },
  {
    name: 'the same, without a connection',
    given: { ...sendsNoMail, ...unproven('failed_smtp_connection') },
    status: 'unknown',
    sub: 'failed_smtp_connection',
  },
  { name: '556 at RCPT', given: disproven('does_not_accept_mail'), status: 'invalid', sub: 'does_not_accept_mail' },
  {
    name: 'only private mail servers',
    given: noRoute('failed', 'unroutable_ip_address'),
    status: 'invalid',
    sub: 'unroutable_ip_address',
  },
  { name: 'no such mailbox', given: disproven('mailbox_not_found'), status: 'invalid', sub: 'mailbox_not_found' },
  { name: 'mailbox disabled', given: disproven('mailbox_disabled'), status: 'invalid', sub: 'mailbox_disabled' },
  {
    name: 'no host offers SMTPUTF8',
    given: disproven('smtputf8_unsupported'),
    status: 'invalid',
    sub: 'smtputf8_unsupported',
  },
  { name: 'disposable', given: lists({ disposable: 'mailinator.com' }), status: 'risky', sub: 'disposable' },
  { name: 'mailbox full', given: disproven('mailbox_quota_exceeded'), status: 'risky', sub: 'mailbox_quota_exceeded' },
  { name: 'catch-all', given: acceptsAnything, status: 'risky', sub: 'catch_all' },
  {
    name: 'role at a catch-all',
    given: { ...acceptsAnything, ...lists({ role: 'info' }) },
    status: 'risky',
    sub: 'role_based_catch_all',
  },
  { name: 'role', given: lists({ role: 'info' }), status: 'risky', sub: 'role_based' },
  { name: 'typo', given: lists({ didYouMean: 'jane@gmail.com' }), status: 'risky', sub: 'possible_typo' },
  { name: 'greylisted', given: unproven('greylisted'), status: 'unknown', sub: 'greylisted' },
  { name: 'rate limited', given: unproven('rate_limited'), status: 'unknown', sub: 'rate_limited' },
  {
    name: 'other 4xx',
    given: unproven('mail_server_temporary_error'),
    status: 'unknown',
    sub: 'mail_server_temporary_error',
  },
  { name: 'our address refused', given: unproven('antispam_system'), status: 'unknown', sub: 'antispam_system' },
  {
    name: 'for its own people only',
    given: unproven('restricted_recipient'),
    status: 'unknown',
    sub: 'restricted_recipient',
  },
  { name: 'no reverse name', given: unproven('needs_reverse_dns'), status: 'unknown', sub: 'needs_reverse_dns' },
  { name: 'sender refused', given: unproven('sender_rejected'), status: 'unknown', sub: 'sender_rejected' },
  {
    name: 'no host reachable',
    given: unproven('failed_smtp_connection'),
    status: 'unknown',
    sub: 'failed_smtp_connection',
  },
  { name: 'port blocked', given: unproven('outbound_port_blocked'), status: 'unknown', sub: 'outbound_port_blocked' },
  { name: 'deadline', given: unproven('timeout_exceeded'), status: 'unknown', sub: 'timeout_exceeded' },
  { name: 'dropped', given: unproven('forcible_disconnect'), status: 'unknown', sub: 'forcible_disconnect' },
  {
    name: 'no banner',
    given: unproven('mail_server_did_not_respond'),
    status: 'unknown',
    sub: 'mail_server_did_not_respond',
  },
  { name: 'malformed protocol', given: unproven('exception_occurred'), status: 'unknown', sub: 'exception_occurred' },
  { name: 'SERVFAIL', given: noRoute('unknown', 'dns_servfail'), status: 'unknown', sub: 'dns_error' },
  { name: 'DNS timeout', given: noRoute('unknown', 'dns_timeout'), status: 'unknown', sub: 'dns_error' },
  { name: 'DNS refused', given: noRoute('unknown', 'dns_refused'), status: 'unknown', sub: 'dns_error' },
  { name: 'broken DNS answer', given: noRoute('unknown', 'dns_malformed'), status: 'unknown', sub: 'dns_error' },
  {
    name: 'a resolver that denies everything',
    given: noRoute('unknown', 'resolver_denies_everything'),
    status: 'unknown',
    sub: 'dns_error',
  },
  {
    name: 'a resolver that invents answers',
    given: noRoute('unknown', 'resolver_invents_answers'),
    status: 'unknown',
    sub: 'dns_error',
  },
  {
    name: 'accepted, random inconclusive: never valid',
    given: { catchAll: { outcome: 'inconclusive', source: 'probe', reply: null } },
    status: 'unknown',
    sub: 'mail_server_temporary_error',
  },
  {
    name: 'accepted, random greylisted: unknown until a retry',
    given: { catchAll: { outcome: 'inconclusive', source: 'probe', reply: null, reason: 'greylisted' } },
    status: 'unknown',
    sub: 'greylisted',
  },
  {
    name: 'accepted, random not probed: never valid',
    given: { catchAll: notRun },
    status: 'unknown',
    sub: 'mail_server_temporary_error',
  },
];

describe('the table', () => {
  test.each(facts)('$name → $status/$sub', ({ given, status, sub }) => {
    const verdict = judge(evidenceOf(given));
    expect([verdict.status, verdict.subStatus]).toEqual([status, sub]);
  });

  test('has a row for every sub-status', () => {
    const covered = new Set(facts.map(({ sub }) => sub));
    expect(Object.keys(statusOf).filter((sub) => !covered.has(sub as SubStatus))).toEqual([]);
  });
});

describe('precedence', () => {
  const everyRisk = lists({ disposable: 'mailinator.com', role: 'info', didYouMean: 'info@gmail.com' });
  const steps: Fact[] = [
    {
      name: 'a missing mailbox beats disposable',
      given: { ...everyRisk, ...disproven('mailbox_not_found') },
      status: 'invalid',
      sub: 'mailbox_not_found',
    },
    {
      name: 'a dead domain beats role and typo',
      given: { ...everyRisk, ...noRoute('failed', 'no_dns_entries') },
      status: 'invalid',
      sub: 'no_dns_entries',
    },
    {
      name: 'admin@ that does not exist is invalid, not risky',
      given: { ...lists({ role: 'admin' }), ...disproven('mailbox_not_found') },
      status: 'invalid',
      sub: 'mailbox_not_found',
    },
    {
      name: 'disposable beats an unknown mailbox',
      given: { ...everyRisk, ...unproven('greylisted') },
      status: 'risky',
      sub: 'disposable',
    },
    {
      name: 'disposable beats a DNS error',
      given: { ...everyRisk, ...noRoute('unknown', 'dns_timeout') },
      status: 'risky',
      sub: 'disposable',
    },
    {
      name: 'unknown beats role and typo',
      given: { ...lists({ role: 'info', didYouMean: 'x@gmail.com' }), ...unproven('greylisted') },
      status: 'unknown',
      sub: 'greylisted',
    },
    {
      name: 'quota beats role',
      given: { ...lists({ role: 'info' }), ...disproven('mailbox_quota_exceeded') },
      status: 'risky',
      sub: 'mailbox_quota_exceeded',
    },
    {
      name: 'catch-all beats typo',
      given: { ...acceptsAnything, ...lists({ didYouMean: 'x@gmail.com' }) },
      status: 'risky',
      sub: 'catch_all',
    },
    {
      name: 'role beats typo',
      given: lists({ role: 'info', didYouMean: 'x@gmail.com' }),
      status: 'risky',
      sub: 'role_based',
    },
    {
      name: 'typo beats valid',
      given: { email: 'a+b@corp.com', ...lists({ didYouMean: 'a+b@gmail.com' }) },
      status: 'risky',
      sub: 'possible_typo',
    },
  ];
  test.each(steps)('$name', ({ given, status, sub }) => {
    const verdict = judge(evidenceOf(given));
    expect([verdict.status, verdict.subStatus]).toEqual([status, sub]);
  });

  test('all reasons are kept, and the first is the sub-status', () => {
    const { reasons } = judge(evidenceOf({ ...everyRisk, ...acceptsAnything }));
    expect(reasons).toEqual(['disposable', 'role_based_catch_all', 'possible_typo']);
  });
});

test.each([
  ['the grammar rule and its position', broken, ['failed_syntax_check', 'missing_at:4']],
  [
    'the checks that did not run',
    { level: 'syntax' as const, ...noRoute('skipped', 'not_asked') },
    ['not_probed', 'dns_not_checked', 'smtp_not_checked'],
  ],
  ['the kind of DNS failure', noRoute('unknown', 'dns_servfail'), ['dns_error', 'dns_servfail', 'smtp_not_checked']],
  [
    'record queries without an answer',
    {
      spf: { state: 'unknown' as const, reason: 'no_answer' as const },
      dmarc: { state: 'unknown' as const, reason: 'no_answer' as const },
    },
    ['spf_no_answer', 'dmarc_no_answer'],
  ],
  ['nothing, if there is no reason', {}, []],
  [
    'a plausible name',
    { ...acceptsAnything, plausibility: { score: 0.9, model: 'm' } },
    ['catch_all', 'plausible_local_part'],
  ],
  [
    'an implausible name',
    { ...acceptsAnything, plausibility: { score: 0.1, model: 'm' } },
    ['catch_all', 'implausible_local_part'],
  ],
])('reasons contain %s', (_name, given, want) => {
  expect(judge(evidenceOf(given)).reasons).toEqual(want);
});

test.each([
  { name: 'a proven mailbox is safe', given: {}, want: true },
  { name: 'a role is not safe', given: lists({ role: 'info' }), want: false },
  {
    name: 'an unproven mailbox is not safe, however plausible',
    given: { level: 'dns' as const, mailbox: null, catchAll: notRun, plausibility: { score: 1, model: 'm' } },
    want: false,
  },
  { name: 'a catch-all is not safe', given: acceptsAnything, want: false },
])('safe_to_send: $name', ({ given, want }) => {
  expect(judge(evidenceOf(given)).safeToSend).toBe(want);
});

describe('confidence', () => {
  const confidence = (given: Partial<Evidence>) => judge(evidenceOf(given)).confidence;

  test('follows the certainty with which the reply was read', () => {
    const sure = confidence({ mailbox: refused('mailbox_not_found', 1), catchAll: notRun });
    const unsure = confidence({ mailbox: refused('mailbox_not_found', 0.6), catchAll: notRun });
    expect(sure).toBeGreaterThan(unsure);
  });

  test('uses the facts about the provider that sent the reply', () => {
    const disabled = (provider: string) => confidence({ provider, mailbox: refused('mailbox_disabled', 1) });
    expect(disabled('Interia')).toBeLessThan(disabled('nobody.example'));
    const missing = (provider: string) => confidence({ provider, mailbox: refused('mailbox_not_found', 1) });
    expect(missing('Google')).toBeGreaterThan(missing('nobody.example'));
    expect(missing('Tencent')).toBeLessThan(missing('nobody.example'));
    const full = (provider: string) => confidence({ provider, mailbox: refused('mailbox_quota_exceeded', 1) });
    expect(full('Google')).toBeGreaterThan(full('nobody.example'));
  });

  test('deliveries to a domain change the confidence of catch-all and unknown, and nothing else', () => {
    const catchAll: Partial<Evidence> = { catchAll: randomAccepted };
    const learned = { deliveries: { delivered: 41, mailed: 52 } };
    expect(confidence({ ...catchAll, ...learned })).toBeCloseTo((0.6 * 4 + 41) / 56, 3);
    expect(confidence({ ...catchAll, deliveries: { delivered: 900, mailed: 900 } })).toBeLessThanOrEqual(0.99);
    expect(confidence({ ...catchAll, deliveries: { delivered: 0, mailed: 0 } })).toBe(confidence(catchAll));
    for (const changes of [{}, catchAll, { mailbox: unanswered('greylisted'), catchAll: notRun }]) {
      const { confidence: _, estimate: _estimate, ...words } = judge(evidenceOf({ ...changes, ...learned }));
      const { confidence: __, estimate: __estimate, ...wordsBefore } = judge(evidenceOf(changes));
      expect(words).toEqual(wordsBefore);
    }
    expect(confidence(learned)).toBe(confidence({}));
  });

  test('no unknown has more than one half, whatever supports its estimate', () => {
    const estimates = Object.entries(statusOf).flatMap(([reason, status]) => {
      if (status !== 'unknown') return [];
      const mailbox = unanswered(reason as MailboxReason);
      const plausibility = { score: 0.98, model: 'm' };
      return [{}, { plausibility }, { deliveries: { delivered: 900, mailed: 900 } }].map((support) => {
        const verdict = judge(evidenceOf({ mailbox, catchAll: notRun, ...support }));
        expect(verdict.confidence).toBeLessThanOrEqual(0.5);
        return verdict.estimate ?? 0;
      });
    });
    expect(Math.max(...estimates)).toBeGreaterThan(0.9);
    expect(judge(evidenceOf({})).estimate).toBe(null);
  });

  test('an unknown top-level domain is in the reasons, with a low confidence', () => {
    const verdict = judge(
      evidenceOf({
        ...lists({ unknownTld: true }),
        level: 'syntax',
        ...noRoute('skipped', 'not_asked'),
        mailbox: null,
        catchAll: notRun,
      }),
    );
    expect(verdict).toMatchObject({ subStatus: 'not_probed', confidence: 0.2, safeToSend: false, didYouMean: null });
    expect(verdict.reasons).toContain('unknown_tld');
  });

  test('a plausible name does not lift a mailbox that was refused in unclear words above one half', () => {
    const mailbox = {
      ...unanswered('antispam_system'),
      reply: { stage: 'rcpt' as const, code: 550, enhanced: null, text: 'no' },
    };
    expect(confidence({ mailbox, catchAll: notRun, plausibility: { score: 0.98, model: 'm' } })).toBeLessThanOrEqual(
      0.5,
    );
  });

  test('a plausible name raises a catch-all, an implausible one lowers it', () => {
    const plain = confidence(acceptsAnything);
    expect(confidence({ ...acceptsAnything, plausibility: { score: 0.9, model: 'm' } })).toBeGreaterThan(plain);
    expect(confidence({ ...acceptsAnything, plausibility: { score: 0.1, model: 'm' } })).toBeLessThan(plain);
  });

  test('an existing domain has more confidence than valid syntax alone', () => {
    expect(confidence({ mailbox: null, catchAll: notRun })).toBeGreaterThan(
      confidence(noRoute('skipped', 'not_asked')),
    );
  });

  test('stays within 0..1 on every row', () => {
    for (const { given } of facts) {
      for (const score of [null, 0, 0.5, 1]) {
        const value = confidence({ ...given, plausibility: score === null ? null : { score, model: 'm' } });
        expect(value).toBeGreaterThan(0);
        expect(value).toBeLessThanOrEqual(1);
      }
    }
  });
});

describe('the confidence in a catch-all', () => {
  test.each([
    ['not asked', notRun, null],
    ['inconclusive', { outcome: 'inconclusive' as const, source: 'probe' as const, reply: null }, 0.5],
    ['a random mailbox was refused', { outcome: 'refused' as const, source: 'probe' as const, reply: null }, 0.97],
    ['a random mailbox was accepted', randomAccepted, 0.95],
    ['the provider is known for it', { outcome: 'accepted' as const, source: 'provider' as const, reply: null }, 0.85],
  ])('%s', (_name, catchAll, want) => {
    expect(catchAllConfidenceOf(evidenceOf({ catchAll }))).toBe(want);
  });

  test('an accepted implausible name raises it; a plausible one never lowers it', () => {
    const sureness = (score: number) =>
      catchAllConfidenceOf(evidenceOf({ ...acceptsAnything, plausibility: { score, model: 'm' } })) ?? 0;
    expect(sureness(0.05)).toBeGreaterThan(0.95);
    expect(sureness(0.95)).toBe(0.95);
  });
});

test('a vague refusal of the random mailbox keeps the verdict valid, with a little less confidence', () => {
  const plainly = judge(evidenceOf({}));
  const vaguely = judge(evidenceOf({ catchAll: { outcome: 'refused', source: 'probe', reply: null, vague: true } }));
  expect(vaguely).toMatchObject({ status: 'valid', subStatus: '', safeToSend: true });
  expect(vaguely.confidence).toBeLessThan(plainly.confidence);
});

test('did_you_mean comes from the lists, otherwise from the grammar', () => {
  expect(judge(evidenceOf(lists({ didYouMean: 'a@gmail.com' }))).didYouMean).toBe('a@gmail.com');
  const slip: Partial<Evidence> = {
    ...broken,
    syntax: { ok: false, fault: { code: 'surrounding_space', position: 0, message: '', suggestion: 'a@b.co' } },
  };
  expect(judge(evidenceOf(slip)).didYouMean).toBe('a@b.co');
  expect(judge(evidenceOf({ mailbox: accepted })).didYouMean).toBeNull();
});

describe('a random mailbox of the shape of the address', () => {
  const refused = { outcome: 'refused', source: 'probe', reply: null } as const;

  test('that is refused, or not needed, leaves the confidence; without an answer it is at most 0.95', () => {
    const confidences = (['refused', undefined, 'unknown'] as const).map(
      (shaped) => judge(evidenceOf({ catchAll: { ...refused, ...(shaped && { shaped }) } })).confidence,
    );
    expect(confidences).toEqual([0.97, 0.97, 0.95]);
  });

  test('that is accepted makes a catch-all by pattern', () => {
    const verdict = judge(evidenceOf({ catchAll: { ...refused, outcome: 'accepted', shaped: 'accepted' } }));
    expect(verdict).toMatchObject({ status: 'risky', subStatus: 'catch_all' });
    expect(verdict.reasons).toContain('catch_all_by_pattern');
  });
});

describe('our own mail', () => {
  const delivery = ownDelivery;
  const info = lists({ role: 'info' });
  test.each<[name: string, want: SubStatus, given: Partial<Evidence>]>([
    ['a catch-all domain', 'delivered', acceptsAnything],
    ['a refusal of us', 'delivered', unproven('antispam_system')],
    ['greylisting', 'delivered', unproven('greylisted')],
    ['a blocked port', 'delivered', unproven('outbound_port_blocked')],
    ['a level without a probe', 'delivered', { level: 'dns', mailbox: null, catchAll: notRun }],
    ['a domain that sends no mail', 'delivered', { ...sendsNoMail, ...unproven('timeout_exceeded') }],
    ['a host that tells mailboxes apart', '', {}],
    ['a refusal of today', 'mailbox_not_found', disproven('mailbox_not_found')],
    ['a domain without mail', 'does_not_accept_mail', noRoute('failed', 'null_mx')],
    ['a domain that is gone', 'no_dns_entries', noRoute('failed', 'no_dns_entries')],
    ['a resolver that does not answer', 'dns_error', noRoute('unknown', 'dns_timeout')],
    ['a full mailbox', 'mailbox_quota_exceeded', disproven('mailbox_quota_exceeded')],
    ['a disposable domain', 'disposable', { ...acceptsAnything, ...lists({ disposable: 'corp.com' }) }],
    ['a role', 'role_based', { ...acceptsAnything, ...info }],
  ])('and %s: %s', (_name, want, given) => {
    expect(judge(evidenceOf({ ...given, delivery })).subStatus).toBe(want);
  });

  test.each([
    { name: 'two days are too few', change: { daysSinceFirst: 2, daysSinceLast: 1 }, want: 'catch_all' },
    { name: 'three days suffice', change: { daysSinceFirst: 3, daysSinceLast: 0 }, want: 'delivered' },
    { name: 'half a year is the limit', change: { daysSinceLast: 180 }, want: 'delivered' },
    { name: 'it ages', change: { daysSinceLast: 181 }, want: 'catch_all' },
    { name: 'a bounce takes it back', change: { first: null, last: null, bounced: '2026-11-06' }, want: 'catch_all' },
  ])('$name', ({ change, want }) => {
    expect(judge(evidenceOf({ ...acceptsAnything, delivery: { ...delivery, ...change } })).subStatus).toBe(want);
  });

  test('the confidence is the share that no late bounce took back', () => {
    const confidence = (accepted: number, late: number) =>
      judge(evidenceOf({ ...acceptsAnything, delivery: { ...delivery, accepted, late } })).confidence;
    expect(confidence(0, 0)).toBe(0.97);
    expect(confidence(10_000, 1_000)).toBeCloseTo(0.9, 2);
    expect(confidence(1_000_000, 0)).toBe(0.99);
    expect(judge(evidenceOf({ ...acceptsAnything, delivery })).safeToSend).toBe(true);
  });
});
