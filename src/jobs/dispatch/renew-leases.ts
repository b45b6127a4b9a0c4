import { createBatcher } from '../../async/batcher.js';
import type { WorkerId } from './claim-table.js';
import type { OwnedShard, OwnedShards } from './owned-shards.js';
import { isSharedShard } from './shard-of.js';
import type { ShardTable, WorkerView } from './shard-table.js';

/** A holder that is silent for so long has lost its lanes. */
const leaseMs = 15_000;
const renewMs = 2_000;
/** A lane without work is kept for more; by then its sessions are closed (they wait 1 s for work, and 1.5 s for the host's goodbye), and those of the next holder do not add to them. */
const lingerMs = 3_000;
/** Whoever could not renew for so long gives up, and has hung up by the time that others may take over. */
const giveUpMs = 8_000;
/** What the queue forgot is found after so long. */
const unownedMs = 1_500;
const wantMs = 1_000;
const letGoMs = 100;
/** Lanes are handed over once in so long: by then it shows what came of it. */
const handOverMs = 1_500;

/** Takes lanes, holds on to them, and lets them go. */
interface LeaseKeeper {
  /** Takes a lane where it is free; gives it where it is ours. */
  acquire(lane: string): Promise<OwnedShard | null>;
  /** Holds on to what is held, where it is time; what is not ours any more is lost, with all that is asked in it. */
  renew(): Promise<void>;
  /** Lets go of lanes that are idle, or that another worker needs. */
  releaseIdle(): Promise<void>;
  /** Takes, of at most so many, what the queue forgot, and asks others for what they must leave to us; who `hasEnough` takes only such. */
  findUnowned(view: WorkerView, most: number, hasEnough: boolean): Promise<string[]>;
  /** Leaves such a part of the lanes that have more to do to others. */
  handOver(part: number): void;
  close(): void;
}

/** Keeps the lanes of one worker. */
export function renewLeases(self: WorkerId, lanes: ShardTable, held: OwnedShards): LeaseKeeper {
  let renewedAt = performance.now();
  let renewing = false;
  let lookedAt = 0;
  let wantedAt = Number.NEGATIVE_INFINITY;
  let sharedAt = Number.NEGATIVE_INFINITY;
  const take = createBatcher(async (wanted: readonly string[]) => {
    const taken = new Set(await lanes.acquire(self, [...new Set(wanted)], leaseMs));
    return wanted.map((lane) => taken.has(lane));
  });
  const lose = (lane: OwnedShard): void => {
    lane.inFlight.clear();
    held.remove(lane);
  };
  // Whoever was stopped, or has no database, must not go on: his lanes may be in other hands.
  const giveUpWhereLate = (): void => {
    if (performance.now() - renewedAt < giveUpMs) return;
    for (const lane of held.leased()) lose(lane);
  };
  const watch = setInterval(giveUpWhereLate, 200).unref();
  return {
    acquire: async (lane) => held.get(lane) ?? ((await take(lane)) ? held.add(lane) : null),
    renew: async () => {
      const from = performance.now();
      if (renewing || from - renewedAt < renewMs) return;
      renewing = true;
      // Who wakes late may get here first: a lane that he gives up must not be kept from others.
      giveUpWhereLate();
      const leased = held.leased();
      const names = leased.map(({ shard: lane }) => lane);
      try {
        const ours = new Map((await lanes.renew(self, names, leaseMs)).map(({ lane, wanted }) => [lane, wanted]));
        for (const lane of leased) {
          const wanted = ours.get(lane.shard);
          if (wanted === undefined) lose(lane);
          else if (wanted) lane.isReleasing = true;
        }
        renewedAt = from;
      } finally {
        renewing = false;
      }
    },
    releaseIdle: async () => {
      const now = performance.now();
      if (now - lookedAt < letGoMs) return;
      lookedAt = now;
      const before = now - lingerMs;
      const done = held.all().filter(({ inFlight: underWay, isReleasing: isLeaving, mayHaveMore, askedAt, busyAt }) => {
        // Who leaves waits only for his sessions to be closed.
        return underWay.size === 0 && (isLeaving ? askedAt < before : !mayHaveMore && busyAt < before);
      });
      const leased = done.filter(({ isLeased }) => isLeased).map(({ shard: lane }) => lane);
      if (leased.length > 0) await lanes.release(self, leased);
      for (const lane of done) held.remove(lane);
    },
    findUnowned: async (view, most, hasEnough) => {
      if (performance.now() - wantedAt >= wantMs) {
        wantedAt = performance.now();
        await lanes.requestHandOver(self, view, unownedMs);
      }
      return lanes.findWaiting(self, view, unownedMs, most, hasEnough);
    },
    handOver: (part) => {
      if (performance.now() - sharedAt < handOverMs) return;
      sharedAt = performance.now();
      const busy = held.leased().filter(({ mayHaveMore, isReleasing: isLeaving }) => mayHaveMore && !isLeaving);
      busy.sort((a, b) => a.inFlight.size - b.inFlight.size || a.askedAt - b.askedAt);
      for (const lane of busy.slice(0, Math.floor(part * busy.length))) lane.isReleasing = true;
    },
    close: () => clearInterval(watch),
  };
}

/** Lanes that are open to every worker, and those that have one holder. */
export function splitByOwnership(lanes: readonly string[]): { open: string[]; closed: string[] } {
  return { open: lanes.filter(isSharedShard), closed: lanes.filter((lane) => !isSharedShard(lane)) };
}
