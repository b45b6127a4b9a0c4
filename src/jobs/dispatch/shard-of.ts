import { createHash } from 'node:crypto';
import type { ProbeRequest } from '../../net/probe/prober.js';

/** Lanes for mail hosts; each has one holder, and a host is always in the same one, whatever it is called. */
export const shardCount = 1_024;

/** Whom a mailbox is asked of, and in which lane. */
interface Destination {
  /** A large provider, or the first mail host. */
  rateLimitGroup: string;
  shard: string;
}

/**
 * Where a question goes. Mail hosts share lanes with one holder each, so that what one worker keeps to is kept by all. A large
 * provider bears so much from each address that every worker may ask it, each within its own limits: its lane is open.
 */
export function destinationOf(
  { route, provider, address }: Pick<ProbeRequest, 'route' | 'provider' | 'address'>,
  isLarge: (provider: string) => boolean,
): Destination {
  if (provider !== null && isLarge(provider)) return { rateLimitGroup: provider, shard: `@${provider}` };
  const host = route.hosts.find(({ addresses }) => addresses.length > 0);
  const party = (host?.name || address.domain).toLowerCase();
  // Limits are those of an address, and thousands of domains may each have a name of their own for one.
  const [first = party] = [...(host?.addresses ?? [])].sort();
  return { rateLimitGroup: party, shard: shardOf(first) };
}

/** The lane of a mail host by its address, or by its name where it has none. */
export function shardOf(host: string): string {
  return String(createHash('sha1').update(host).digest().readUInt32BE(0) % shardCount);
}

/** Every worker may ask in it, and nobody holds it. */
export function isSharedShard(lane: string): boolean {
  return lane.startsWith('@');
}
