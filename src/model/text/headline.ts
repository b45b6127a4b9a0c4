import { formatPercent } from '../amount.js';
import type { RowVerdict } from '../job.js';
import type { ValidationResult } from '../result.js';
import { signOf } from './status-sign.js';

interface Headline {
  sign: string;
  /** A status, or `plausible` if the check was partial. */
  tone: string;
  /** What was not checked. */
  caution: string;
}

/** Only addresses that are safe to send get a check mark; partial checks say so. */
export function headlineOf(
  {
    status,
    sub_status: subStatus,
    safe_to_send: safe,
    reasons = [],
  }: Pick<RowVerdict, 'status' | 'sub_status' | 'safe_to_send'> & { reasons?: readonly string[] },
  unicode: boolean,
): Headline {
  const partly = { sign: '~', tone: 'plausible' };
  if (status === 'valid' && subStatus === 'not_probed') {
    const asked = reasons.includes('dns_not_checked') ? 'syntax only' : 'syntax and DNS only';
    return { ...partly, caution: `${asked}: the mailbox was not checked` };
  }
  if (status === 'valid' && !safe) {
    return { ...partly, caution: 'low confidence: send with care' };
  }
  return { sign: signOf(status, unicode), tone: status, caution: '' };
}

type Estimated = Partial<Pick<ValidationResult, 'sub_status' | 'ai_enhancement'>> & { confidence: number };

/** The estimated probability that the mailbox exists, or null. For catch-all, the confidence is it as well. */
export function estimateOf({ sub_status: subStatus = '', confidence, ai_enhancement: ai }: Estimated): number | null {
  const isCatchAll = subStatus === 'catch_all' || subStatus === 'role_based_catch_all';
  return ai?.estimate ?? (isCatchAll ? confidence : null);
}

/** The estimate, or else the confidence, with its label. Only the name supports an estimate if DNS failed, or the domain may be a typing error. */
export function describeConfidence(result: ValidationResult): [label: string, text: string] {
  const estimate = estimateOf(result);
  if (estimate === null) return ['Confidence', formatPercent(result.confidence)];
  const isByName = result.sub_status === 'dns_error' || result.did_you_mean !== null;
  return ['Estimate', `${formatPercent(estimate)} that the mailbox exists${isByName ? ', by its name alone' : ''}`];
}
