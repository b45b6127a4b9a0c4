import { LruMap } from '../async/lru-map.js';
import { Failure } from '../model/failure.js';
import { formatIp, parseIp } from './ip-address.js';

interface Network {
  start: Uint8Array;
  /** The length of the prefix. */
  bits: number;
}

/** Networks of both families. An IPv4 address in an IPv6 one (`::ffff:10.0.0.1`) is in the networks of IPv4. */
export class Networks {
  private readonly networks: readonly Network[];

  /** Parses `10.0.0.0/8`, `fd00::/8` or a single address; throws a Failure for anything else. */
  constructor(cidrs: readonly string[]) {
    this.networks = cidrs.map(parseNetwork);
  }

  contains(ip: string): boolean {
    const bytes = parseIp(ip);
    if (bytes === null) return false;
    const inner = embeddedIpv4(bytes, [mapped]);
    return this.networks.some((network) => isIn(bytes, network) || (inner !== null && isIn(inner, network)));
  }
}

function parseNetwork(cidr: string): Network {
  const [ip = '', prefix, ...more] = cidr.trim().split('/');
  const start = ip.includes('%') ? null : parseIp(ip);
  if (start === null || more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) throw notANetwork(cidr);
  const bits = Number(prefix ?? start.length * 8);
  if (bits > start.length * 8) throw notANetwork(cidr);
  return { start, bits };
}

function isIn(bytes: Uint8Array, { start, bits }: Network): boolean {
  if (bytes.length !== start.length) return false;
  const wholeBytes = bits >> 3;
  for (let at = 0; at < wholeBytes; at++) if (bytes[at] !== start[at]) return false;
  const difference = (bytes[wholeBytes] ?? 0) ^ (start[wholeBytes] ?? 0);
  return difference >> (8 - (bits & 7)) === 0;
}

function notANetwork(cidr: string): Failure {
  return new Failure('usage', `"${cidr}" is not a network.`, {
    hint: 'Write an address and the length of its prefix, e.g. 10.0.0.0/8 or fd00::/8, or a single address.',
  });
}

/** The first bytes of an IPv6 address that embeds an IPv4 address (RFC 4291 §2.5.5.2), and its offset. */
const mapped = ['00000000000000000000ffff', 12] as const;
/** Also NAT64 (RFC 6052) and 6to4 (RFC 3056). */
const carriers = [mapped, ['0064ff9b0000000000000000', 12], ['2002', 2]] as const;

function embeddedIpv4(bytes: Uint8Array, prefixes: readonly (readonly [string, number])[]): Uint8Array | null {
  if (bytes.length === 4) return null;
  const hex = Buffer.from(bytes).toString('hex');
  const [, at] = prefixes.find(([prefix]) => hex.startsWith(prefix)) ?? [];
  return at === undefined ? null : bytes.subarray(at, at + 4);
}

/** Not globally reachable. */
const special = new Networks([
  // The IANA IPv4 Special-Purpose Address Registry, multicast, the reserved block, and the host services of Azure.
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  // All but the only block for global unicast, 2000::/3 (RFC 4291 §2.4), and the IANA IPv6 Special-Purpose Address Registry.
  ...['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '3fff::/20'],
]);
/** Reachable parts of 2001::/23. */
const reachable = new Networks(['2001:3::/32', '2001:4:112::/48']);

/** Whether the address is globally reachable; false for text that is not an IP address. */
export function isGlobal(ip: string): boolean {
  const bytes = parseIp(ip);
  if (bytes === null) return false;
  const inner = embeddedIpv4(bytes, carriers);
  if (inner !== null) return isGlobal(formatIp(inner));
  return !special.contains(ip) || reachable.contains(ip);
}

/** Many domains share a mail host, and a check takes longer than reading a DNS reply. */
const checked = new LruMap<boolean>({ maxEntries: 10_000 });

/** Whether a request or a probe may be sent to the IP address. */
export function isAllowedAddress(ip: string, allowed: Networks): boolean {
  return checked.getOrCreate(ip, isGlobal) || allowed.contains(ip);
}
