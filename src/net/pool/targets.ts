import { isIP, isIPv4 } from 'node:net';
import type { MailRoute } from '../../model/evidence.js';
import type { Target } from '../smtp/dial.js';

const maxTargets = 9;
const maxAddressesPerHost = 3;

/**
 * The addresses of a route in the order to dial: by host, IPv4 first, since hosts are stricter with unknown clients over IPv6. With
 * `sourceIp`, only those of its address family.
 */
export function targetsOf(route: MailRoute, port: number, sourceIp: string | null = null): Target[] {
  return route.hosts
    .flatMap(({ name, addresses }) => {
      const usable = sourceIp === null ? addresses : addresses.filter((ip) => isIP(ip) === isIP(sourceIp));
      const ordered = [...usable.filter(isIPv4), ...usable.filter((ip) => !isIPv4(ip))];
      return ordered.slice(0, maxAddressesPerHost).map((ip) => ({ host: name, ip, port }));
    })
    .slice(0, maxTargets);
}
