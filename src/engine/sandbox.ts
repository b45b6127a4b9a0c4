import type { Address } from '../model/address.js';
import type { CatchAllEvidence, Evidence, MailboxEvidence, MailboxReason, RouteReason } from '../model/evidence.js';
import { sandboxDomain } from '../model/sandbox.js';
import type { SyntaxCode } from '../model/syntax-codes.js';
import { type SubStatus, statusOf } from '../model/verdict.js';
import { noFacts } from './lists/lists.js';

const maxDelayMs = 60_000;
const host = `mx.${sandboxDomain}`;
const detail = { hosts: [{ name: host, preference: 10, addresses: ['192.0.2.1'] }], implicit: false };
const accepted: MailboxEvidence = {
  outcome: { state: 'passed', detail: null },
  host,
  ip: '192.0.2.1',
  reply: { stage: 'rcpt', code: 250, enhanced: '2.1.5', text: 'Recipient OK' },
  rule: 'sandbox',
  certainty: 1,
  retryAt: null,
  dialogue: [],
};
const randomRefused: CatchAllEvidence = { outcome: 'refused', source: 'probe', reply: null };
const randomAccepted: CatchAllEvidence = { outcome: 'accepted', source: 'probe', reply: accepted.reply };
const days = { first: '2026-11-01', last: '2026-11-01', bounced: null, daysSinceFirst: 7, daysSinceLast: 7 };
const delivery = { ...days, accepted: 0, late: 0 };
const role = { ...noFacts, role: 'info' };

/** What differs from the evidence of a valid mailbox, for verdicts that are not about the reply for it. */
const evidenceFor: Partial<Record<SubStatus, Partial<Evidence>>> = {
  '': {},
  not_probed: { mailbox: null },
  failed_syntax_check: withFault('local_bad_character'),
  several_addresses: withFault('several_addresses'),
  unknown_encoding: withFault('ill_formed_unicode'),
  reserved_domain: { lists: { ...noFacts, reserved: 'test' } },
  no_dns_entries: withoutRoute('failed', 'no_dns_entries'),
  does_not_accept_mail: withoutRoute('failed', 'null_mx'),
  unroutable_ip_address: withoutRoute('failed', 'unroutable_ip_address'),
  dns_error: withoutRoute('unknown', 'dns_timeout'),
  unlikely_to_accept_mail: {
    route: { state: 'passed', detail: { ...detail, implicit: true } },
    spf: { state: 'passed', detail: 'v=spf1 -all' },
    mailbox: null,
  },
  disposable: { lists: { ...noFacts, disposable: sandboxDomain } },
  role_based: { lists: role },
  possible_typo: { lists: { ...noFacts, didYouMean: `valid@${sandboxDomain}` } },
  catch_all: { catchAll: randomAccepted },
  delivered: { catchAll: randomAccepted, delivery },
  role_based_catch_all: { lists: role, catchAll: randomAccepted },
};

/**
 * The evidence for the verdict that a local part of the sandbox names: `valid`, a sub-status with hyphens, or `slow-5s`, which is valid
 * after a delay. A tag makes addresses distinct. Null for other names, and outside of the sandbox. `early`: known before the delay.
 */
export function sandboxEvidence(
  { localPart, domain, tag }: Address,
  evidence: Evidence,
): { complete: Evidence; early: Evidence; delayMs: number } | null {
  if (domain !== sandboxDomain) return null;
  const name = localPart.toLowerCase().slice(0, tag === null ? undefined : localPart.indexOf('+'));
  const [, amount, unit] = /^slow-(\d{1,5})(ms|s)$/.exec(name) ?? [];
  const subStatus = (name === 'valid' || amount !== undefined ? '' : name.replaceAll('-', '_')) as SubStatus;
  if (subStatus === 'alias_address' || !Object.hasOwn(statusOf, subStatus)) return null;
  const early: Evidence = { ...evidence, lists: noFacts, route: { state: 'passed', detail }, provider: sandboxDomain };
  const known = { ...early, mailbox: accepted, ...(evidenceFor[subStatus] ?? withRefusal(subStatus)) };
  const isProven = known.mailbox?.outcome.state === 'passed' && known.catchAll.outcome === 'not_run';
  const delayMs = Math.min(maxDelayMs, Number(amount ?? 0) * (unit === 's' ? 1000 : 1));
  return { complete: isProven ? { ...known, catchAll: randomRefused } : known, early, delayMs };
}

function withRefusal(subStatus: SubStatus): Partial<Evidence> {
  const state = statusOf[subStatus] === 'unknown' ? 'unknown' : 'failed';
  const code = state === 'unknown' ? 450 : 550;
  const reply = { stage: 'rcpt', code, enhanced: null, text: `Sandbox: ${subStatus}` } as const;
  return { mailbox: { ...accepted, outcome: { state, reason: subStatus as MailboxReason }, reply } };
}

function withFault(code: SyntaxCode): Partial<Evidence> {
  const fault = { code, position: 0, message: 'This address of the sandbox stands for a bad one.', suggestion: null };
  return { syntax: { ok: false, fault }, mailbox: null };
}

function withoutRoute(state: 'failed' | 'unknown', reason: RouteReason): Partial<Evidence> {
  return { route: { state, reason }, mailbox: null };
}
