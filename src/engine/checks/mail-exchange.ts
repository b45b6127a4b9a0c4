import type { Address } from '../../model/address.js';
import type { MailHost, MailRoute, RouteReason } from '../../model/evidence.js';
import type { Outcome } from '../../model/outcome.js';
import { deniesAllSenders, spf } from '../../model/record-checks/spf.js';
import type { Dns } from '../../net/dns/dns.js';
import type { DnsAnswer, MxRecord } from '../../net/dns/records.js';
import { isGlobal, type Networks, parseIp } from '../../net/ip-range.js';
import type { ResolverTrust } from './resolver-trust.js';

interface MailExchangeContext {
  dns: Dns;
  /** Mail servers there may be dialled though the public Internet cannot reach them. */
  allowNetworks: Networks;
  trust: ResolverTrust;
  /** Hosts to find before the search ends: one proves that mail has a way, more are there to fall back on. */
  hostsWanted?: number;
  /** Told where DNS gave no answer, before that becomes the outcome. */
  onUnanswered?: () => Promise<void>;
}

type Route = Outcome<MailRoute, RouteReason>;
type DnsFailure = Extract<DnsAnswer<never>, { state: 'failed' }>;

/** A domain may list any number of hosts; a sender tries a few. */
const maxHosts = 16;

/** Where mail for the address goes, with addresses that may be dialled, or why it goes nowhere. */
export async function checkMailExchange(
  { domain, literal }: Pick<Address, 'domain' | 'literal'>,
  context: MailExchangeContext,
  signal?: AbortSignal,
): Promise<Route> {
  if (literal !== null) return routeToAddresses(domain, [literal.ip], context);
  const answer = await context.dns.mx(domain, signal);
  switch (answer.state) {
    case 'failed':
      return unanswered(answer, context);
    case 'absent':
      return checkImplicit(domain, answer.why === 'nxdomain', context, signal);
    case 'found':
      return checkHosts(answer.records, context, signal);
  }
}

/** RFC 5321 §5.1: without an MX, the domain is its own mail server. */
async function checkImplicit(
  domain: string,
  denied: boolean,
  context: MailExchangeContext,
  signal?: AbortSignal,
): Promise<Route> {
  const { dns, trust } = context;
  // Some load balancers deny the name for every type but A, so even NXDOMAIN is asked twice.
  const answer = await dns.addresses(domain, signal);
  if (answer.state === 'failed' && !denied) return unanswered(answer, context);
  if (answer.state !== 'found') return absent([domain], context, signal);
  if (!(await trust.believesAddress(domain, signal))) {
    return denied ? absent([domain], context, signal) : { state: 'unknown', reason: 'resolver_invents_answers' };
  }
  const policy = await spf.check(domain, { txt: (name) => dns.txt(name, signal) });
  if (policy.state === 'passed' && deniesAllSenders(policy.detail)) {
    return { state: 'failed', reason: 'spf_denies_all_without_mx' };
  }
  return routeToAddresses(domain, answer.records, context);
}

function routeToAddresses(name: string, addresses: readonly string[], context: MailExchangeContext): Route {
  const dialable = onlyDialable(addresses, context.allowNetworks);
  if (dialable.length === 0) return { state: 'failed', reason: 'unroutable_ip_address' };
  return { state: 'passed', detail: { hosts: [{ name, preference: 0, addresses: dialable }], implicit: true } };
}

async function checkHosts(
  records: readonly MxRecord[],
  context: MailExchangeContext,
  signal?: AbortSignal,
): Promise<Route> {
  // RFC 7505 §3: a null MX stands alone; beside others it says nothing.
  const named = records.filter(({ exchange }) => exchange !== '').sort((a, b) => a.preference - b.preference);
  if (named.length === 0) return { state: 'failed', reason: 'null_mx' };

  const hosts: MailHost[] = [];
  const denied: string[] = [];
  let failure: DnsFailure | null = null;
  let unroutable = false;
  const candidates = named.slice(0, maxHosts);
  const hostsWanted = context.hostsWanted ?? 4;
  for (let next = 0; next < candidates.length && hosts.length < hostsWanted; ) {
    const wave = candidates.slice(next, next + hostsWanted - hosts.length);
    next += wave.length;
    const answers = await Promise.all(wave.map(({ exchange }) => hostAddresses(exchange, context.dns, signal)));
    for (const [index, record] of wave.entries()) {
      const answer = answers[index];
      if (answer?.state === 'found') {
        const addresses = onlyDialable(answer.records, context.allowNetworks);
        if (addresses.length > 0) hosts.push({ name: record.exchange, preference: record.preference, addresses });
        else unroutable = true;
      } else if (answer?.state === 'failed') failure ??= answer;
      else denied.push(record.exchange);
    }
  }
  if (hosts.length > 0) return { state: 'passed', detail: { hosts, implicit: false } };
  if (failure !== null) return unanswered(failure, context);
  if (named.length > maxHosts) return { state: 'unknown', reason: 'dns_malformed' };
  if (unroutable) return { state: 'failed', reason: 'unroutable_ip_address' };
  return absent(denied, context, signal);
}

async function hostAddresses(host: string, dns: Dns, signal?: AbortSignal): Promise<DnsAnswer<string>> {
  // RFC 5321 §5.1: an MX names a host; an address in its place is none, and is never dialled.
  if (parseIp(host) !== null) return { state: 'absent', why: 'nodata' };
  // RFC 6761 §6.3: resolvers may deny this name, though it means the reader's own machine.
  if (host === 'localhost' || host.endsWith('.localhost')) return { state: 'found', records: ['127.0.0.1'] };
  return dns.addresses(host, signal);
}

/** Proof that there is no mail server, as far as the resolver's denials can be believed. */
async function absent(names: readonly string[], { trust }: MailExchangeContext, signal?: AbortSignal): Promise<Route> {
  for (const name of names) {
    if (!(await trust.believesDenial(name, signal))) return { state: 'unknown', reason: 'resolver_denies_everything' };
  }
  return { state: 'failed', reason: 'no_dns_entries' };
}

async function unanswered({ why }: DnsFailure, { onUnanswered }: MailExchangeContext): Promise<Route> {
  await onUnanswered?.();
  return { state: 'unknown', reason: `dns_${why}` };
}

function onlyDialable(addresses: readonly string[], allowNetworks: Networks): string[] {
  return addresses.filter((ip) => isGlobal(ip) || allowNetworks.contains(ip));
}
