import type { Evidence, ResultEvidence } from '../model/evidence.js';
import { mapRecordFields } from '../model/record-checks/record-checks.js';
import type { ValidationResult } from '../model/result.js';
import type { Verdict, Vetted } from '../model/verdict.js';
import { catchAllConfidenceOf } from './confidence.js';

/** Shared by all results without network checks. */
const noRecords = Object.freeze(mapRecordFields(() => false));
const noCatchAll = Object.freeze({ is_catchall: false, confidence: null });
const noModel = Object.freeze({ used: false, method: null });
const noTime = Object.freeze({ response_time_ms: 0 });
const noFeatures = Object.freeze({ catchall_detection: false, ai_enhancement: false });

/** A vetted address as the single result of the service interface. */
export function encodeResult(vetted: Vetted, planTier: string, explain = false): ValidationResult {
  const { evidence, verdict } = vetted;
  const { mailbox, catchAll, plausibility } = evidence;
  const isProbed = catchAll.outcome !== 'not_run';
  const result: ValidationResult = {
    email: evidence.input,
    status: verdict.status,
    sub_status: verdict.subStatus,
    confidence: verdict.confidence,
    safe_to_send: verdict.safeToSend,
    is_valid: verdict.status === 'valid',
    details: encodeDetails(evidence),
    catchall: isProbed
      ? { is_catchall: catchAll.outcome === 'accepted', confidence: catchAllConfidenceOf(evidence) }
      : noCatchAll,
    ai_enhancement: encodeEstimate(evidence, verdict),
    performance: vetted.elapsedMs === 0 ? noTime : { response_time_ms: Math.round(vetted.elapsedMs) },
    metadata: {
      timestamp: Date.now() / 1000,
      plan_tier: planTier,
      features_used:
        isProbed || plausibility !== null
          ? { catchall_detection: isProbed, ai_enhancement: plausibility !== null }
          : noFeatures,
    },
    reasons: [...verdict.reasons],
    did_you_mean: verdict.didYouMean,
    canonical: evidence.syntax.ok ? evidence.syntax.address.canonical : null,
  };
  if (mailbox !== null && mailbox.retryAt !== null) result.retry_at = mailbox.retryAt;
  if (mailbox?.cached === true) result.cached = true;
  if (explain) result.evidence = withoutRetryTime(evidence);
  return result;
}

function encodeEstimate({ plausibility }: Evidence, { estimate }: Verdict): ValidationResult['ai_enhancement'] {
  const model = plausibility === null ? noModel : { used: true, method: plausibility.model };
  return estimate === null ? model : { ...model, estimate };
}

/** A verdict as an item of a bulk summary, without details. */
export function encodeItem(email: string, verdict: Verdict) {
  const { status, subStatus: sub_status, confidence, safeToSend: safe_to_send, didYouMean: did_you_mean } = verdict;
  return { email, is_valid: status === 'valid', status, sub_status, confidence, safe_to_send, did_you_mean };
}

/** Removes the time of the retry, which is in `retry_at` of the result. */
function withoutRetryTime({ mailbox, ...evidence }: Evidence): ResultEvidence {
  if (mailbox === null) return { ...evidence, mailbox };
  const { retryAt: _, ...others } = mailbox;
  return { ...evidence, mailbox: others };
}

function encodeDetails(evidence: Evidence): ValidationResult['details'] {
  const { syntax, lists, mailbox } = evidence;
  return {
    syntax_valid: syntax.ok,
    dns_valid: evidence.route.state === 'passed',
    smtp_valid: mailbox !== null && mailbox.outcome.state === 'passed',
    smtp_code: mailbox?.reply?.code ?? 0,
    smtp_enhanced_code: mailbox?.reply?.enhanced ?? null,
    domain: syntax.ok ? syntax.address.domain : domainLike(evidence.input),
    provider: evidence.provider ?? '',
    is_disposable: lists !== null && lists.disposable !== null,
    is_role_based: lists !== null && lists.role !== null,
    is_free: lists?.free === true,
    is_relay: lists?.relay === true,
    ...(evidence.route.state === 'skipped'
      ? noRecords
      : mapRecordFields(({ name }) => evidence[name].state === 'passed')),
  };
}

function domainLike(input: string): string {
  const separator = input.lastIndexOf('@');
  return separator < 0 ? '' : input.slice(separator + 1).trim();
}
