import type { Address } from '../../src/model/address.js';
import type {
  CatchAllEvidence,
  Evidence,
  ListFacts,
  MailboxEvidence,
  MailboxReason,
  RouteReason,
} from '../../src/model/evidence.js';

/** A plain address that passed the grammar. */
export function addressOf(text: string): Address {
  const separator = text.lastIndexOf('@');
  const localPart = text.slice(0, separator);
  const domain = text.slice(separator + 1);
  const plus = localPart.indexOf('+');
  return {
    localPart,
    domain,
    displayDomain: domain,
    literal: null,
    tag: plus < 0 ? null : localPart.slice(plus + 1),
    canonical: text.toLowerCase(),
    needsSmtpUtf8: false,
  };
}

export const noListFacts: ListFacts = {
  reserved: null,
  disposable: null,
  disposableNeighbors: null,
  relay: false,
  role: null,
  possibleRole: null,
  free: false,
  didYouMean: null,
  unknownTld: false,
};

/** Evidence for an accepted mailbox of a domain that refuses random ones, with the changes of a test. */
export function evidenceOf(changes: Partial<Evidence> & { email?: string } = {}): Evidence {
  const { email = 'jane@corp.com', ...rest } = changes;
  return {
    input: email,
    level: 'smtp',
    syntax: { ok: true, address: addressOf(email) },
    lists: noListFacts,
    route: {
      state: 'passed',
      detail: { hosts: [{ name: 'mx.corp.com', preference: 10, addresses: ['192.0.2.1'] }], implicit: false },
    },
    spf: { state: 'passed', detail: 'v=spf1 -all' },
    dmarc: { state: 'passed', detail: 'v=DMARC1; p=none' },
    provider: 'corp.com',
    mailbox: accepted,
    catchAll: randomRefused,
    plausibility: null,
    timings: {},
    ...rest,
  };
}

const asked: Omit<MailboxEvidence, 'outcome'> = {
  host: 'mx.corp.com',
  ip: '192.0.2.1',
  reply: { stage: 'rcpt', code: 250, enhanced: '2.1.5', text: 'Ok' },
  rule: 'class:2xx',
  certainty: 1,
  retryAt: null,
  dialogue: [],
};

export const accepted: MailboxEvidence = { ...asked, outcome: { state: 'passed', detail: null } };
export const randomRefused: CatchAllEvidence = { outcome: 'refused', source: 'probe', reply: null };
export const randomAccepted: CatchAllEvidence = { outcome: 'accepted', source: 'probe', reply: null };
export const notRun: CatchAllEvidence = { outcome: 'not_run', source: null, reply: null };

/** The mailbox was refused for a conclusive reason. */
export function refused(reason: MailboxReason, certainty = 1): MailboxEvidence {
  return { ...asked, certainty, outcome: { state: 'failed', reason } };
}

/** The mailbox was probed without a conclusive answer. */
export function unanswered(reason: MailboxReason): MailboxEvidence {
  return { ...asked, outcome: { state: 'unknown', reason } };
}

/** The evidence of a route that does not exist, or of one without an answer. */
export function noRoute(state: 'failed' | 'unknown' | 'skipped', reason: RouteReason): Partial<Evidence> {
  return { route: { state, reason }, mailbox: null, catchAll: notRun };
}
