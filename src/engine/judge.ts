import {
  type CatchAllEvidence,
  type Evidence,
  type MailboxEvidence,
  nameKind,
  type RouteReason,
} from '../model/evidence.js';
import { recordChecks } from '../model/record-checks/record-checks.js';
import { type Status, type SubStatus, statusOf, type Verdict } from '../model/verdict.js';
import { confidenceOf } from './confidence.js';

/** What a failed or unanswered look-up of the route amounts to; null where nobody asked. */
const routeRuling: Record<RouteReason, SubStatus | null> = {
  no_dns_entries: 'no_dns_entries',
  null_mx: 'does_not_accept_mail',
  spf_denies_all_without_mx: 'does_not_accept_mail',
  unroutable_ip_address: 'unroutable_ip_address',
  dns_timeout: 'dns_error',
  dns_servfail: 'dns_error',
  dns_refused: 'dns_error',
  dns_malformed: 'dns_error',
  resolver_denies_everything: 'dns_error',
  resolver_invents_answers: 'dns_error',
  not_asked: null,
};

/** Turns evidence into the one word, by the first of its rulings. Pure: the same evidence, the same verdict. */
export function judge(evidence: Evidence): Verdict {
  if (!isClean(evidence)) return weigh(evidence);
  cleanVerdict ??= Object.freeze(weigh(evidence));
  return cleanVerdict;
}

/** A list at syntax level gets this verdict nearly every time, so it is made once. */
let cleanVerdict: Verdict | undefined;

/** Only the grammar was asked, and the lists say nothing: all such evidence is alike. */
function isClean(evidence: Evidence): boolean {
  const { syntax, lists, route, mailbox, plausibility } = evidence;
  return (
    syntax.ok &&
    route.state === 'skipped' &&
    mailbox === null &&
    plausibility === null &&
    recordChecks.every(({ name }) => evidence[name].state === 'skipped') &&
    lists !== null &&
    lists.reserved === null &&
    lists.disposable === null &&
    lists.role === null &&
    lists.didYouMean === null
  );
}

function weigh(evidence: Evidence): Verdict {
  const rulings = rulingsOn(evidence);
  const subStatus = rulings[0] ?? approval(evidence);
  const status = statusOf[subStatus];
  const confidence = confidenceOf(evidence, subStatus);
  const risky = rulings.some((ruling) => statusOf[ruling] === 'risky');
  return {
    status,
    subStatus,
    confidence,
    safeToSend: status === 'valid' && !risky && confidence >= 0.8,
    reasons: reasonsFor(evidence, rulings, subStatus),
    didYouMean: evidence.lists?.didYouMean ?? suggestionOf(evidence),
  };
}

/** All that holds against the address, by precedence: hard invalid, disposable, unknown, quota, catch-all, role, typo. */
function rulingsOn(evidence: Evidence): SubStatus[] {
  const { syntax, lists, route, mailbox, catchAll } = evidence;
  if (!syntax.ok) return ['failed_syntax_check'];
  const rulings: SubStatus[] = [];
  if (lists !== null && lists.reserved !== null) rulings.push('reserved_domain');

  const routeRuled = route.state === 'passed' ? null : routeRuling[route.reason];
  const mailboxRuled = mailbox === null ? null : mailboxRuling(mailbox.outcome, catchAll);
  pushIf(rulings, routeRuled, 'invalid');
  pushIf(rulings, mailboxRuled, 'invalid');
  if (lists !== null && lists.disposable !== null) rulings.push('disposable');
  pushIf(rulings, routeRuled, 'unknown');
  pushIf(rulings, mailboxRuled, 'unknown');
  pushIf(rulings, mailboxRuled, 'risky');

  const role = lists !== null && lists.role !== null;
  if (acceptsAll(evidence)) rulings.push(role ? 'role_based_catch_all' : 'catch_all');
  else if (role) rulings.push('role_based');
  if (lists !== null && lists.didYouMean !== null) rulings.push('possible_typo');
  return rulings;
}

function pushIf(rulings: SubStatus[], ruling: SubStatus | null, status: Status): void {
  if (ruling !== null && statusOf[ruling] === status) rulings.push(ruling);
}

function mailboxRuling(outcome: MailboxEvidence['outcome'], catchAll: CatchAllEvidence): SubStatus | null {
  if (outcome.state !== 'passed') return outcome.reason;
  // Accepted proves nothing until a random mailbox of the domain was refused.
  if (catchAll.outcome !== 'inconclusive' && catchAll.outcome !== 'not_run') return null;
  return catchAll.reason ?? 'mail_server_temporary_error';
}

/** A provider known to accept everything is one as soon as the mailbox was accepted. */
function acceptsAll({ mailbox, catchAll }: Evidence): boolean {
  return catchAll.outcome === 'accepted' && mailbox?.outcome.state === 'passed';
}

/** The kind of `valid` where nothing holds against the address. */
function approval({ syntax, mailbox }: Evidence): SubStatus {
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
    // The look-up's own word says more than the ruling it led to.
    const word = route.reason === 'not_asked' ? 'dns_not_checked' : route.reason;
    if (!reasons.includes(word)) reasons.push(word);
  }
  if (mailbox === null) reasons.push('smtp_not_checked');
  else if (catchAll.outcome === 'inconclusive') reasons.push('catch_all_inconclusive');
  for (const { name, noAnswer } of recordChecks) {
    if (noAnswer !== null && evidence[name].state === 'unknown') reasons.push(noAnswer.reason);
  }
  const { plausibility } = evidence;
  const looks = plausibility === null ? 'unclear' : nameKind(plausibility);
  if (looks === 'personal') reasons.push('plausible_local_part');
  if (looks === 'machine_made') reasons.push('implausible_local_part');
  return reasons;
}
