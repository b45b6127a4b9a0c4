import { createBatcher } from '../../async/batcher.js';
import { LruMap } from '../../async/lru-map.js';
import type { KeyStore } from '../../jobs/store/keys.js';
import { Failure } from '../../model/failure.js';

/** Null admits the caller; the Failure `rate_limited` says when to retry. */
export type CheckRate = (caller: string) => Failure | null | Promise<Failure | null>;

const maxCallers = 20_000;

/** A token bucket for each caller, with a burst of one second. */
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

/** Tokens of a second are fetched in this many batches. */
const grantsPerSecond = 20;
/** Unused tokens expire, since other nodes may want them. */
const grantMs = 1_000;
/** A refusal is repeated for this long without asking the store. */
const refusalMs = 50;

interface Grant {
  remaining: number;
  /** True if the store had no tokens left. */
  isRefused: boolean;
  until: number;
}

/**
 * A rate limit over all nodes: each fetches tokens from the store in batches. Without the store, this node counts for
 * itself.
 */
export function createSharedRateLimit(
  perSecond: number,
  takeRequests: NonNullable<KeyStore['takeRequests']>,
  now: () => number = performance.now.bind(performance),
): CheckRate {
  const grantSize = Math.max(1, Math.floor(perSecond / grantsPerSecond));
  const localLimit = createRateLimit(perSecond, now);
  const grants = new LruMap<Grant>({ maxEntries: maxCallers });
  /** Takes a token that was granted; null: ask the store. */
  const takeToken = (caller: string): boolean | null => {
    const grant = grants.get(caller);
    if (grant === undefined || now() > grant.until) return null;
    if (grant.remaining === 0) return grant.isRefused ? false : null;
    grant.remaining--;
    return true;
  };
  const fetch = createBatcher(async (callers: readonly string[]) => {
    const waiting = new Map<string, number>();
    for (const caller of callers) waiting.set(caller, (waiting.get(caller) ?? 0) + 1);
    const requests = [...waiting].map(([keyId, count]) => ({ keyId, requested: Math.max(grantSize, count) }));
    const counts = await takeRequests(requests, perSecond);
    for (const [index, { keyId, requested }] of requests.entries()) {
      const remaining = counts[index] ?? 0;
      grants.set(keyId, {
        remaining,
        isRefused: remaining < requested,
        until: now() + (remaining < requested ? refusalMs : grantMs),
      });
    }
    return callers.map((caller) => takeToken(caller) === true);
  });
  return (caller) => {
    const isAllowed = takeToken(caller);
    if (isAllowed !== null) return isAllowed ? null : rateLimited(perSecond, 1);
    return fetch(caller).then(
      (allowed) => (allowed ? null : rateLimited(perSecond, 1)),
      () => localLimit(caller),
    );
  };
}
