import type { DnsAnswer } from './dns.js';

export interface DnsCacheLimits {
  maxEntries: number;
  /** Milliseconds. */
  now: () => number;
}

type Unfound = Exclude<DnsAnswer<never>, { state: 'found' }>;

/** Small, and of as few objects as can be: all that stays for long is what a garbage collector copies around. */
interface Entry<R> {
  known: R[] | Unfound;
  /** Whole seconds on the cache's clock. */
  expiresAt: number;
}

/** Answers by name, each kept for its time to live within our bounds; what was not used for long goes first. */
export interface DnsCache<R> {
  get(name: string): DnsAnswer<R> | undefined;
  set(name: string, answer: DnsAnswer<R>, ttlSeconds: number | null): void;
}

/** A list names one domain many times within seconds, so even a TTL of 0 is kept for the floor. */
const foundSeconds = { floor: 30, ceiling: 3_600, unsaid: 300 };
/** RFC 2308 §5 allows up to hours; a domain that someone has just set up should not stay denied. */
const absentSeconds = { floor: 30, ceiling: 300, unsaid: 60 };
/** RFC 9520 §3.2: a failure is kept, so that a dead name server is not asked for every address, but not for long. */
const failedSeconds = 10;

/** An empty cache. Two halves: when the young one is full it becomes the old one, and what was old and unused is dropped at once. */
export function dnsCache<R>({ maxEntries, now }: DnsCacheLimits): DnsCache<R> {
  const half = Math.max(1, Math.floor(maxEntries / 2));
  const startedAt = now();
  const seconds = () => Math.floor((now() - startedAt) / 1_000);
  let young = new Map<string, Entry<R>>();
  let old = new Map<string, Entry<R>>();
  const keep = (name: string, entry: Entry<R>) => {
    young.set(name, entry);
    if (young.size < half) return;
    old = young;
    young = new Map();
  };
  return {
    get: (name) => {
      const recent = young.get(name);
      const entry = recent ?? old.get(name);
      if (entry === undefined || entry.expiresAt <= seconds()) return undefined;
      if (recent === undefined) keep(name, entry);
      return Array.isArray(entry.known) ? { state: 'found', records: entry.known } : entry.known;
    },
    set: (name, answer, ttlSeconds) => {
      const known = answer.state === 'found' ? answer.records : answer;
      keep(name, { known, expiresAt: seconds() + lifetimeSeconds(answer, ttlSeconds) });
    },
  };
}

function lifetimeSeconds(answer: DnsAnswer<unknown>, ttlSeconds: number | null): number {
  if (answer.state === 'failed') return failedSeconds;
  const { floor, ceiling, unsaid } = answer.state === 'found' ? foundSeconds : absentSeconds;
  return Math.min(ceiling, Math.max(floor, ttlSeconds ?? unsaid));
}
