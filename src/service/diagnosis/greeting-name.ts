import { localCallerWith } from '../../async/caller.js';
import type { Dns } from '../../net/dns/dns.js';
import { reverseName } from '../../net/dns/record-types.js';
import { isGlobal } from '../../net/ip-range.js';
import type { Greeting } from '../../net/smtp/greeting.js';
import { type Check, ok, skipped, warn } from './check.js';

/** The public address of this machine, and its source. */
interface OwnAddress {
  ip: string;
  source: 'mail_host' | 'connection' | 'interface';
}

/**
 * The public address: as echoed by a mail server, otherwise of our end of a connection, otherwise of an interface. Null behind
 * NAT.
 */
export function findOwnAddress(
  greetings: readonly Greeting[],
  localAddresses: readonly string[],
  hasProxy: boolean,
): OwnAddress | null {
  for (const { ehlo, target } of greetings) {
    // Large hosts answer EHLO with `… at your service, [192.0.2.1]` or `[IPv6:2001:db8::1]`.
    const text = ehlo === null || ehlo.code >= 400 ? '' : ehlo.text.toLowerCase().replaceAll('ipv6:', ' ');
    const tokens = text.split(/[^0-9a-f.:]+/);
    const echoed = tokens.find((token) => token !== target.ip && isGlobal(token));
    if (echoed !== undefined) return { ip: echoed, source: 'mail_host' };
  }
  if (hasProxy) return null;
  const ourAddresses = greetings.flatMap(({ ourIp }) => (ourIp === null ? [] : [ourIp]));
  const connection = ourAddresses.find(isGlobal);
  if (connection !== undefined) return { ip: connection, source: 'connection' };
  const ownAddress = localAddresses.find(isGlobal);
  return ownAddress === undefined ? null : { ip: ownAddress, source: 'interface' };
}

interface GreetingNameOptions {
  /** Null: the address literal of each connection. */
  ehloName: string | null;
  ownAddress: OwnAddress | null;
  dns: Dns;
  signal: AbortSignal;
}

const name = 'ehlo_name';
const ehloNameHint = (host: string) =>
  `Use it in EHLO: --set ehlo_name=${host}, or permanently: mailvet config set ehlo_name ${host}`;

const laterHint = 'Run it again later, or with another DNS server: --set resolvers=HOST';

/** Checks forward-confirmed reverse DNS of the EHLO name. */
export async function checkGreetingName({ ehloName, ownAddress, dns, signal }: GreetingNameOptions): Promise<Check> {
  const isEhloName = (host: string): boolean => host.toLowerCase() === ehloName?.toLowerCase();
  const facts = { ehlo_name: ehloName, ip: ownAddress?.ip ?? null, ip_source: ownAddress?.source ?? null };
  if (ownAddress === null) return checkNameAlone(ehloName, dns, signal, facts);
  const { ip } = ownAddress;
  const reverse = await dns.reverse(ip, localCallerWith(signal));
  if (reverse.state === 'failed') {
    const message = `Whether ${ip} has a reverse name could not be determined (${reverse.why}).`;
    return warn(name, message, { hint: laterHint, facts });
  }
  if (reverse.state === 'absent') {
    return warn(name, `Our address ${ip} has no reverse DNS name; many mail servers refuse such senders.`, {
      hint: 'Ask your provider to set one (a PTR record), or run mailvet on another machine.',
      facts: { ...facts, reverse: [] },
    });
  }
  // Only the first are confirmed; the name that we use is one of them.
  const names = reverse.records.toSorted((one, other) => Number(isEhloName(other)) - Number(isEhloName(one)));
  const { confirmed, failure } = await confirmNames(names, ip, dns, signal);
  const finding = (message: string, hint: string): Check =>
    warn(name, message, { hint, facts: { ...facts, reverse: names, confirmed } });
  const [first] = confirmed;
  if (first === undefined && failure !== null)
    return finding(`Whether ${names.join(', ')} resolves to ${ip} could not be determined (${failure}).`, laterHint);
  if (first === undefined) {
    const message = `${ip} resolves back to ${names.join(', ')}, which does not resolve to it again.`;
    return finding(message, `Give ${names[0]} an address record for ${ip}.`);
  }
  const greeting = ehloName ?? 'our address in brackets';
  if (ehloName === null || !confirmed.includes(ehloName.toLowerCase()))
    return finding(`We greet as ${greeting}, but ${ip} resolves back to ${first}.`, ehloNameHint(first));
  const isConfirmed = `We greet as ${ehloName}, and ${ip} resolves to it and back.`;
  return ok(name, isConfirmed, { facts: { ...facts, reverse: names, confirmed } });
}

/** The names of the address that resolve to it (RFC 1912 §2.1), and why a lookup failed, if one did. */
async function confirmNames(names: readonly string[], ip: string, dns: Dns, signal: AbortSignal) {
  // An address may have thousands of names.
  const lookups = names.slice(0, 5).map(async (hostName) => {
    return { hostName: hostName.toLowerCase(), answer: await dns.addresses(hostName, localCallerWith(signal)) };
  });
  const answers = await Promise.all(lookups);
  const confirmed = answers.filter(({ answer }) => answer.state === 'found' && answer.records.includes(ip));
  const failures = answers.flatMap(({ answer }) => (answer.state === 'failed' ? [answer.why] : []));
  return { confirmed: confirmed.map(({ hostName }) => hostName), failure: failures[0] ?? null };
}

async function checkNameAlone(
  ehloName: string | null,
  dns: Dns,
  signal: AbortSignal,
  facts: Record<string, unknown>,
): Promise<Check> {
  const unknownAddress = 'The public address of this machine is unknown';
  if (ehloName === null || ehloName.startsWith('[')) {
    const message = `${unknownAddress}, and we greet with our address in brackets, which some mail servers refuse.`;
    return warn(name, message, {
      hint: 'Give a name that resolves to your public address: --set ehlo_name=NAME',
      facts,
    });
  }
  const answer = await dns.addresses(ehloName, localCallerWith(signal));
  if (answer.state === 'found') {
    const message = `${unknownAddress}; we greet as ${ehloName}, which resolves to ${answer.records.slice(0, 4).join(', ')}.`;
    return skipped(name, message, { facts });
  }
  const problem = answer.state === 'absent' ? 'does not resolve' : `could not be resolved (${answer.why})`;
  return warn(name, `We greet as ${ehloName}, which ${problem}; some mail servers refuse that.`, {
    hint: 'Greet with a name that resolves to your public address: --set ehlo_name=NAME',
    facts,
  });
}

/** Lists that large mail servers use, and that answer without registration. */
const blockLists = ['zen.spamhaus.org', 'bl.spamcop.net', 'psbl.surriel.org'] as const;

/** Whether our address is on them (RFC 5782 §2.1: an address record below 127.0.0.0/8 says so). */
export async function checkBlockLists(ip: string | null, dns: Dns, signal: AbortSignal): Promise<Check> {
  const name = 'block_lists';
  const label = ip === null ? null : reverseName(ip)?.replace(/\.(?:in-addr|ip6)\.arpa$/, '');
  if (label == null) return skipped(name, 'The public address of this machine is unknown, so no block list was asked.');
  const answers = await Promise.all(
    blockLists.map(async (list) => {
      const answer = await dns.addresses(`${label}.${list}`, localCallerWith(signal));
      const codes = answer.state === 'found' ? answer.records.filter((record) => record.startsWith('127.')) : [];
      // 127.255.255.x: the list does not answer this resolver, for example a public one.
      const isAnswered = answer.state === 'absent' || codes.some((code) => !code.startsWith('127.255.'));
      return { list, codes, state: !isAnswered ? 'unknown' : codes.length > 0 ? 'listed' : 'clean' };
    }),
  );
  const named = (state: string): string =>
    answers.flatMap((each) => (each.state === state ? [each.list] : [])).join(', ');
  const [listed, clean, unknown] = [named('listed'), named('clean'), named('unknown')];
  const facts = { ip, lists: answers };
  const others = unknown === '' ? '.' : `; no usable answer of ${unknown}.`;
  if (listed !== '') {
    const hint = `Look up why, and ask to be removed: https://${listed.split(',')[0]?.split('.').slice(-2).join('.')}. Or use another address: the settings source_ip and proxy.`;
    return warn(name, `${ip} is on ${listed}, so many mail servers refuse us${others}`, { hint, facts });
  }
  if (clean === '') return skipped(name, `No block list answered this DNS server: ${unknown}.`, { facts });
  return ok(name, `${ip} is not on ${clean}${others}`, { facts });
}
