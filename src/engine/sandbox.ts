import { sleep, systemClock } from '../async/clock.js';
import type { Address } from '../model/address.js';
import type { Evidence, ListFacts, MailboxEvidence, RouteReason } from '../model/evidence.js';
import { sandboxDomain } from '../model/sandbox.js';
import { type Status, type SubStatus, statusOf, type Vetted } from '../model/verdict.js';
import { judge } from './judge.js';

const maxDelayMs = 60_000;
const host = `mx.${sandboxDomain}`;
const route: Evidence['route'] = {
  state: 'passed',
  detail: { hosts: [{ name: host, preference: 10, addresses: ['192.0.2.1'] }], implicit: false },
};
const accepted = { stage: 'rcpt', code: 250, enhanced: '2.1.5', text: 'Recipient OK' } as const;
const noFacts: ListFacts = {
  reserved: null,
  disposable: null,
  disposableNeighbors: null,
  role: null,
  possibleRole: null,
  free: false,
  didYouMean: null,
  unknownTld: false,
};

/** Evidence that differs from that of an accepted mailbox, for verdicts that are not about the reply for it. */
const evidenceFor: Partial<Record<SubStatus, Partial<Evidence>>> = {
  not_probed: { mailbox: null },
  failed_syntax_check: fault('local_bad_character', 'This is what a bad address looks like.'),
  several_addresses: fault('several_addresses', 'This is what several addresses look like.'),
  reserved_domain: { lists: { ...noFacts, reserved: 'test' } },
  no_dns_entries: withoutRoute('failed', 'no_dns_entries'),
  does_not_accept_mail: withoutRoute('failed', 'null_mx'),
  unroutable_ip_address: withoutRoute('failed', 'unroutable_ip_address'),
  dns_error: withoutRoute('unknown', 'dns_timeout'),
  unlikely_to_accept_mail: {
    route: { state: 'passed', detail: { ...route.detail, implicit: true } },
    spf: { state: 'passed', detail: 'v=spf1 -all' },
    mailbox: null,
  },
  disposable: { lists: { ...noFacts, disposable: sandboxDomain } },
  role_based: { lists: { ...noFacts, role: 'info' } },
  possible_typo: { lists: { ...noFacts, didYouMean: `valid@${sandboxDomain}` } },
  catch_all: { catchAll: { outcome: 'accepted', source: 'probe', reply: accepted } },
  role_based_catch_all: {
    lists: { ...noFacts, role: 'info' },
    catchAll: { outcome: 'accepted', source: 'probe', reply: accepted },
  },
};

/**
 * The verdict that a local part of the sandbox names: `valid`, a sub-status with hyphens, or `slow-5s`, which is valid
 * after a delay. A tag makes addresses distinct. Null for other names, and outside of the sandbox. What is known before
 * the delay is added to `evidence`.
 */
export function vetSandbox(
  { localPart, domain, tag }: Address,
  evidence: Evidence,
  signal: AbortSignal | undefined,
): Vetted | Promise<Vetted> | null {
  if (domain !== sandboxDomain) return null;
  const name = localPart.toLowerCase().slice(0, tag === null ? undefined : localPart.indexOf('+'));
  const [, amount, unit] = /^slow-(\d{1,5})(ms|s)$/.exec(name) ?? [];
  const subStatus = name === 'valid' || amount !== undefined ? '' : name.replaceAll('-', '_');
  if (subStatus === 'alias_address' || !isSubStatus(subStatus)) return null;
  Object.assign(evidence, { lists: noFacts, route, provider: sandboxDomain });
  const complete: Evidence = { ...evidence, ...mailboxFor(subStatus), ...evidenceFor[subStatus] };
  if (complete.mailbox === null) complete.catchAll = evidence.catchAll;
  const vetted = { evidence: complete, verdict: judge(complete), elapsedMs: 0 };
  if (amount === undefined) return vetted;
  const delayMs = Math.min(maxDelayMs, Number(amount) * (unit === 's' ? 1000 : 1));
  return sleep(systemClock, delayMs, signal).then(() => ({ ...vetted, elapsedMs: delayMs }));
}

function isSubStatus(text: string): text is SubStatus {
  return Object.hasOwn(statusOf, text);
}

/** The reply for the mailbox, and for a random one. */
function mailboxFor(subStatus: SubStatus): Pick<Evidence, 'mailbox' | 'catchAll'> {
  const status: Status = statusOf[subStatus];
  const reason = subStatus as Extract<MailboxEvidence['outcome'], { reason: unknown }>['reason'];
  const isAccepted = subStatus === '' || subStatus in evidenceFor;
  const code = status === 'unknown' ? 450 : 550;
  return {
    mailbox: {
      outcome: isAccepted
        ? { state: 'passed', detail: null }
        : { state: status === 'unknown' ? 'unknown' : 'failed', reason },
      host,
      ip: '192.0.2.1',
      reply: isAccepted ? accepted : { stage: 'rcpt', code, enhanced: null, text: `Sandbox: ${subStatus}` },
      rule: 'sandbox',
      certainty: 1,
      retryAt: null,
      dialogue: [],
    },
    catchAll: {
      outcome: isAccepted ? 'refused' : 'not_run',
      source: isAccepted ? 'probe' : null,
      reply: isAccepted ? { stage: 'rcpt', code: 550, enhanced: '5.1.1', text: 'No such user' } : null,
    },
  };
}

function fault(code: 'local_bad_character' | 'several_addresses', message: string): Partial<Evidence> {
  return { syntax: { ok: false, fault: { code, position: 0, message, suggestion: null } }, mailbox: null };
}

function withoutRoute(state: 'failed' | 'unknown', reason: RouteReason): Partial<Evidence> {
  return { route: { state, reason }, mailbox: null };
}
