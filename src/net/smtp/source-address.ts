import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import { Failure } from '../../model/failure.js';
import { chooseDial, type OutboundRoute } from './dial.js';

/** Throws a Failure if the route cannot work, as far as this machine can tell without dialing. */
export async function checkOutboundRoute(route: OutboundRoute): Promise<void> {
  chooseDial(route);
  if (route.sourceIp != null) await checkBindable(route.sourceIp);
}

/** Binds to the address: the interface list omits addresses such as most of 127.0.0.0/8. */
function checkBindable(ip: string): Promise<void> {
  const socket = createSocket(isIPv4(ip) ? 'udp4' : 'udp6');
  return new Promise<void>((resolve, reject) => {
    socket.once('error', (error) => reject(unknownSourceAddress(ip, error)));
    socket.bind({ address: ip, port: 0, exclusive: true }, resolve);
  }).finally(() => socket.close());
}

function unknownSourceAddress(ip: string, cause: NodeJS.ErrnoException): Failure {
  return new Failure(
    'usage',
    `Mail servers cannot be reached from ${ip}: this machine has no such address (${cause.code}).`,
    {
      hint: 'Set source_ip to one of the addresses that "ip address" shows, or leave it out.',
      cause,
    },
  );
}
