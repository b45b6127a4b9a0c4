const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Verdicts that pass soon, whatever age the user allows. */
const mostMs: Record<string, number> = {
  greylisted: 15 * minuteMs,
  rate_limited: 15 * minuteMs,
  mailbox_quota_exceeded: dayMs,
  mailbox_disabled: 7 * dayMs,
};

/** About this machine or this run, so never true of the address. */
const neverKept = new Set([
  'dns_error',
  'exception_occurred',
  'needs_reverse_dns',
  'outbound_port_blocked',
  'sender_rejected',
]);

/** A verdict of that age may be used again: an unknown is asked again soon, a proven one as late as the user allows. */
export function isFresh(verdict: { status: string; sub_status: string }, ageMs: number, maxAgeMs: number): boolean {
  const cap = mostMs[verdict.sub_status] ?? (verdict.status === 'unknown' ? hourMs : maxAgeMs);
  return ageMs >= 0 && ageMs <= Math.min(cap, maxAgeMs);
}

/** The verdict is worth remembering for later runs. */
export function isCacheable(verdict: { sub_status: string }): boolean {
  return !neverKept.has(verdict.sub_status);
}
