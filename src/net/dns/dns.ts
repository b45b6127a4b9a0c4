import type { Caller } from '../../async/caller.js';
import { createQuerySlots } from '../../async/query-slots.js';
import { DnsCache } from './cache.js';
import type { Resolver, ResolverContext } from './question.js';
import { recordTypes, reverseName } from './record-types.js';
import type { DnsAnswer, MxRecord } from './records.js';
import { parseResolver, systemResolvers } from './resolver-address.js';
import { ResolverClient } from './resolver-client.js';

/** Queries to the resolver: cached, coalesced, paced, each with a deadline. They throw only when aborted. */
export interface Dns {
  mx(domain: string, caller?: Caller): Promise<DnsAnswer<MxRecord>>;
  /** A and AAAA together: found if either is, absent only if both are. */
  addresses(host: string, caller?: Caller): Promise<DnsAnswer<string>>;
  /** Each record's strings joined. */
  txt(name: string, caller?: Caller): Promise<DnsAnswer<string>>;
  /** `by`: asks only that resolver. */
  ns(name: string, caller?: Caller, by?: number): Promise<DnsAnswer<string>>;
  /** Names of an IP address. */
  reverse(ip: string, caller?: Caller): Promise<DnsAnswer<string>>;
  close(): void;
}

export interface SystemDnsOptions {
  /** `HOST`, `HOST:PORT` or `[IPv6]:PORT`, asked in this order; by default those of the system. */
  resolvers?: readonly string[];
  /** The timeout of one query with all of its retries. */
  timeoutMs?: number;
  maxInFlight?: number;
  /** Cached answers for each record type. */
  cacheEntries?: number;
  /** Monotonic milliseconds, for the cache. */
  now?: () => number;
}

/** Many name servers never answer AAAA queries: a known IPv4 address waits no longer than this for them. */
const secondFamilyGraceMs = 250;
/** They test whether a resolver can be trusted, so they are asked again soon, whatever their TTL. */
const maxNsSeconds = 30;

/** Asks the given resolvers, or those of the system, over UDP, and over TCP for long answers. Throws a Failure for an invalid resolver. */
export function systemDns(options: SystemDnsOptions = {}): Dns {
  const { timeoutMs = 5_000, maxInFlight = 150, cacheEntries = 20_000, now = () => performance.now() } = options;
  const servers = options.resolvers?.length ? options.resolvers : systemResolvers();
  const resolvers = servers.map((text) => ({
    client: new ResolverClient(parseResolver(text)),
    timeoutsInARow: 0,
    avoidUntil: 0,
  }));
  const context: ResolverContext = { resolvers, slots: createQuerySlots(maxInFlight), timeoutMs, now };
  const mx = new DnsCache(recordTypes.MX, context, cacheEntries);
  const a = new DnsCache(recordTypes.A, context, cacheEntries);
  const aaaa = new DnsCache(recordTypes.AAAA, context, cacheEntries);
  const txt = new DnsCache(recordTypes.TXT, context, cacheEntries);
  const nsCache = (from: readonly Resolver[]) =>
    new DnsCache(recordTypes.NS, { ...context, resolvers: from }, cacheEntries, maxNsSeconds);
  const ns = nsCache(resolvers);
  const nsBy = resolvers.map((resolver) => nsCache([resolver]));
  const ptr = new DnsCache(recordTypes.PTR, context, cacheEntries);

  return {
    mx: (domain, caller) => mx.ask(normalizeName(domain), caller),
    addresses: (host, caller) => bothFamilies(a, aaaa, normalizeName(host), caller),
    txt: (name, caller) => txt.ask(normalizeName(name), caller),
    ns: (name, caller, by) => ((by === undefined ? undefined : nsBy[by]) ?? ns).ask(normalizeName(name), caller),
    reverse: async (ip, caller) => {
      const name = reverseName(ip);
      return name === null ? { state: 'failed', why: 'malformed' } : ptr.ask(name, caller);
    },
    close: () => {
      for (const cache of [mx, a, aaaa, txt, ns, ...nsBy, ptr]) cache.cancelAll();
      for (const { client } of resolvers) client.close();
    },
  };
}

/** The name in lower case, without a trailing dot. */
function normalizeName(name: string): string {
  const lower = name.toLowerCase();
  return lower.endsWith('.') ? lower.slice(0, -1) : lower;
}

async function bothFamilies(
  a: DnsCache<string>,
  aaaa: DnsCache<string>,
  name: string,
  caller?: Caller,
): Promise<DnsAnswer<string>> {
  // In this order the AAAA answer has mostly arrived when the A answer does.
  const second = aaaa.ask(name, caller);
  let arrived: DnsAnswer<string> | null = null;
  second.then(
    (v6) => {
      arrived = v6;
    },
    () => {},
  );
  const v4 = await a.ask(name, caller);
  if (arrived !== null || v4.state !== 'found') return mergeFamilies(v4, arrived ?? (await second));
  return new Promise((resolve, reject) => {
    const graceTimer = setTimeout(resolve, secondFamilyGraceMs, v4);
    second.then((v6) => resolve(mergeFamilies(v4, v6)), reject).finally(() => clearTimeout(graceTimer));
  });
}

function mergeFamilies(v4: DnsAnswer<string>, v6: DnsAnswer<string>): DnsAnswer<string> {
  if (v4.state === 'found' && v6.state === 'found') return { state: 'found', records: [...v4.records, ...v6.records] };
  if (v4.state === 'found' || v6.state === 'found') return v4.state === 'found' ? v4 : v6;
  if (v4.state === 'failed' || v6.state === 'failed') return v4.state === 'failed' ? v4 : v6;
  return v4.why === 'nxdomain' ? v4 : v6;
}
