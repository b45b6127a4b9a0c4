import { type Clock, systemClock } from '../async/clock.js';
import { LruMap } from '../async/lru-map.js';
import type { Address } from '../model/address.js';
import type { MailRoute, RouteReason } from '../model/evidence.js';
import type { Outcome } from '../model/outcome.js';
import type { RecordLookup } from '../model/record-checks/record-check.js';
import { type RecordEvidence, recordChecks, recordsNotAsked } from '../model/record-checks/record-checks.js';

/** The mail route of a domain, and its provider. */
export interface MailRouteLookup {
  route: Outcome<MailRoute, RouteReason>;
  provider: string | null;
}

/** What DNS says about a domain. The route does not depend on the records, also if they are aborted. */
export interface DomainLookup {
  route: Promise<MailRouteLookup>;
  records: Promise<RecordEvidence>;
}

/** The queries of one lookup. They throw only when aborted. */
export interface DomainChecks {
  route(address: Address, signal?: AbortSignal): Promise<Outcome<MailRoute, RouteReason>>;
  txt(name: string, signal?: AbortSignal): ReturnType<RecordLookup['txt']>;
  registrableDomain(domain: string): string | null;
  providerOf(domain: string, hosts: readonly string[]): string | null;
}

/** Shorter than the minimum TTL of the DNS cache, so that answers barely outlive it. */
const ttlMs = 10_000;
const maxDomains = 5_000;
const noRecords = Promise.resolve(recordsNotAsked);

class CachedLookup implements DomainLookup {
  /** Null while it is in flight. */
  expiresAt: number | null = null;

  constructor(
    readonly route: Promise<MailRouteLookup>,
    readonly records: Promise<RecordEvidence>,
    /** The caller that it is in flight for: an abort by another caller does not end it. */
    public signal: AbortSignal | undefined,
  ) {}

  serves(signal: AbortSignal | undefined, clock: Clock): boolean {
    return this.expiresAt === null ? this.signal === signal : clock.elapsed() < this.expiresAt;
  }
}

/** Looks up domains, once for all addresses of a domain in a list: even a DNS cache hit costs time. */
export function createDomainLookup(checks: DomainChecks, clock: Clock = systemClock) {
  const cache = new LruMap<CachedLookup>({ maxEntries: maxDomains });
  return (address: Address, signal?: AbortSignal): DomainLookup => {
    const { domain } = address;
    const cached = cache.get(domain);
    if (cached?.serves(signal, clock)) return cached;
    const route = lookUpRoute(address, checks, signal);
    const records = address.literal === null ? checkRecords(domain, checks, signal) : noRecords;
    const lookup = new CachedLookup(route, records, signal);
    cache.set(domain, lookup);
    const evict = () => {
      if (cache.get(domain) === lookup) cache.delete(domain);
    };
    Promise.all([route, records]).then(([found, evidence]) => {
      lookup.signal = undefined;
      lookup.expiresAt = clock.elapsed() + ttlMs;
      const outcomes = [found.route, ...recordChecks.map(({ name }) => evidence[name])];
      if (outcomes.some(({ state }) => state === 'unknown')) evict();
    }, evict);
    return lookup;
  };
}

async function lookUpRoute(address: Address, checks: DomainChecks, signal?: AbortSignal): Promise<MailRouteLookup> {
  const route = await checks.route(address, signal);
  const hosts = route.state === 'passed' ? route.detail.hosts.map(({ name }) => name) : [];
  return { route, provider: checks.providerOf(address.domain, hosts) };
}

async function checkRecords(
  domain: string,
  { txt, registrableDomain }: DomainChecks,
  signal?: AbortSignal,
): Promise<RecordEvidence> {
  const lookup: RecordLookup = { txt: (name) => txt(name, signal), registrableDomain };
  const outcomes = await Promise.all(recordChecks.map(({ check }) => check(domain, lookup)));
  const evidence = { ...recordsNotAsked };
  for (const [index, { name }] of recordChecks.entries()) evidence[name] = outcomes[index] ?? evidence[name];
  return evidence;
}
