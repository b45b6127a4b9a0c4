import type { Evidence } from '../model/evidence.js';
import { maxUnknownConfidence, type SubStatus, statusOf } from '../model/verdict.js';
import { providerReliability } from './lists/providers.js';

/** How often a verdict is right; for catch-all and unknown, how likely the mailbox exists. */
const weights: Record<SubStatus, number> = {
  '': 0.97,
  alias_address: 0.96,
  not_probed: 0.6,
  delivered: 0.97,
  failed_syntax_check: 0.99,
  reserved_domain: 0.99,
  no_dns_entries: 0.98,
  does_not_accept_mail: 0.98,
  unroutable_ip_address: 0.97,
  mailbox_not_found: 0.98,
  mailbox_disabled: 0.98,
  smtputf8_unsupported: 0.95,
  unlikely_to_accept_mail: 0.8,
  disposable: 0.95,
  mailbox_quota_exceeded: 0.95,
  catch_all: 0.6,
  role_based_catch_all: 0.6,
  role_based: 0.9,
  possible_typo: 0.85,
  several_addresses: 0.5,
  unknown_encoding: 0.5,
  greylisted: 0.6,
  rate_limited: 0.5,
  mail_server_temporary_error: 0.5,
  antispam_system: 0.5,
  restricted_recipient: 0.9,
  needs_reverse_dns: 0.5,
  sender_rejected: 0.5,
  failed_smtp_connection: 0.3,
  outbound_port_blocked: 0.5,
  timeout_exceeded: 0.4,
  forcible_disconnect: 0.4,
  mail_server_did_not_respond: 0.3,
  dns_error: 0.4,
  exception_occurred: 0.5,
};

/** For a random mailbox that was refused in words that do not say that it does not exist. */
const vagueRefusalConfidence = 0.9;
/** For a host that may decide by the pattern of a name: no random mailbox of the address's shape was refused. */
const unshapedConfidence = 0.95;
/** For a host that refused one random mailbox and accepted another. */
const patternConfidence = { clear: 0.9, vague: 0.8 };

const notProbedWithRoute = 0.75;

/** For a name that only a private network may have: mail from outside does not reach it. */
const unknownTldConfidence = 0.2;

/** The limit for a mailbox that a host refused for any reason: its existence is not proven. */
const maxAfterRefusal = 0.5;

/** The limit of an estimate, below the threshold of `safe_to_send`. */
const maxEstimate = 0.79;

/** Risks that hold whether or not the mailbox exists, so plausibility does not change them. */
const provenRisks: ReadonlySet<SubStatus> = new Set([
  'delivered',
  'unlikely_to_accept_mail',
  'disposable',
  'mailbox_quota_exceeded',
  'role_based',
  'possible_typo',
]);

/** Sub-statuses that are as certain as the reading of the reply. */
const replyBased: ReadonlySet<SubStatus> = new Set(['mailbox_not_found', 'mailbox_disabled']);

/** The prior counts as much as this many mailed addresses. */
const priorStrength = 4;
/** No number of deliveries proves a mailbox. */
const maxLearned = 0.99;

/** The confidence of the verdict, 0..1, and for catch-all and unknown how likely the mailbox exists, which deliveries update. */
export function confidenceOf(
  evidence: Evidence,
  subStatus: SubStatus,
): { confidence: number; estimate: number | null } {
  const prior = priorOf(evidence, subStatus);
  if (subStatus === 'delivered') return { confidence: shareThatStood(evidence.delivery, prior), estimate: null };
  const isUnknown = statusOf[subStatus] === 'unknown';
  if (!isUnknown && !subStatus.endsWith('catch_all')) return { confidence: prior, estimate: null };
  const { delivered, mailed } = evidence.deliveries ?? { delivered: 0, mailed: 0 };
  // The mean of the posterior beta distribution.
  const posterior = (prior * priorStrength + delivered) / (priorStrength + mailed);
  const estimate = round(Math.min(maxLearned, posterior));
  return { confidence: isUnknown ? Math.min(maxUnknownConfidence, estimate) : estimate, estimate };
}

/** The measured share of deliveries that no late bounce took back. */
function shareThatStood(delivery: Evidence['delivery'], prior: number): number {
  const { accepted, late } = delivery ?? { accepted: 0, late: 0 };
  const strength = 10 * priorStrength;
  return round(Math.min(maxLearned, (prior * strength + accepted - late) / (strength + accepted)));
}

function priorOf(evidence: Evidence, subStatus: SubStatus): number {
  const weight = weightOf(evidence, subStatus);
  if (evidence.plausibility === null || provenRisks.has(subStatus)) return weight;
  const isRefused = evidence.mailbox?.outcome.state !== 'passed' && (evidence.mailbox?.reply?.code ?? 0) >= 500;
  const max = isRefused ? maxAfterRefusal : maxEstimate;
  return round(Math.min(max, bayesianUpdate(evidence.plausibility.score, weight)));
}

/** The confidence of `is_catchall`; null if it was not checked. */
export function catchAllConfidenceOf({ catchAll, plausibility }: Evidence): number | null {
  switch (catchAll.outcome) {
    case 'not_run':
      return null;
    case 'inconclusive':
      return 0.5;
    case 'refused':
      return Math.min(0.97, refusalLimit(catchAll));
    case 'accepted': {
      if (catchAll.shaped !== undefined) return patternConfidence[catchAll.vague === true ? 'vague' : 'clear'];
      const weight = catchAll.source === 'provider' ? 0.85 : 0.95;
      // An implausible mailbox was accepted too, which is one more sign of a catch-all.
      return plausibility === null ? weight : round(Math.max(weight, bayesianUpdate(1 - plausibility.score, weight)));
    }
  }
}

function weightOf({ route, provider, mailbox, catchAll, lists }: Evidence, subStatus: SubStatus): number {
  if (subStatus === 'not_probed' && route.state === 'skipped' && lists?.unknownTld === true)
    return unknownTldConfidence;
  if (subStatus === 'not_probed' && route.state === 'passed') return notProbedWithRoute;
  if (mailbox === null) return weights[subStatus];
  // Measured values of a provider are better than the general ones.
  const weight = providerReliability(provider, subStatus) ?? weights[subStatus];
  if (replyBased.has(subStatus)) return Math.min(weight, mailbox.certainty);
  return subStatus === '' || subStatus === 'alias_address' ? Math.min(weight, refusalLimit(catchAll)) : weight;
}

/** How certain it is that the host distinguishes mailboxes. */
function refusalLimit({ vague, shaped }: Evidence['catchAll']): number {
  if (vague === true) return vagueRefusalConfidence;
  return shaped === 'unknown' ? unshapedConfidence : 1;
}

/** Bayesian update in log-odds, at half strength: the model sees the local part, not the mailbox. */
function bayesianUpdate(score: number, weight: number): number {
  const bounded = Math.min(0.98, Math.max(0.02, score));
  return 1 / (1 + Math.exp(-(logit(weight) + logit(bounded) / 2)));
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
