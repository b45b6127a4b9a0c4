import { Failure } from '../../model/failure.js';

/** Lets each caller ask so often, with a second's worth at once; gives the Failure `rate_limited` beyond. */
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
    if (tokens >= 1) return null;
    return new Failure('rate_limited', `This key may ask ${perSecond} times a second.`, {
      hint: 'Wait a little, or send many addresses in one bulk request.',
      retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)),
    });
  };
}
