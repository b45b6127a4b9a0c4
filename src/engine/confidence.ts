import type { Evidence } from '../model/evidence.js';
import type { SubStatus } from '../model/verdict.js';
import { providerBelief } from './lists/providers.js';

/**
 * One table of weights. For `valid`, `invalid` and the risks that a list or a reply proves, it is how often such a verdict
 * is right; where nothing is proven (catch-all, unknown), how likely the mailbox is real all the same.
 */
const weights: Record<SubStatus, number> = {
  '': 0.97,
  alias_address: 0.96,
  not_probed: 0.6,
  failed_syntax_check: 0.99,
  reserved_domain: 0.99,
  no_dns_entries: 0.98,
  does_not_accept_mail: 0.98,
  unroutable_ip_address: 0.97,
  mailbox_not_found: 0.97,
  mailbox_disabled: 0.95,
  smtputf8_unsupported: 0.95,
  disposable: 0.95,
  mailbox_quota_exceeded: 0.9,
  catch_all: 0.6,
  role_based_catch_all: 0.6,
  role_based: 0.9,
  possible_typo: 0.85,
  greylisted: 0.6,
  rate_limited: 0.5,
  mail_server_temporary_error: 0.5,
  antispam_system: 0.5,
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

/** The random mailbox was refused in words that do not say that it is missing. */
const vagueRefusalConfidence = 0.9;

/** A route was found, so an address that was not probed is likelier good. */
const notProbedWithRoute = 0.75;

/** Below the bar of `safe_to_send`: nothing that was only guessed may reach it. */
const guessCeiling = 0.79;

/** Risks that hold whether or not anybody reads the mailbox, so a guess at that says nothing of them. */
const provenRisks: ReadonlySet<SubStatus> = new Set([
  'disposable',
  'mailbox_quota_exceeded',
  'role_based',
  'possible_typo',
]);

/** As sure as the reply that said so was read. */
const replyBased: ReadonlySet<SubStatus> = new Set(['mailbox_not_found', 'mailbox_disabled']);

/** How sure the verdict is, 0..1. */
export function confidenceOf(evidence: Evidence, subStatus: SubStatus): number {
  const weight = weightOf(evidence, subStatus);
  if (evidence.plausibility === null || provenRisks.has(subStatus)) return weight;
  return round(Math.min(guessCeiling, updatedBy(evidence.plausibility.score, weight)));
}

/** How sure we are of `is_catchall`; null where nobody asked. */
export function catchAllConfidenceOf({ catchAll, plausibility }: Evidence): number | null {
  switch (catchAll.outcome) {
    case 'not_run':
      return null;
    case 'inconclusive':
      return 0.5;
    case 'refused':
      return catchAll.vague === true ? vagueRefusalConfidence : 0.97;
    case 'accepted': {
      const weight = catchAll.source === 'provider' ? 0.85 : 0.95;
      // A mailbox that nobody would have made was accepted too: one more sign of a catch-all.
      return plausibility === null ? weight : round(Math.max(weight, updatedBy(1 - plausibility.score, weight)));
    }
  }
}

function weightOf({ route, provider, mailbox, catchAll }: Evidence, subStatus: SubStatus): number {
  if (subStatus === 'not_probed' && route.state === 'passed') return notProbedWithRoute;
  if (mailbox === null) return weights[subStatus];
  // What is known of the answers of a provider says more than how such answers are meant on the whole.
  const weight = providerBelief(provider, subStatus) ?? weights[subStatus];
  if (replyBased.has(subStatus)) return round(weight * mailbox.certainty);
  const vague = catchAll.vague === true && (subStatus === '' || subStatus === 'alias_address');
  return vague ? Math.min(weight, vagueRefusalConfidence) : weight;
}

/** Bayes in log-odds, at half strength: the model sees one local part, not the mailbox. */
function updatedBy(score: number, weight: number): number {
  const bounded = Math.min(0.98, Math.max(0.02, score));
  return 1 / (1 + Math.exp(-(logit(weight) + logit(bounded) / 2)));
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
