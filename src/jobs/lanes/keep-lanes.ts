import { createBatcher } from '../../async/batcher.js';
import type { HeldLane, HeldLanes } from './held-lanes.js';
import { isOpenLane } from './lane-of.js';
import type { LaneTable, View } from './lane-table.js';
import type { Self } from './worker-table.js';

/** A holder that is silent for so long has lost its lanes. */
const leaseMs = 15_000;
const renewMs = 2_000;
/** A lane without work is kept for more; by then its sessions are closed (they wait 1 s for work, and 1.5 s for the host's goodbye), and those of the next holder do not add to them. */
const lingerMs = 3_000;
/** Whoever could not renew for so long gives up, and has hung up by the time that others may take over. */
const giveUpMs = 8_000;
/** What the queue forgot is found after so long. */
const forgottenMs = 1_500;
const wantMs = 1_000;
const letGoMs = 100;
/** Lanes are handed over once in so long: by then it shows what came of it. */
const handOverMs = 1_500;

/** Takes lanes, holds on to them, and lets them go. */
interface LaneKeeper {
  /** Takes a lane where it is free; gives it where it is ours. */
  take(lane: string): Promise<HeldLane | null>;
  /** Holds on to what is held, where it is time; what is not ours any more is lost, with all that is asked in it. */
  renew(): Promise<void>;
  /** Lets go of lanes that are idle, or that another worker needs. */
  letGo(): Promise<void>;
  /** Takes, of at most so many, what the queue forgot, and asks others for what they must leave to us; who `hasEnough` takes only such. */
  findForgotten(view: View, most: number, hasEnough: boolean): Promise<string[]>;
  /** Leaves such a part of the lanes that have more to do to others. */
  share(part: number): void;
  close(): void;
}

/** Keeps the lanes of one worker. */
export function keepLanes(self: Self, lanes: LaneTable, held: HeldLanes): LaneKeeper {
  let renewedAt = performance.now();
  let renewing = false;
  let lookedAt = 0;
  let wantedAt = Number.NEGATIVE_INFINITY;
  let sharedAt = Number.NEGATIVE_INFINITY;
  const take = createBatcher(async (wanted: readonly string[]) => {
    const taken = new Set(await lanes.take(self, [...new Set(wanted)], leaseMs));
    return wanted.map((lane) => taken.has(lane));
  });
  const lose = (lane: HeldLane): void => {
    lane.underWay.clear();
    held.remove(lane);
  };
  // Whoever was stopped, or has no database, must not go on: his lanes may be in other hands.
  const giveUpWhereLate = (): void => {
    if (performance.now() - renewedAt < giveUpMs) return;
    for (const lane of held.leased()) lose(lane);
  };
  const watch = setInterval(giveUpWhereLate, 200).unref();
  return {
    take: async (lane) => held.get(lane) ?? ((await take(lane)) ? held.add(lane) : null),
    renew: async () => {
      const from = performance.now();
      if (renewing || from - renewedAt < renewMs) return;
      renewing = true;
      // Who wakes late may get here first: a lane that he gives up must not be kept from others.
      giveUpWhereLate();
      const leased = held.leased();
      const names = leased.map(({ lane }) => lane);
      try {
        const ours = new Map((await lanes.renew(self, names, leaseMs)).map(({ lane, wanted }) => [lane, wanted]));
        for (const lane of leased) {
          const wanted = ours.get(lane.lane);
          if (wanted === undefined) lose(lane);
          else if (wanted) lane.isLeaving = true;
        }
        renewedAt = from;
      } finally {
        renewing = false;
      }
    },
    letGo: async () => {
      const now = performance.now();
      if (now - lookedAt < letGoMs) return;
      lookedAt = now;
      const before = now - lingerMs;
      const done = held.all().filter(({ underWay, isLeaving, mayHaveMore, askedAt, busyAt }) => {
        // Who leaves waits only for his sessions to be closed.
        return underWay.size === 0 && (isLeaving ? askedAt < before : !mayHaveMore && busyAt < before);
      });
      const leased = done.filter(({ isLeased }) => isLeased).map(({ lane }) => lane);
      if (leased.length > 0) await lanes.release(self, leased);
      for (const lane of done) held.remove(lane);
    },
    findForgotten: async (view, most, hasEnough) => {
      if (performance.now() - wantedAt >= wantMs) {
        wantedAt = performance.now();
        await lanes.want(self, view, forgottenMs);
      }
      return lanes.waiting(self, view, forgottenMs, most, hasEnough);
    },
    share: (part) => {
      if (performance.now() - sharedAt < handOverMs) return;
      sharedAt = performance.now();
      const busy = held.leased().filter(({ mayHaveMore, isLeaving }) => mayHaveMore && !isLeaving);
      busy.sort((a, b) => a.underWay.size - b.underWay.size || a.askedAt - b.askedAt);
      for (const lane of busy.slice(0, Math.floor(part * busy.length))) lane.isLeaving = true;
    },
    close: () => clearInterval(watch),
  };
}

/** Lanes that are open to every worker, and those that have one holder. */
export function byKind(lanes: readonly string[]): { open: string[]; closed: string[] } {
  return { open: lanes.filter(isOpenLane), closed: lanes.filter((lane) => !isOpenLane(lane)) };
}
