import type { DnsAnswer } from './dns.js';

export interface DnsCacheLimits {
  maxEntries: number;
  /** Milliseconds. */
  now: () => number;
}

/** Answers by name, each kept for its time to live within our bounds; the least recently used goes first. */
export interface DnsCache<R> {
  get(name: string): DnsAnswer<R> | undefined;
  set(name: string, answer: DnsAnswer<R>, ttlSeconds: number | null): void;
  readonly size: number;
}

/** A list names one domain many times within seconds, so even a TTL of 0 is kept for the floor. */
const foundSeconds = { floor: 30, ceiling: 3_600, unsaid: 300 };
/** RFC 2308 §5 allows up to hours; a domain that someone has just set up should not stay denied. */
const absentSeconds = { floor: 30, ceiling: 300, unsaid: 60 };
/** RFC 9520 §3.2: a failure is kept, so that a dead name server is not asked for every address, but not for long. */
const failedSeconds = 10;

/** An empty cache. */
export function dnsCache<R>({ maxEntries, now }: DnsCacheLimits): DnsCache<R> {
  const entries = new Map<string, { answer: DnsAnswer<R>; expiresAt: number }>();
  return {
    get: (name) => {
      const entry = entries.get(name);
      if (entry === undefined) return undefined;
      entries.delete(name);
      if (entry.expiresAt <= now()) return undefined;
      entries.set(name, entry);
      return entry.answer;
    },
    set: (name, answer, ttlSeconds) => {
      entries.delete(name);
      entries.set(name, { answer, expiresAt: now() + 1_000 * lifetimeSeconds(answer, ttlSeconds) });
      if (entries.size <= maxEntries) return;
      for (const oldest of entries.keys()) {
        entries.delete(oldest);
        break;
      }
    },
    get size() {
      return entries.size;
    },
  };
}

function lifetimeSeconds(answer: DnsAnswer<unknown>, ttlSeconds: number | null): number {
  if (answer.state === 'failed') return failedSeconds;
  const { floor, ceiling, unsaid } = answer.state === 'found' ? foundSeconds : absentSeconds;
  return Math.min(ceiling, Math.max(floor, ttlSeconds ?? unsaid));
}
