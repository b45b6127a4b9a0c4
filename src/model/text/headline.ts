import { formatPercent } from '../amount.js';
import type { RowVerdict } from '../job.js';
import { signOf } from './status-sign.js';

interface Headline {
  sign: string;
  /** The status, which has the same name everywhere. */
  word: string;
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
    return { ...partly, word: status, caution: `${asked}: the mailbox was not checked` };
  }
  if (status === 'valid' && !safe) {
    return { ...partly, word: status, caution: 'low confidence: send with care' };
  }
  return { sign: signOf(status, unicode), word: status, tone: status, caution: '' };
}

/** Whether the confidence is the estimated probability that the mailbox exists. */
export function isEstimate({ status, sub_status: subStatus }: Pick<RowVerdict, 'status' | 'sub_status'>): boolean {
  return status === 'unknown' || subStatus === 'catch_all' || subStatus === 'role_based_catch_all';
}

/** An estimate in words. Only the name supports it if DNS failed, or if the domain may be a typing error. */
export function describeEstimate({
  sub_status: subStatus,
  did_you_mean: suggested,
  confidence,
}: Pick<RowVerdict, 'sub_status' | 'did_you_mean' | 'confidence'>): string {
  const isByName = subStatus === 'dns_error' || suggested !== null;
  return `${formatPercent(confidence)} that the mailbox exists${isByName ? ', by its name alone' : ''}`;
}
