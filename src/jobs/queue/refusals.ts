import { createBatcher } from '../../async/batcher.js';
import { LruMap } from '../../async/lru-map.js';
import type { ProbeAnswer, ProbeRequest, Prober } from '../../net/probe/prober.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import { isClientRefused } from './client-refusal.js';

/** Refusals in a row that count as a block. */
const refusalsUntilBlocked = 3;
const blockMs = 60 * 60_000;
const maxGroups = 10_000;

/** Counts refusals in a row for each rate limit group. */
export class RefusalCounter {
  private readonly consecutive = new LruMap<number>({ maxEntries: maxGroups });

  /** True when the group has refused often enough to be left to other workers. */
  record(rateLimitGroup: string, { mailbox }: ProbeAnswer): boolean {
    if (!isClientRefused(mailbox)) {
      // An unknown answer does not reset the count.
      if (mailbox.outcome.state !== 'unknown') this.consecutive.delete(rateLimitGroup);
      return false;
    }
    const count = (this.consecutive.get(rateLimitGroup) ?? 0) + 1;
    this.consecutive.set(rateLimitGroup, count);
    return count >= refusalsUntilBlocked;
  }
}

/** Leaves what refuses this worker to others, without asking again and again. */
export function leaveRefusals(
  prober: Prober,
  { heartbeat, database }: Pick<Cluster, 'heartbeat' | 'database'>,
  isLarge: (provider: string) => boolean,
): Prober {
  const counter = new RefusalCounter();
  const refusals = new LruMap<ProbeAnswer>({ maxEntries: maxGroups, ttlMs: blockMs });
  // An address that is on a block list is refused by many at a time, and each write would take a connection from the commits.
  const writeBlock = createBatcher(async (blocks: readonly [group: string, reply: string | null][]) => {
    const [groups, replies] = [blocks.map(([group]) => group), blocks.map(([, reply]) => reply)];
    await database.writeRepeatable((sql) => sql.run(insertBlocks, heartbeat.name, blockMs, groups, replies));
    await heartbeat.beat(0);
    return blocks;
  });
  const block = (group: string, answer: ProbeAnswer): void => {
    refusals.set(group, answer);
    writeBlock([group, answer.mailbox.reply?.text ?? null]).catch(() => {});
  };
  return {
    probe: async (request, caller) => {
      const group = rateLimitGroupOf(request, isLarge);
      const { blocks } = heartbeat.view();
      const refusal = refusals.get(group);
      const isBlocked = blocks.some(
        ({ worker, rateLimitGroup }) => worker === heartbeat.name && rateLimitGroup === group,
      );
      if (refusal !== undefined && isBlocked && heartbeat.colleagues().length > 0) return refusal;
      const answer = await prober.probe(request, caller);
      if (counter.record(group, answer) && !refusals.has(group)) block(group, answer);
      return answer;
    },
    close: () => prober.close(),
  };
}

const insertBlocks = `INSERT INTO mailvet.blocks
  SELECT $1, party, mailvet.now_ms(), mailvet.now_ms() + $2, reply FROM unnest($3::text[], $4::text[]) AS refused (party, reply)
  ON CONFLICT (worker, party) DO UPDATE SET until = excluded.until, reply = excluded.reply`;

/** A large provider, or the first mail host. */
function rateLimitGroupOf(
  { route, provider, address }: Pick<ProbeRequest, 'route' | 'provider' | 'address'>,
  isLarge: (provider: string) => boolean,
): string {
  if (provider !== null && isLarge(provider)) return provider;
  const host = route.hosts.find(({ addresses }) => addresses.length > 0);
  return (host?.name || address.domain).toLowerCase();
}
