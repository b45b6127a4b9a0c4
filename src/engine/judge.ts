import {
  type CatchAllEvidence,
  deliveryDays,
  type Evidence,
  type MailboxEvidence,
  nameKind,
  type RouteReason,
} from '../model/evidence.js';
import { recordChecks } from '../model/record-checks/record-checks.js';
import { deniesAllSenders } from '../model/record-checks/spf.js';
import type { SyntaxCode } from '../model/syntax-codes.js';
import { type Status, type SubStatus, statusOf, type Verdict } from '../model/verdict.js';
import { confidenceOf } from './confidence.js';

/** The sub-status for a failed or unanswered route lookup; null if it was not asked. */
const routeSubStatuses: Record<RouteReason, SubStatus | null> = {
  no_dns_entries: 'no_dns_entries',
  null_mx: 'does_not_accept_mail',
  unroutable_ip_address: 'unroutable_ip_address',
  dns_timeout: 'dns_error',
  dns_servfail: 'dns_error',
  dns_refused: 'dns_error',
  dns_malformed: 'dns_error',
  resolver_denies_everything: 'dns_error',
  resolver_invents_answers: 'dns_error',
  resolver_not_confirmed: 'dns_error',
  not_asked: null,
};

/** Turns evidence into a verdict: the first ruling decides. Pure. */
export function judge(evidence: Evidence): Verdict {
  const rulings = rulingsOn(evidence);
  const subStatus = rulings[0] ?? validSubStatus(evidence);
  const status = statusOf[subStatus];
  const { confidence, estimate } = confidenceOf(evidence, subStatus);
  const isRisky = rulings.some((ruling) => statusOf[ruling] === 'risky');
  return {
    status,
    subStatus,
    confidence,
    estimate,
    safeToSend: status === 'valid' && !isRisky && confidence >= 0.8,
    reasons: reasonsFor(evidence, rulings, subStatus),
    didYouMean: evidence.lists?.didYouMean ?? suggestionOf(evidence),
  };
}

/** What is not one address that was read whole is not judged. */
export function subStatusOfFault(code: SyntaxCode): 'several_addresses' | 'unknown_encoding' | 'failed_syntax_check' {
  if (code === 'ill_formed_unicode') return 'unknown_encoding';
  return code === 'several_addresses' ? code : 'failed_syntax_check';
}

/** Everything against the address, by precedence: invalid, disposable, unknown, quota, sends no mail, catch-all, role, typo. */
function rulingsOn(evidence: Evidence): SubStatus[] {
  const { syntax, lists, route, mailbox, catchAll } = evidence;
  if (!syntax.ok) return [subStatusOfFault(syntax.fault.code)];
  const rulings: SubStatus[] = [];
  const isProven = isDelivered(evidence);
  if (lists !== null && lists.reserved !== null) rulings.push('reserved_domain');

  const routeRuling = route.state === 'passed' ? null : routeSubStatuses[route.reason];
  const mailboxSubStatus = mailbox === null ? null : mailboxRuling(mailbox.outcome, catchAll);
  pushIf(rulings, routeRuling, 'invalid');
  pushIf(rulings, mailboxSubStatus, 'invalid');
  if (lists !== null && lists.disposable !== null) rulings.push('disposable');
  pushIf(rulings, routeRuling, 'unknown');
  if (!isProven) pushIf(rulings, mailboxSubStatus, 'unknown');
  pushIf(rulings, mailboxSubStatus, 'risky');
  if (!isProven && sendsNoMail(evidence)) rulings.push('unlikely_to_accept_mail');

  const isRole = lists !== null && lists.role !== null;
  if (!isProven && acceptsAll(evidence)) rulings.push(isRole ? 'role_based_catch_all' : 'catch_all');
  else if (isRole) rulings.push('role_based');
  if (lists !== null && lists.didYouMean !== null) rulings.push('possible_typo');
  return rulings;
}

/** Whether the domain has no MX and `v=spf1 -all`. SPF is about sending, so a reply of the mail server takes precedence. */
function sendsNoMail({ route, spf, mailbox }: Evidence): boolean {
  if (route.state !== 'passed' || !route.detail.implicit || spf.state !== 'passed') return false;
  return deniesAllSenders(spf.detail) && mailbox?.outcome.state !== 'passed';
}

function pushIf(rulings: SubStatus[], ruling: SubStatus | null, status: Status): void {
  if (ruling !== null && statusOf[ruling] === status) rulings.push(ruling);
}

function mailboxRuling(outcome: MailboxEvidence['outcome'], catchAll: CatchAllEvidence): SubStatus | null {
  if (outcome.state !== 'passed') return outcome.reason;
  // An accepted mailbox proves nothing until a random one was refused.
  if (catchAll.outcome !== 'inconclusive' && catchAll.outcome !== 'not_run') return null;
  return catchAll.reason ?? 'mail_server_temporary_error';
}

function acceptsAll({ mailbox, catchAll }: Evidence): boolean {
  return catchAll.outcome === 'accepted' && mailbox?.outcome.state === 'passed';
}

/** Whether our own mail proves the mailbox where its host does not. A refusal of today, or a domain without mail, still decides. */
function isDelivered({ delivery }: Evidence): boolean {
  if (delivery === undefined || delivery.first === null) return false;
  return delivery.daysSinceFirst >= deliveryDays.silent && delivery.daysSinceLast <= deliveryDays.valid;
}

/** The sub-status of a valid address. */
function validSubStatus(evidence: Evidence): SubStatus {
  const { syntax, mailbox, catchAll } = evidence;
  const hostTells = mailbox?.outcome.state === 'passed' && catchAll.outcome === 'refused';
  if (!hostTells && isDelivered(evidence)) return 'delivered';
  if (mailbox === null) return 'not_probed';
  return syntax.ok && syntax.address.tag !== null ? 'alias_address' : '';
}

function suggestionOf({ syntax }: Evidence): string | null {
  return syntax.ok ? null : syntax.fault.suggestion;
}

function reasonsFor(evidence: Evidence, rulings: SubStatus[], subStatus: SubStatus): string[] {
  const reasons: string[] = rulings.length > 0 ? [...rulings] : subStatus === '' ? [] : [subStatus];
  const { syntax, route, mailbox, catchAll } = evidence;
  if (!syntax.ok) {
    reasons.push(`${syntax.fault.code}:${syntax.fault.position}`);
    return reasons;
  }
  if (route.state !== 'passed') {
    // The reason of the lookup is more specific than the ruling.
    const code = route.reason === 'not_asked' ? 'dns_not_checked' : route.reason;
    if (!reasons.includes(code)) reasons.push(code);
  }
  if (evidence.lists?.possibleRole != null) reasons.push('possible_role');
  if (evidence.lists?.unknownTld === true && route.state === 'skipped') reasons.push('unknown_tld');
  if (evidence.failOpen === true) reasons.push('fail_open');
  if (mailbox === null) reasons.push('smtp_not_checked');
  else if (catchAll.outcome === 'inconclusive') reasons.push('catch_all_inconclusive');
  if (catchAll.shaped === 'accepted') reasons.push('catch_all_by_pattern');
  for (const { name, noAnswer } of recordChecks) {
    if (evidence[name].state === 'unknown') reasons.push(noAnswer.reason);
  }
  const { plausibility } = evidence;
  const kind = plausibility === null ? 'unclear' : nameKind(plausibility);
  if (kind === 'personal') reasons.push('plausible_local_part');
  if (kind === 'machine_made') reasons.push('implausible_local_part');
  return reasons;
}
