const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The longest life of verdicts that change soon, whatever age the user allows. */
const shortLivedMs: Record<string, number> = {
  greylisted: 15 * minuteMs,
  rate_limited: 15 * minuteMs,
  mailbox_quota_exceeded: dayMs,
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

/** Whether a verdict of that age may be reused: an unknown for an hour, others as long as the user allows. */
export function isFresh(verdict: { status: string; sub_status: string }, ageMs: number, maxAgeMs: number): boolean {
  const limitMs = shortLivedMs[verdict.sub_status] ?? (verdict.status === 'unknown' ? hourMs : maxAgeMs);
  return ageMs >= 0 && ageMs <= Math.min(limitMs, maxAgeMs);
}

/** Whether later runs can use the verdict. */
export function isCacheable({ sub_status = '' }: { status: string; sub_status?: string }): boolean {
  return !neverCached.has(sub_status);
}
