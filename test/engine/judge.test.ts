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

type Fact = [name: string, given: Partial<Evidence> & { email?: string }, status: string, sub: SubStatus];

const facts: Fact[] = [
  ['accepted, and a random mailbox refused', {}, 'valid', ''],
  ['accepted with a tag', { email: 'jane+news@corp.com' }, 'valid', 'alias_address'],
  ['syntax level, all checks passed', { level: 'syntax', ...noRoute('skipped', 'not_asked') }, 'valid', 'not_probed'],
  ['catch-all, but our own mail reached it', { ...acceptsAnything, delivery: ownDelivery }, 'valid', 'delivered'],
  ['dns level, all checks passed', { level: 'dns', mailbox: null, catchAll: notRun }, 'valid', 'not_probed'],
  [
    'a tag without a probe is not_probed',
    { email: 'a+b@corp.com', mailbox: null, catchAll: notRun },
    'valid',
    'not_probed',
  ],
  ['broken grammar', broken, 'invalid', 'failed_syntax_check'],
  ['two addresses', { ...broken, syntax: parseAddress('a@corp.com, b@corp.com') }, 'unknown', 'several_addresses'],
  [
    'an address of bytes that could not be decoded',
    { ...broken, syntax: parseAddress('\ufffdjos@corp.com') },
    'unknown',
    'unknown_encoding',
  ],
  [
    'a special-use name',
    { ...lists({ reserved: 'test' }), ...noRoute('skipped', 'not_asked') },
    'invalid',
    'reserved_domain',
  ],
  ['NXDOMAIN', noRoute('failed', 'no_dns_entries'), 'invalid', 'no_dns_entries'],
  ['a name that may be a role', lists({ possibleRole: 'hello' }), 'valid', ''],
  ['null MX', noRoute('failed', 'null_mx'), 'invalid', 'does_not_accept_mail'],
  [
    'no MX and an SPF that denies all, not probed',
    { ...sendsNoMail, level: 'dns', mailbox: null, catchAll: notRun },
    'risky',
    'unlikely_to_accept_mail',
  ],
  ['the same, accepted', sendsNoMail, 'valid', ''],
  [
    'the same, without a connection',
    { ...sendsNoMail, ...unproven('failed_smtp_connection') },
    'unknown',
    'failed_smtp_connection',
  ],
  ['556 at RCPT', disproven('does_not_accept_mail'), 'invalid', 'does_not_accept_mail'],
  ['only private mail servers', noRoute('failed', 'unroutable_ip_address'), 'invalid', 'unroutable_ip_address'],
  ['no such mailbox', disproven('mailbox_not_found'), 'invalid', 'mailbox_not_found'],
  ['mailbox disabled', disproven('mailbox_disabled'), 'invalid', 'mailbox_disabled'],
  ['no host offers SMTPUTF8', disproven('smtputf8_unsupported'), 'invalid', 'smtputf8_unsupported'],
  ['disposable', lists({ disposable: 'mailinator.com' }), 'risky', 'disposable'],
  ['mailbox full', disproven('mailbox_quota_exceeded'), 'risky', 'mailbox_quota_exceeded'],
  ['catch-all', acceptsAnything, 'risky', 'catch_all'],
  ['role at a catch-all', { ...acceptsAnything, ...lists({ role: 'info' }) }, 'risky', 'role_based_catch_all'],
  ['role', lists({ role: 'info' }), 'risky', 'role_based'],
  ['typo', lists({ didYouMean: 'jane@gmail.com' }), 'risky', 'possible_typo'],
  ['greylisted', unproven('greylisted'), 'unknown', 'greylisted'],
  ['rate limited', unproven('rate_limited'), 'unknown', 'rate_limited'],
  ['other 4xx', unproven('mail_server_temporary_error'), 'unknown', 'mail_server_temporary_error'],
  ['our address refused', unproven('antispam_system'), 'unknown', 'antispam_system'],
  ['for its own people only', unproven('restricted_recipient'), 'unknown', 'restricted_recipient'],
  ['no reverse name', unproven('needs_reverse_dns'), 'unknown', 'needs_reverse_dns'],
  ['sender refused', unproven('sender_rejected'), 'unknown', 'sender_rejected'],
  ['no host reachable', unproven('failed_smtp_connection'), 'unknown', 'failed_smtp_connection'],
  ['port blocked', unproven('outbound_port_blocked'), 'unknown', 'outbound_port_blocked'],
  ['deadline', unproven('timeout_exceeded'), 'unknown', 'timeout_exceeded'],
  ['dropped', unproven('forcible_disconnect'), 'unknown', 'forcible_disconnect'],
  ['no banner', unproven('mail_server_did_not_respond'), 'unknown', 'mail_server_did_not_respond'],
  ['malformed protocol', unproven('exception_occurred'), 'unknown', 'exception_occurred'],
  ['SERVFAIL', noRoute('unknown', 'dns_servfail'), 'unknown', 'dns_error'],
  ['DNS timeout', noRoute('unknown', 'dns_timeout'), 'unknown', 'dns_error'],
  ['DNS refused', noRoute('unknown', 'dns_refused'), 'unknown', 'dns_error'],
  ['broken DNS answer', noRoute('unknown', 'dns_malformed'), 'unknown', 'dns_error'],
  ['a resolver that denies everything', noRoute('unknown', 'resolver_denies_everything'), 'unknown', 'dns_error'],
  ['a resolver that invents answers', noRoute('unknown', 'resolver_invents_answers'), 'unknown', 'dns_error'],
  [
    'accepted, random inconclusive: never valid',
    { catchAll: { outcome: 'inconclusive', source: 'probe', reply: null } },
    'unknown',
    'mail_server_temporary_error',
  ],
  [
    'accepted, random greylisted: unknown until a retry',
    { catchAll: { outcome: 'inconclusive', source: 'probe', reply: null, reason: 'greylisted' } },
    'unknown',
    'greylisted',
  ],
  ['accepted, random not probed: never valid', { catchAll: notRun }, 'unknown', 'mail_server_temporary_error'],
];

function expectVerdict(...[_name, given, status, sub]: Fact): void {
  const verdict = judge(evidenceOf(given));
  expect([verdict.status, verdict.subStatus]).toEqual([status, sub]);
}

describe('the table', () => {
  test.each(facts)('%s', expectVerdict);

  test('has a row for every sub-status', () => {
    const covered = new Set(facts.map(([, , , sub]) => sub));
    expect(Object.keys(statusOf).filter((sub) => !covered.has(sub as SubStatus))).toEqual([]);
  });
});

describe('precedence', () => {
  const everyRisk = lists({ disposable: 'mailinator.com', role: 'info', didYouMean: 'info@gmail.com' });
  const steps: Fact[] = [
    [
      'a missing mailbox beats disposable',
      { ...everyRisk, ...disproven('mailbox_not_found') },
      'invalid',
      'mailbox_not_found',
    ],
    [
      'a dead domain beats role and typo',
      { ...everyRisk, ...noRoute('failed', 'no_dns_entries') },
      'invalid',
      'no_dns_entries',
    ],
    [
      'admin@ that does not exist is invalid, not risky',
      { ...lists({ role: 'admin' }), ...disproven('mailbox_not_found') },
      'invalid',
      'mailbox_not_found',
    ],
    ['disposable beats an unknown mailbox', { ...everyRisk, ...unproven('greylisted') }, 'risky', 'disposable'],
    ['disposable beats a DNS error', { ...everyRisk, ...noRoute('unknown', 'dns_timeout') }, 'risky', 'disposable'],
    [
      'unknown beats role and typo',
      { ...lists({ role: 'info', didYouMean: 'x@gmail.com' }), ...unproven('greylisted') },
      'unknown',
      'greylisted',
    ],
    [
      'quota beats role',
      { ...lists({ role: 'info' }), ...disproven('mailbox_quota_exceeded') },
      'risky',
      'mailbox_quota_exceeded',
    ],
    ['catch-all beats typo', { ...acceptsAnything, ...lists({ didYouMean: 'x@gmail.com' }) }, 'risky', 'catch_all'],
    ['role beats typo', lists({ role: 'info', didYouMean: 'x@gmail.com' }), 'risky', 'role_based'],
    [
      'typo beats valid',
      { email: 'a+b@corp.com', ...lists({ didYouMean: 'a+b@gmail.com' }) },
      'risky',
      'possible_typo',
    ],
  ];
  test.each(steps)('%s', expectVerdict);

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
])('reasons contain %s', (_name, given, want) => expect(judge(evidenceOf(given)).reasons).toEqual(want));

test.each([
  { name: 'a proven mailbox is safe', given: {}, want: true },
  { name: 'a role is not safe', given: lists({ role: 'info' }), want: false },
  {
    name: 'an unproven mailbox is not safe, however plausible',
    given: { level: 'dns' as const, mailbox: null, catchAll: notRun, plausibility: { score: 1, model: 'm' } },
    want: false,
  },
  { name: 'a catch-all is not safe', given: acceptsAnything, want: false },
])('safe_to_send: $name', ({ given, want }) => expect(judge(evidenceOf(given)).safeToSend).toBe(want));

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
    for (const [, given] of facts) {
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
  ])('%s', (_name, catchAll, want) => expect(catchAllConfidenceOf(evidenceOf({ catchAll }))).toBe(want));

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
  ])('and %s: %s', (_name, want, given) => expect(judge(evidenceOf({ ...given, delivery })).subStatus).toBe(want));

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
