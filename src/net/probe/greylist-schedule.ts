const minuteMs = 60_000;
/** Retries, in milliseconds after the first refusal: most greylists accept after one or five minutes. */
const retriesMs = [minuteMs, 5 * minuteMs, 15 * minuteMs];
/** The wait that `readReply` assumes for temporary errors other than greylisting. */
const temporaryErrorWaitMs = 5 * minuteMs;
const jitter = 0.2;
/** Tolerance for the time between a refusal and the scheduling of its retry. */
const slackMs = 1_000;

/** How long a list waits for greylisting by default. */
export const defaultGreylistWaitMs = 20 * minuteMs;

/** The retries of a list that waits this long, as minutes after the first refusal. */
export function retryMinutes(maxWaitMs: number): { greylisting: number[]; others: number[] } {
  const retries = retriesMs.filter((at) => at <= maxWaitMs);
  const others = retries.filter((at) => at >= temporaryErrorWaitMs);
  return { greylisting: retries.map((at) => at / minuteMs), others: others.map((at) => at / minuteMs) };
}

/** The state of a mailbox whose host said "try later". */
interface Deferral {
  /** Time since the first refusal. */
  sinceFirstMs: number;
  /** The wait that the host requested; 0 if none. */
  hostDelayMs: number;
  /** How long after the first refusal to retry. */
  maxWaitMs: number;
  /** 0..1, for the jitter. */
  random?: () => number;
}

/**
 * Milliseconds until the next retry, or null if the answer stands. It depends on the time since the first refusal, so that an
 * interrupted run continues with the retries that are left.
 */
export function nextRetryMs({ sinceFirstMs, hostDelayMs, maxWaitMs, random = Math.random }: Deferral): number | null {
  const retryMs = retriesMs.find((at) => at > sinceFirstMs);
  if (retryMs === undefined || retryMs > maxWaitMs) return null;
  const spreadMs = Math.min(retryMs * (1 + jitter * random()), maxWaitMs);
  const dueMs = Math.max(spreadMs, sinceFirstMs + Math.max(hostDelayMs, minuteMs));
  return dueMs > maxWaitMs + slackMs ? null : Math.round(dueMs - sinceFirstMs);
}
