import { BlockList } from 'node:net';
import { LruMap } from '../async/lru-map.js';
import { Failure } from '../model/failure.js';
import { formatIp, parseIp } from './ip-address.js';

/** Networks of both families. An IPv4 address in an IPv6 one (`::ffff:10.0.0.1`) is in the networks of IPv4. */
export class Networks {
  private readonly ipv4 = new BlockList();
  private readonly ipv6 = new BlockList();

  /** Parses `10.0.0.0/8`, `fd00::/8` or a single address; throws a Failure for anything else. */
  constructor(cidrs: readonly string[]) {
    for (const cidr of cidrs) if (!this.add(cidr)) throw notANetwork(cidr);
  }

  contains(ip: string): boolean {
    const bytes = parseIp(ip);
    if (bytes === null) return false;
    const address = formatIp(bytes);
    if (bytes.length === 4) return this.ipv4.check(address);
    return this.ipv6.check(address, 'ipv6') || this.ipv4.check(address, 'ipv6');
  }

  private add(cidr: string): boolean {
    const [ip = '', prefix, ...more] = cidr.trim().split('/');
    const bytes = ip.includes('%') ? null : parseIp(ip);
    if (bytes === null || more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return false;
    const bits = bytes.length * 8;
    if (Number(prefix ?? bits) > bits) return false;
    const [list, family] = bits === 32 ? ([this.ipv4, 'ipv4'] as const) : ([this.ipv6, 'ipv6'] as const);
    list.addSubnet(formatIp(bytes), Number(prefix ?? bits), family);
    return true;
  }
}

function notANetwork(cidr: string): Failure {
  return new Failure('usage', `"${cidr}" is not a network.`, {
    hint: 'Write an address and the length of its prefix, e.g. 10.0.0.0/8 or fd00::/8, or a single address.',
  });
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

/** The first bytes of IPv6 addresses that embed an IPv4 address, and its offset: mapped (RFC 4291 §2.5.5.2), NAT64 (RFC 6052), 6to4 (RFC 3056). */
const carriers = [
  ['00000000000000000000ffff', 12],
  ['0064ff9b0000000000000000', 12],
  ['2002', 2],
] as const;

/** Whether the address is globally reachable; false for text that is not an IP address. */
export function isGlobal(ip: string): boolean {
  const bytes = parseIp(ip);
  if (bytes === null) return false;
  const hex = bytes.length === 4 ? '' : Buffer.from(bytes).toString('hex');
  const [, at] = carriers.find(([prefix]) => hex.startsWith(prefix)) ?? [];
  if (at !== undefined) return isGlobal(formatIp(bytes.subarray(at, at + 4)));
  return !special.contains(ip) || reachable.contains(ip);
}

/** Many domains share a mail host, and a check takes longer than reading a DNS reply. */
const checked = new LruMap<boolean>({ maxEntries: 10_000 });

/** Whether a request or a probe may be sent to the IP address. */
export function isAllowedAddress(ip: string, allowed: Networks): boolean {
  return checked.getOrCreate(ip, isGlobal) || allowed.contains(ip);
}
