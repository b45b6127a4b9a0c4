import { createHash } from 'node:crypto';
import type { ProbeRequest } from '../../net/probe/prober.js';

/** Shards of mail hosts. Each has one owner. A host with several addresses is in the shard of its first one. */
export const shardCount = 1_024;

/**
 * The shard of a probe, and its rate limit group: a large provider, or the first mail host. A shard has one owner, so that the
 * limits for a mail host hold over all workers. A large provider accepts many sessions from each address: its shard is shared, and
 * each worker keeps its own limits.
 */
export function destinationOf(
  { route, provider, address }: Pick<ProbeRequest, 'route' | 'provider' | 'address'>,
  isLarge: (provider: string) => boolean,
) {
  if (provider !== null && isLarge(provider)) return { rateLimitGroup: provider, shard: `@${provider}` };
  const host = route.hosts.find(({ addresses }) => addresses.length > 0);
  const rateLimitGroup = (host?.name || address.domain).toLowerCase();
  // Limits apply to an address, and thousands of domains may have their own name for one.
  const [first = rateLimitGroup] = [...(host?.addresses ?? [])].sort();
  return { rateLimitGroup, shard: shardOf(first) };
}

/** The shard of a mail host by its address, or by its name if that is unknown. */
export function shardOf(host: string): string {
  return String(createHash('sha1').update(host).digest().readUInt32BE(0) % shardCount);
}

/** Whether every worker may probe in the shard and none owns it. */
export function isSharedShard(shard: string): boolean {
  return shard.startsWith('@');
}
