import { Failure } from '../model/failure.js';
import { parseIp } from './ip-address.js';

interface Network {
  bytes: Uint8Array;
  prefix: number;
}

function covers({ bytes, prefix }: Network, ip: Uint8Array): boolean {
  if (ip.length !== bytes.length) return false;
  const wholeBytes = prefix >> 3;
  for (let index = 0; index < wholeBytes; index++) if (ip[index] !== bytes[index]) return false;
  const remainingBits = prefix & 7;
  return (
    remainingBits === 0 ||
    (((ip[wholeBytes] ?? 0) ^ (bytes[wholeBytes] ?? 0)) & (0xff << (8 - remainingBits)) & 0xff) === 0
  );
}

function parseNetwork(cidr: string): Network | null {
  const [ip = '', prefixText, ...more] = cidr.trim().split('/');
  const bytes = ip.includes('%') ? null : parseIp(ip);
  if (bytes === null || more.length > 0 || (prefixText !== undefined && !/^\d{1,3}$/.test(prefixText))) return null;
  const prefix = prefixText === undefined ? bytes.length * 8 : Number(prefixText);
  return prefix > bytes.length * 8 ? null : { bytes, prefix };
}

function parseKnownNetworks(...cidrs: string[]): Network[] {
  return cidrs.map(parseNetwork).filter((found) => found !== null);
}

/** Not globally reachable: the IANA IPv4 Special-Purpose Address Registry, multicast, the reserved block, and the host services of Azure. */
const special4 = parseKnownNetworks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
);

/** Parsed at the first IPv6 address. */
function ipv6Networks() {
  return {
    /** The only block for global unicast (RFC 4291 §2.4); loopback, unique-local, link-local and multicast lie outside. */
    unicast: parseKnownNetworks('2000::/3'),
    /** Exceptions in it: the IANA IPv6 Special-Purpose Address Registry. */
    special: parseKnownNetworks('2001::/23', '2001:db8::/32', '3fff::/20'),
    /** Reachable parts of 2001::/23. */
    reachable: parseKnownNetworks('2001:3::/32', '2001:4:112::/48'),
    /** Networks that embed an IPv4 address, and its offset: mapped (RFC 4291 §2.5.5.2), NAT64 (RFC 6052), 6to4 (RFC 3056). */
    mapped: parseKnownNetworks('::ffff:0:0/96'),
    carriers: [
      { at: 12, networks: parseKnownNetworks('::ffff:0:0/96', '64:ff9b::/96') },
      { at: 2, networks: parseKnownNetworks('2002::/16') },
    ],
  };
}

let cachedIpv6Networks: ReturnType<typeof ipv6Networks> | null = null;

function cachedNetworks(): ReturnType<typeof ipv6Networks> {
  cachedIpv6Networks ??= ipv6Networks();
  return cachedIpv6Networks;
}

/** Whether the address is globally reachable; false for text that is not an IP address. */
export function isGlobal(ip: string): boolean {
  const bytes = parseIp(ip);
  return bytes !== null && isGlobalBytes(bytes);
}

function isGlobalBytes(bytes: Uint8Array): boolean {
  const containsAddress = (each: Network) => covers(each, bytes);
  if (bytes.length === 4) return !special4.some(containsAddress);
  const { unicast, special, reachable, carriers } = cachedNetworks();
  for (const carrier of carriers) {
    if (carrier.networks.some(containsAddress)) return isGlobalBytes(bytes.subarray(carrier.at, carrier.at + 4));
  }
  return unicast.some(containsAddress) && (!special.some(containsAddress) || reachable.some(containsAddress));
}

/** The networks that the user allowed. */
export interface Networks {
  contains(ip: string): boolean;
}

/** Parses `10.0.0.0/8`, `fd00::/8` or a single address; throws a Failure for anything else. */
export function parseNetworks(cidrs: readonly string[]): Networks {
  const allowed = cidrs.map((cidr) => {
    const network = parseNetwork(cidr);
    if (network !== null) return network;
    throw new Failure('usage', `"${cidr}" is not a network.`, {
      hint: 'Write an address and the length of its prefix, e.g. 10.0.0.0/8 or fd00::/8, or a single address.',
    });
  });
  return {
    contains: (ip) => {
      const bytes = allowed.length === 0 ? null : parseIp(ip);
      if (bytes === null) return false;
      const isMapped = bytes.length === 16 && cachedNetworks().mapped.some((each) => covers(each, bytes));
      const inner = isMapped ? bytes.subarray(12) : bytes;
      return allowed.some((each) => covers(each, bytes) || covers(each, inner));
    },
  };
}
