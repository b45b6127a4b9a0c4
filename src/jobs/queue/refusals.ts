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
  const block = (group: string, answer: ProbeAnswer): void => {
    refusals.set(group, answer);
    const reply = answer.mailbox.reply?.text ?? null;
    database
      .writeRepeatable((sql) => sql.run(insertBlock, heartbeat.name, group, blockMs, reply))
      .then(() => heartbeat.beat(0))
      .catch(() => {});
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

const insertBlock = `INSERT INTO mailvet.blocks VALUES ($1, $2, mailvet.now_ms(), mailvet.now_ms() + $3, $4)
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
