import { LruMap } from '../../async/lru-map.js';
import { Failure } from '../../model/failure.js';

const maxCallers = 20_000;

/** A token bucket for each caller of this process, with a burst of one second. Null admits; `rate_limited` says when to retry. */
export function createRateLimit(perSecond: number, now: () => number = performance.now.bind(performance)) {
  // A bucket that was evicted was idle, so it is full again.
  const buckets = new LruMap<{ tokens: number; at: number }>({ maxEntries: maxCallers });
  const burst = Math.max(1, perSecond);
  return (caller: string): Failure | null => {
    const time = now();
    const bucket = buckets.get(caller);
    if (bucket === undefined) {
      buckets.set(caller, { tokens: burst - 1, at: time });
      return null;
    }
    const tokens = Math.min(burst, bucket.tokens + ((time - bucket.at) / 1000) * perSecond);
    bucket.at = time;
    bucket.tokens = tokens < 1 ? tokens : tokens - 1;
    return tokens >= 1 ? null : rateLimited(perSecond, Math.max(1, Math.ceil((1 - tokens) / perSecond)));
  };
}

function rateLimited(perSecond: number, retryAfterSeconds: number): Failure {
  return new Failure('rate_limited', `The limit of this key is ${perSecond} requests a second.`, {
    hint: 'Wait a little, or send many addresses in one bulk request.',
    retryAfterSeconds,
  });
}
