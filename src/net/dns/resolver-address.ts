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
  // Loaded on demand: most commands do not need node:dns.
  return process.getBuiltinModule('node:dns').getServers();
}

/** Parses `IP`, `IPv4:PORT` or `[IPv6]:PORT`; throws a Failure for anything else. */
export function parseResolver(text: string): ResolverAddress {
  const { host, port } = parseResolverHost(text);
  const family = isIP(host);
  if (family === 0) throw invalidAddress(text);
  return { ip: host, family: family === 4 ? 4 : 6, port };
}

/** Replaces the names of resolvers by the addresses that the system resolves them to. */
export function lookUpResolvers(resolvers: readonly string[]): Promise<string[]> {
  return Promise.all(
    resolvers.map(async (text) => {
      const { host, port } = parseResolverHost(text);
      if (isIP(host) !== 0) return text;
      try {
        const { address, family } = await process.getBuiltinModule('node:dns').promises.lookup(host);
        return family === 4 ? `${address}:${port}` : `[${address}]:${port}`;
      } catch (cause) {
        throw new Failure('usage', `The resolver "${host}" cannot be looked up.`, {
          hint: 'Give its IP address, or a name that this machine knows.',
          cause,
        });
      }
    }),
  );
}

/** The IP address or name of a resolver, and its port; throws a Failure for text that is neither. */
export function parseResolverHost(text: string): { host: string; port: number } {
  const trimmed = text.trim();
  const bareFamily = isIP(trimmed);
  const match = bareFamily === 0 ? /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(trimmed) : null;
  const written = bareFamily === 0 ? (match?.[1] ?? match?.[2] ?? '') : trimmed;
  const host = written.toLowerCase() === 'localhost' ? '127.0.0.1' : written;
  const port = Number(match?.[3] ?? 53);
  const isName = match?.[1] === undefined && /^(?=.*[a-z])[\w.-]{1,253}$/i.test(host);
  if ((isIP(host) === 0 && !isName) || port < 1 || port > 65_535) throw invalidAddress(text);
  return { host, port };
}

function invalidAddress(text: string): Failure {
  return new Failure('usage', `"${text}" is not the address of a DNS resolver.`, {
    hint: 'Write an IP address or a name, with a port if it is not 53: 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353.',
  });
}
