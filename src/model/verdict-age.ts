import { countedAs } from './result.js';

const dayMs = 24 * 60 * 60_000;

/** The longest life of verdicts that change soon, whatever age the user allows. */
const shortLivedMs: Record<string, number> = {
  mailbox_quota_exceeded: dayMs,
  // A bounce may take it back.
  delivered: dayMs,
  mailbox_disabled: 7 * dayMs,
};

/** Reasons that are about this machine, its network or this run, not about the address. */
const neverCached = new Set([
  'dns_error',
  'exception_occurred',
  'failed_smtp_connection',
  'needs_reverse_dns',
  'outbound_port_blocked',
  'sender_rejected',
]);

/** Whether a verdict of that age may be reused by another run: never an unknown, others as long as the user allows. */
export function isFresh(verdict: { status: string; sub_status?: string }, ageMs: number, maxAgeMs: number): boolean {
  const isSettled = countedAs(verdict.status, false) !== 'unknown' && isCacheable(verdict);
  return isSettled && ageMs >= 0 && ageMs <= Math.min(shortLivedMs[verdict.sub_status ?? ''] ?? maxAgeMs, maxAgeMs);
}

/** Whether a run that continues can use the verdict. */
export function isCacheable({ sub_status = '' }: { status: string; sub_status?: string }): boolean {
  return !neverCached.has(sub_status);
}
