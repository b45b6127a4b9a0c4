import { recent } from '../async/bounded-map.js';
import { type Clock, systemClock } from '../async/clock.js';
import type { Address } from '../model/address.js';
import type { MailRoute, Outcome, RecordReason, RouteReason } from '../model/evidence.js';

/** Where the mail of a domain goes, and who runs it. */
export interface MailRouteLookup {
  route: Outcome<MailRoute, RouteReason>;
  provider: string | null;
}

/** What a domain says of the mail that is sent in its name. */
interface MailRecords {
  spf: Outcome<string, RecordReason>;
  dmarc: Outcome<string, RecordReason>;
}

/** What DNS tells of a domain. Whoever needs the way only does not wait for the records, and need not hear that they were interrupted. */
export interface DomainLookup {
  route: Promise<MailRouteLookup>;
  records: Promise<MailRecords>;
}

/** The questions that a look consists of. None throws but when aborted. */
export interface DomainChecks {
  route(address: Address, signal?: AbortSignal): Promise<Outcome<MailRoute, RouteReason>>;
  spf(domain: string, signal?: AbortSignal): Promise<Outcome<string, RecordReason>>;
  dmarc(domain: string, signal?: AbortSignal): Promise<Outcome<string, RecordReason>>;
  providerOf(domain: string, hosts: readonly string[]): string | null;
}

/** Shorter than the least time for which DNS answers are kept, so that none lives notably longer for it. */
const keptMs = 10_000;
const keptDomains = 5_000;
const notAsked = Object.freeze({ state: 'skipped', reason: 'not_asked' } as const);
const noRecords = Promise.resolve<MailRecords>({ spf: notAsked, dmarc: notAsked });

class CachedLookup implements DomainLookup {
  /** Null while it is under way. */
  until: number | null = null;

  constructor(
    readonly route: Promise<MailRouteLookup>,
    readonly records: Promise<MailRecords>,
    /** Whose it is while it is under way; others' interruptions are their own. */
    public signal: AbortSignal | undefined,
  ) {}

  serves(signal: AbortSignal | undefined, clock: Clock): boolean {
    return this.until === null ? this.signal === signal : clock.elapsed() < this.until;
  }
}

/** Looks at domains, once for all addresses of one that a list asks about: finding an answer in a cache costs, too. */
export function createDomainLookup(checks: DomainChecks, clock: Clock = systemClock) {
  const kept = recent<CachedLookup>(keptDomains);
  return (address: Address, signal?: AbortSignal): DomainLookup => {
    const { domain } = address;
    const known = kept.get(domain);
    if (known?.serves(signal, clock)) return known;
    const way = lookUpRoute(address, checks, signal);
    const records = address.literal === null ? readRecords(domain, checks, signal) : noRecords;
    const look = new CachedLookup(way, records, signal);
    kept.set(domain, look);
    const forget = () => {
      if (kept.get(domain) === look) kept.delete(domain);
    };
    Promise.all([way, records]).then(([{ route }, { spf, dmarc }]) => {
      look.signal = undefined;
      look.until = clock.elapsed() + keptMs;
      if (route.state === 'unknown' || spf.state === 'unknown' || dmarc.state === 'unknown') forget();
    }, forget);
    return look;
  };
}

async function lookUpRoute(address: Address, checks: DomainChecks, signal?: AbortSignal): Promise<MailRouteLookup> {
  const route = await checks.route(address, signal);
  const hosts = route.state === 'passed' ? route.detail.hosts.map(({ name }) => name) : [];
  return { route, provider: checks.providerOf(address.domain, hosts) };
}

async function readRecords(domain: string, checks: DomainChecks, signal?: AbortSignal): Promise<MailRecords> {
  const [spf, dmarc] = await Promise.all([checks.spf(domain, signal), checks.dmarc(domain, signal)]);
  return { spf, dmarc };
}
