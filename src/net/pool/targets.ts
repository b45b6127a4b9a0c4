import { isIPv4 } from 'node:net';
import type { MailRoute } from '../../model/evidence.js';
import type { Target } from '../smtp/dial.js';

const maxTargets = 9;
const maxAddressesPerHost = 3;

/** The addresses of a route in the order to dial them: by host, IPv4 first, since hosts are stricter with strangers over IPv6. */
export function targetsOf(route: MailRoute, port: number): Target[] {
  return route.hosts
    .flatMap(({ name, addresses }) => {
      const ordered = [...addresses.filter(isIPv4), ...addresses.filter((ip) => !isIPv4(ip))];
      return ordered.slice(0, maxAddressesPerHost).map((ip) => ({ host: name, ip, port }));
    })
    .slice(0, maxTargets);
}
