import { Failure } from '../../model/failure.js';

/** Null admits the caller; the Failure `rate_limited` says when to retry. */
export type CheckRate = (caller: string) => Failure | null | Promise<Failure | null>;

/** A token bucket for each caller, with a burst of one second. */
export function openRateLimit(perSecond: number, now: () => number = performance.now.bind(performance)) {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const burst = Math.max(1, perSecond);
  return (caller: string): Failure | null => {
    const at = now();
    const bucket = buckets.get(caller);
    if (bucket === undefined) {
      buckets.set(caller, { tokens: burst - 1, at });
      return null;
    }
    const tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * perSecond);
    bucket.at = at;
    bucket.tokens = tokens < 1 ? tokens : tokens - 1;
    return tokens >= 1 ? null : tooOften(perSecond, Math.max(1, Math.ceil((1 - tokens) / perSecond)));
  };
}

export function tooOften(perSecond: number, retryAfterSeconds: number): Failure {
  return new Failure('rate_limited', `This key may ask ${perSecond} times a second.`, {
    hint: 'Wait a little, or send many addresses in one bulk request.',
    retryAfterSeconds,
  });
}
