import type { RowVerdict } from '../job.js';
import { signOf } from './status-sign.js';

/** The first words about an address. */
interface Headline {
  sign: string;
  word: string;
  /** A status, or `plausible` for what was only partly checked. */
  tone: string;
  /** What was left unasked, said before anybody takes the word for a yes. */
  caution: string;
}

/** The sign and the word agree: a tick is kept for what is safe to send, and what was only partly checked says so first. */
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
    return { ...partly, word: 'plausible', caution: `${asked}: the mailbox was not asked` };
  }
  if (status === 'valid' && !safe) {
    return { ...partly, word: 'likely valid', caution: 'not sure enough to send without care' };
  }
  return { sign: signOf(status, unicode), word: status, tone: status, caution: '' };
}

/** Nothing is proven, so the confidence is how likely the mailbox is real all the same. */
export function isEstimate({ status, sub_status: subStatus }: Pick<RowVerdict, 'status' | 'sub_status'>): boolean {
  return status === 'unknown' || subStatus === 'catch_all' || subStatus === 'role_based_catch_all';
}

/** The code whose sentence leads: the sub-status but, of all that makes an address risky, a slip first, since correcting it settles the rest. */
export function leadingCode({
  status,
  sub_status: subStatus,
  reasons,
}: Pick<RowVerdict, 'status' | 'sub_status'> & { reasons: readonly string[] }): string {
  return status === 'risky' && reasons.includes('possible_typo') ? 'possible_typo' : subStatus;
}
