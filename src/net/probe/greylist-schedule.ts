const minuteMs = 60_000;
/** Milliseconds after the first refusal at which to ask again: most greylists open after one minute or after five. */
const retriesMs = [minuteMs, 5 * minuteMs, 15 * minuteMs];
const jitter = 0.2;

/** How long a list waits for greylists unless told otherwise. */
export const defaultGreylistWaitMs = 20 * minuteMs;

/** How a host that said "try later" has been asked so far. */
interface Deferral {
  /** Since it first said so. */
  sinceFirstMs: number;
  /** How long it wants to be left alone from now on; 0 where it did not say. */
  hostDelayMs: number;
  /** How long after the first refusal an address may be asked for again. */
  maxWaitMs: number;
  /** 0..1, for the jitter. */
  random?: () => number;
}

/**
 * In how many milliseconds to ask again, or null where the answer stands. It goes by the time since the first refusal, so that a run
 * that was interrupted, or waited because the host said so, goes on with the visits that are left.
 */
export function nextRetryMs({
  sinceFirstMs,
  hostDelayMs: hostWantsMs,
  maxWaitMs: patienceMs,
  random = Math.random,
}: Deferral): number | null {
  const visitMs = retriesMs.find((at) => at > sinceFirstMs);
  if (visitMs === undefined || visitMs > patienceMs) return null;
  const spreadMs = Math.min(visitMs * (1 + jitter * random()), patienceMs);
  const dueMs = Math.max(spreadMs, sinceFirstMs + Math.max(hostWantsMs, minuteMs));
  return dueMs > patienceMs ? null : Math.round(dueMs - sinceFirstMs);
}
