import type { Caller } from '../../async/caller.js';
import type { Address } from '../../model/address.js';
import type { MailHost, MailRoute, RouteReason } from '../../model/evidence.js';
import type { Outcome } from '../../model/outcome.js';
import type { Dns } from '../../net/dns/dns.js';
import type { DnsAnswer, MxRecord } from '../../net/dns/records.js';
import { parseIp } from '../../net/ip-address.js';
import { isAllowedAddress, type Networks } from '../../net/ip-range.js';
import type { ResolverTrust } from './resolver-trust.js';

interface MailExchangeContext {
  dns: Dns;
  /** Non-public networks whose mail servers may be probed. */
  allowNetworks: Networks;
  trust: ResolverTrust;
  /** Stop after this many hosts: one proves the route, more are fallbacks. */
  maxUsableHosts?: number;
  /** Awaited before an unanswered query becomes the outcome. */
  onUnanswered?: () => Promise<void>;
}

/** A name, and the resolver that denied it. */
type Denial = [name: string, by: number | undefined];
type Route = Outcome<MailRoute, RouteReason>;
type Absence = Extract<DnsAnswer<never>, { state: 'absent' }>;
type DnsFailure = Extract<DnsAnswer<never>, { state: 'failed' }>;

/** Limit for domains with many MX records. */
const maxHosts = 16;

/** The mail route of the address with its usable host addresses, or why there is none. */
export async function checkMailExchange(
  { domain, literal }: Pick<Address, 'domain' | 'literal'>,
  context: MailExchangeContext,
  caller?: Caller,
): Promise<Route> {
  if (literal !== null) return routeToAddresses(domain, [literal.ip], context);
  const answer = await context.dns.mx(domain, caller);
  switch (answer.state) {
    case 'failed':
      return unanswered(answer, context);
    case 'absent':
      return checkImplicit(domain, answer, context, caller);
    case 'found':
      return checkHosts(answer.records, context, caller);
  }
}

/** RFC 5321 §5.1: without an MX, the domain is its own mail server. */
async function checkImplicit(
  domain: string,
  mx: Absence,
  context: MailExchangeContext,
  caller?: Caller,
): Promise<Route> {
  const { dns, trust } = context;
  // Some load balancers answer NXDOMAIN for every type but A, so A is queried even then.
  const answer = await dns.addresses(domain, caller);
  if (answer.state === 'failed') return unanswered(answer, context);
  if (answer.state === 'absent')
    return absentUnlessDoubted(
      [mx, answer].map(({ by }) => [domain, by]),
      context,
      caller,
    );
  const doubt = await trust.doubtAddress(domain, caller);
  if (doubt === null) return routeToAddresses(domain, answer.records, context);
  return mx.why === 'nxdomain' && doubt === 'resolver_invents_answers'
    ? absentUnlessDoubted([[domain, mx.by]], context, caller)
    : doubted(doubt, context);
}

function routeToAddresses(name: string, addresses: readonly string[], context: MailExchangeContext): Route {
  const usable = usableAddresses(addresses, context.allowNetworks);
  if (usable.length === 0) return { state: 'failed', reason: 'unroutable_ip_address' };
  return { state: 'passed', detail: { hosts: [{ name, preference: 0, addresses: usable }], implicit: true } };
}

async function checkHosts(records: readonly MxRecord[], context: MailExchangeContext, caller?: Caller): Promise<Route> {
  // RFC 7505 §3: a null MX must be the only record; next to others it is ignored.
  const namedRecords = records.filter(({ exchange }) => exchange !== '').sort((a, b) => a.preference - b.preference);
  if (namedRecords.length === 0) return { state: 'failed', reason: 'null_mx' };

  const hosts: MailHost[] = [];
  const deniedHosts: Denial[] = [];
  let failure: DnsFailure | null = null;
  const unroutableHosts: string[] = [];
  const candidates = namedRecords.slice(0, maxHosts);
  const maxUsableHosts = context.maxUsableHosts ?? 4;
  for (let next = 0; next < candidates.length && hosts.length < maxUsableHosts; ) {
    const batch = candidates.slice(next, next + maxUsableHosts - hosts.length);
    next += batch.length;
    const answers = await Promise.all(batch.map(({ exchange }) => hostAddresses(exchange, context.dns, caller)));
    for (const [index, record] of batch.entries()) {
      const answer = answers[index];
      if (answer?.state === 'found') {
        const addresses = usableAddresses(answer.records, context.allowNetworks);
        if (addresses.length > 0) hosts.push({ name: record.exchange, preference: record.preference, addresses });
        else unroutableHosts.push(record.exchange);
      } else if (answer?.state === 'failed') failure ??= answer;
      else if (parseIp(record.exchange) === null) deniedHosts.push([record.exchange, answer?.by]);
    }
  }
  if (hosts.length > 0) return { state: 'passed', detail: { hosts, implicit: false } };
  if (failure !== null) return unanswered(failure, context);
  if (namedRecords.length > maxHosts) return { state: 'unknown', reason: 'dns_malformed' };
  const [unroutable] = unroutableHosts;
  if (unroutable === undefined) return absentUnlessDoubted(deniedHosts, context, caller);
  const doubt = await context.trust.doubtAddress(unroutable, caller);
  return doubt === null ? { state: 'failed', reason: 'unroutable_ip_address' } : doubted(doubt, context);
}

async function hostAddresses(host: string, dns: Dns, caller?: Caller): Promise<DnsAnswer<string>> {
  // RFC 5321 §5.1: an MX names a host; an IP address is invalid.
  if (parseIp(host) !== null) return { state: 'absent', why: 'nodata' };
  // RFC 6761 §6.3: resolvers may deny this name, but it means this machine.
  if (host === 'localhost' || host.endsWith('.localhost')) return { state: 'found', records: ['127.0.0.1'] };
  return dns.addresses(host, caller);
}

/** There is no mail server, unless the resolver's denials prove nothing. */
async function absentUnlessDoubted(
  denials: readonly Denial[],
  context: MailExchangeContext,
  caller?: Caller,
): Promise<Route> {
  for (const [name, by] of denials) {
    const doubt = await context.trust.doubtDenial(name, caller, by);
    if (doubt !== null) return doubted(doubt, context);
  }
  return { state: 'failed', reason: 'no_dns_entries' };
}

async function doubted(reason: RouteReason, { onUnanswered }: MailExchangeContext): Promise<Route> {
  if (reason === 'resolver_not_confirmed') await onUnanswered?.();
  return { state: 'unknown', reason };
}

async function unanswered({ why }: DnsFailure, { onUnanswered }: MailExchangeContext): Promise<Route> {
  await onUnanswered?.();
  return { state: 'unknown', reason: `dns_${why}` };
}

function usableAddresses(addresses: readonly string[], allowNetworks: Networks): string[] {
  return addresses.filter((ip) => isAllowedAddress(ip, allowNetworks));
}
