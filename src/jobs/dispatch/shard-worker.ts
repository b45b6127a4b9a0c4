import { sleep, systemClock } from '../../async/clock.js';
import { createSignal } from '../../async/signal.js';
import type { Prober } from '../../net/probe/prober.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import { interactiveChannel, parseMessage, shardsChannel } from './channels.js';
import { claimRequests } from './claim-requests.js';
import { claimTable } from './claim-table.js';
import { createOwnedShards } from './owned-shards.js';
import { renewLeases, splitByOwnership } from './renew-leases.js';
import { isSharedShard, shardCount } from './shard-of.js';
import type { ShardQueue } from './shard-queue.js';
import { shardTable, type WorkerView } from './shard-table.js';
import type { WorkerRegistry } from './worker-registry.js';

interface ShardWorkerOptions {
  cluster: Cluster;
  queue: ShardQueue;
  members: WorkerRegistry;
  /** Asks mail hosts, within the limits of each. */
  prober: Prober;
  /** How many sessions that has at a time. */
  sessions: number;
  onError(failure: unknown): void;
}

const pollMs = 1_000;
/** While another has enough to do, and this one has not. */
const capacityPollMs = 250;
/** Between two searches for what a broken connection lost. */
const orphansMs = 5_000;
const minShards = 32;
const pauseMs = 200;
const drainMs = 8_000;

/** Starts to take lanes, from the queue and from what the queue forgot; gives the function that stops that. */
export function startShardWorker(options: ShardWorkerOptions): () => Promise<void> {
  const { cluster, queue, members, prober, sessions, onError } = options;
  const { database, heartbeat, listener } = cluster;
  const self = { id: heartbeat.id, name: heartbeat.name };
  const probes = claimTable(database);
  const held = createOwnedShards();
  const keeper = renewLeases(self, shardTable(database), held);
  const alarm = createSignal(systemClock);
  const asking = claimRequests({ self, probes, held, members, prober, sessions, onEnd: alarm.notify, onError });
  let stopping = false;
  let hurry = false;
  let goneBy = Number.POSITIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let strayedAt = Number.NEGATIVE_INFINITY;

  const hurryUp = (): void => {
    hurry = true;
    alarm.notify();
  };
  /** A fair share of all lanes, so that those who come later find some. */
  const mostLanes = (): number => Math.max(minShards, Math.ceil(shardCount / Math.max(1, members.names().length)));
  const run = async (lane: string): Promise<void> => {
    if (stopping || (held.get(lane) === undefined && held.leased().length >= mostLanes())) return;
    const taken = await keeper.acquire(lane);
    if (taken === null) return;
    taken.mayHaveMore = true;
    // Somebody may wait in it, for whom there is room even where there is none for jobs.
    hurryUp();
    await taken.released;
  };
  const lookAround = async (): Promise<void> => {
    const isHungry = asking.hasCapacity();
    if (performance.now() - lookedAt < (isHungry && members.hasBusy() ? capacityPollMs : pollMs)) return;
    lookedAt = performance.now();
    serving.limit(mostLanes());
    // Who has enough to do leaves the rest to those who have not.
    const part = asking.isFull() ? members.idleShare() : 0;
    const found = splitByOwnership(await keeper.findUnowned(viewOf(members, self.name), mostLanes(), part > 0));
    for (const lane of found.open) held.add(lane).mayHaveMore = true;
    for (const lane of found.closed) run(lane).catch(onError);
    if (part > 0) keeper.handOver(part);
    if (performance.now() - strayedAt >= orphansMs) {
      strayedAt = performance.now();
      await probes.releaseOrphans(self, held.claims());
    }
    await probes.report(self, {
      ...{ lanes: held.leased().length, probes: held.inFlight(), answered: asking.answered() },
      hasCapacity: isHungry,
    });
  };

  listener.subscribe(shardsChannel, (said) => {
    const lanes = said === null ? held.all().map(({ shard: lane }) => lane) : parseMessage(said);
    for (const lane of lanes) {
      const known = held.get(lane) ?? (isSharedShard(lane) && !stopping ? held.add(lane) : undefined);
      if (known !== undefined) known.mayHaveMore = true;
    }
  });
  listener.subscribe(interactiveChannel, hurryUp);
  const serving = queue.serve(run, mostLanes());
  // Beside all else: whoever is slow at asking still holds his lanes.
  const renewing = setInterval(() => void keeper.renew().catch(() => {}), pauseMs).unref();
  const working = (async () => {
    while (!stopping || (held.all().length > 0 && performance.now() < goneBy)) {
      try {
        const inHurry = hurry;
        hurry = false;
        if (!stopping) await asking.claimMore(viewOf(members, self.name).excludedGroups, inHurry);
        await keeper.releaseIdle();
        if (!stopping) await lookAround();
      } catch {
        // A database that went away is told of by the store; who waited is not forgotten.
        hurry = true;
        await sleep(systemClock, 2 * pauseMs);
      }
      await alarm.wait(pauseMs);
    }
  })();

  return async () => {
    stopping = true;
    for (const lane of held.all()) lane.isReleasing = true;
    const until = performance.now() + drainMs;
    goneBy = until + drainMs / 2;
    while (held.inFlight() > 0 && performance.now() < until) await sleep(systemClock, pauseMs / 4);
    const left = held.claims();
    for (const lane of held.all()) lane.stop();
    const givenBack = left.map((claim) => ({ claim, answer: null }));
    if (left.length > 0) await probes.finish(self, givenBack).catch(onError);
    alarm.notify();
    await working;
    clearInterval(renewing);
    keeper.close();
    await serving.stop();
    await probes.retire(self).catch(() => {});
  };
}

/** What a worker knows of the others. */
function viewOf(members: WorkerRegistry, name: string): WorkerView {
  return {
    excludedGroups: members.refusedBy(name).filter((party) => members.hasAlternative(party, [name])),
    refusedOthers: members.refusedOthers(name),
  };
}
