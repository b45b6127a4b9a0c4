import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { LruMap } from '../../async/lru-map.js';
import { Failure } from '../../model/failure.js';

/** Attempts that fail before the next one has to wait. */
interface Counter {
  name: string;
  freeAttempts: number;
  isAccount?: boolean;
}

const firstWaitMs = 60_000;
const maxWaitMs = 15 * 60_000;
/** A counter without attempts is evicted after this time. */
const attemptTtlMs = 60 * 60_000;
const maxCounters = 10_000;
/** The number of counters for accounts. It is fixed, so that guesses at other accounts cannot evict a counter. */
const accountBuckets = 1 << 16;

interface Attempts {
  failed: number;
  waitUntil: number;
}

/** Limits password guesses, by counters of attempts. */
export function createSignInThrottle(elapsed: () => number = () => performance.now()) {
  const createCounters = (maxEntries: number) =>
    new LruMap<Attempts>({ maxEntries, ttlMs: attemptTtlMs, now: elapsed });
  const clients = createCounters(maxCounters);
  const accounts = createCounters(accountBuckets);
  const mapOf = ({ isAccount }: Counter): LruMap<Attempts> => (isAccount ? accounts : clients);
  const takeBack = (counters: readonly Counter[]): void => {
    for (const counter of counters) {
      const attempts = mapOf(counter).get(counter.name);
      if (attempts === undefined) continue;
      attempts.failed--;
      if (attempts.failed <= 0) mapOf(counter).delete(counter.name);
      else if (attempts.failed < counter.freeAttempts) attempts.waitUntil = 0;
    }
  };
  return {
    /**
     * Counts an attempt as failed until `recordSuccess`, so that concurrent ones count, too. Throws the Failure
     * `rate_limited` while a counter waits.
     */
    begin: (counters: readonly Counter[]) => {
      const now = elapsed();
      const waitMs = Math.max(...counters.map((counter) => (mapOf(counter).get(counter.name)?.waitUntil ?? 0) - now));
      if (waitMs > 0) throw mustWait(waitMs);
      for (const counter of counters) {
        const failed = (mapOf(counter).get(counter.name)?.failed ?? 0) + 1;
        const excess = failed - counter.freeAttempts;
        const waitUntil = excess < 0 ? 0 : now + Math.min(firstWaitMs * 2 ** excess, maxWaitMs);
        mapOf(counter).set(counter.name, { failed, waitUntil });
      }
    },
    /** Resets the first counter. The others count more than one caller, so only this attempt is taken back. */
    recordSuccess: ([own, ...shared]: readonly Counter[]) => {
      if (own !== undefined) mapOf(own).delete(own.name);
      takeBack(shared);
    },
    /** Takes back an attempt that was not checked. */
    takeBack,
  };
}

/**
 * The counters of an attempt. A browser that has signed in to the account before is counted alone, so that guesses of
 * others, from its network or from everywhere, cannot lock it out.
 */
export function countersFor({
  network,
  account,
  device,
}: {
  network: string;
  /** Null for long random secrets, which cannot be guessed. */
  account: string | null;
  device: string | null;
}): Counter[] {
  if (device !== null) return [{ name: `device ${device}`, freeAttempts: 10 }];
  return [
    { name: `pair ${network} ${account ?? ''}`, freeAttempts: 10 },
    { name: `network ${network}`, freeAttempts: 30 },
    ...(account === null ? [] : [{ name: bucketOf(account), freeAttempts: 100, isAccount: true }]),
  ];
}

function bucketOf(account: string): string {
  return createHash('sha256').update(account).digest('hex').slice(0, 4);
}

function mustWait(ms: number): Failure {
  return new Failure('rate_limited', 'Too many failed sign-in attempts.', {
    hint: 'Wait a few minutes, or use a browser that was signed in before. The operator can reset the password.',
    retryAfterSeconds: Math.ceil(ms / 1000),
  });
}

/** The cookie value of a browser that has signed in to the account. A new password invalidates it. */
export function makeDeviceToken(account: string, passwordHash: string): string {
  const id = randomBytes(16).toString('base64url');
  return `${id}.${signatureOf(id, account, passwordHash)}`;
}

/** The id of the browser; null for a token that was not made for this account and password. */
export function deviceIn(token: string | null, account: string, passwordHash: string): string | null {
  const [, id = '', signature = ''] = /^([\w-]{22})\.([\w-]{43})$/.exec(token ?? '') ?? [];
  if (id === '') return null;
  const expected = Buffer.from(signatureOf(id, account, passwordHash));
  return timingSafeEqual(Buffer.from(signature), expected) ? id : null;
}

function signatureOf(id: string, account: string, passwordHash: string): string {
  return createHmac('sha256', passwordHash).update(`device ${account} ${id}`).digest('base64url');
}
