import { isIP } from 'node:net';
import { Failure } from '../../model/failure.js';

/** The address of a resolver. */
export interface ResolverAddress {
  ip: string;
  family: 4 | 6;
  port: number;
}

/** The resolvers of this system. */
export function systemResolvers(): string[] {
  // Loaded on demand: nothing else uses it.
  return process.getBuiltinModule('node:dns').getServers();
}

/** Parses `IP`, `IPv4:PORT` or `[IPv6]:PORT`; throws a Failure for anything else. */
export function parseResolver(text: string): ResolverAddress {
  const trimmed = text.trim();
  const bareFamily = isIP(trimmed);
  const match = bareFamily === 0 ? /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(trimmed) : null;
  const host = bareFamily === 0 ? (match?.[1] ?? match?.[2] ?? '') : trimmed;
  const ip = host.toLowerCase() === 'localhost' ? '127.0.0.1' : host;
  const family = isIP(ip);
  const port = Number(match?.[3] ?? 53);
  if (ip === '' || port < 1 || port > 65_535) throw invalidAddress(text);
  if (family === 0) throw /^(?=.*[a-z])[\w.-]+$/i.test(host) ? nameNotAllowed(host) : invalidAddress(text);
  return { ip, family: family === 4 ? 4 : 6, port };
}

function invalidAddress(text: string): Failure {
  return new Failure('usage', `"${text}" is not the address of a DNS resolver.`, {
    hint: 'Write an IP address, with a port if it is not 53: 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353.',
  });
}

/** A name would have to be resolved by the resolver that the user wants to bypass. */
function nameNotAllowed(host: string): Failure {
  return new Failure('usage', `The resolver "${host}" is a name, but a resolver must be an IP address.`, {
    hint: `Look it up once (e.g. with: getent hosts ${host}) and give the address.`,
  });
}
