import { setCaller } from '../../async/caller.js';
import type { Claim } from './claim-table.js';
import { isSharedShard } from './shard-of.js';

/** A lane that this worker asks in. */
export interface OwnedShard {
  shard: string;
  /** Open lanes are nobody's, and need no lease. */
  isLeased: boolean;
  /** It may have something to ask. */
  mayHaveMore: boolean;
  /** Nothing more is asked in it: another worker needs it, or we stop. */
  isReleasing: boolean;
  inFlight: Map<number, Claim>;
  /** When there was last something to do. */
  busyAt: number;
  /** When a mail host in it was last talked to. */
  askedAt: number;
  /** When questions in it were last taken. */
  claimedAt: number;
  /** Notes that it is being asked; the signal stops that when the lane is lost. */
  begin(claim: Claim): AbortSignal;
  end(claim: Claim): void;
  stop(): void;
  /** Ends when the lane is let go. */
  released: Promise<void>;
  markReleased(): void;
}

/** The lanes of one worker. */
export interface OwnedShards {
  get(lane: string): OwnedShard | undefined;
  all(): OwnedShard[];
  leased(): OwnedShard[];
  /** Adds a lane that was taken, or an open one. */
  add(lane: string): OwnedShard;
  /** Forgets a lane, and stops what is still asked in it. */
  remove(held: OwnedShard): void;
  inFlight(): number;
  /** All that is being asked. */
  claims(): Claim[];
}

const priorities = ['single', 'bulk', 'job'] as const;

/** None yet. */
export function createOwnedShards(): OwnedShards {
  const held = new Map<string, OwnedShard>();
  const all = (): OwnedShard[] => [...held.values()];
  return {
    get: (lane) => held.get(lane),
    all,
    leased: () => all().filter(({ isLeased }) => isLeased),
    add: (lane) => {
      const known = held.get(lane);
      if (known !== undefined) return known;
      const made = createOwnedShard(lane);
      held.set(lane, made);
      return made;
    },
    remove: (lane) => {
      if (held.get(lane.shard) === lane) held.delete(lane.shard);
      lane.stop();
      lane.markReleased();
    },
    inFlight: () => {
      let sum = 0;
      for (const { inFlight: underWay } of held.values()) sum += underWay.size;
      return sum;
    },
    claims: () => all().flatMap(({ inFlight: underWay }) => [...underWay.values()]),
  };
}

function createOwnedShard(lane: string): OwnedShard {
  /** One for each asker, whose share of the turns it carries, as long as something is asked for him. */
  const stops = new Map<string, { stop: AbortController; open: number }>();
  const underWay = new Map<number, Claim>();
  let gone = (): void => {};
  const whenGone = new Promise<void>((resolve) => {
    gone = resolve;
  });
  return {
    shard: lane,
    isLeased: !isSharedShard(lane),
    mayHaveMore: true,
    isReleasing: false,
    inFlight: underWay,
    busyAt: performance.now(),
    askedAt: Number.NEGATIVE_INFINITY,
    claimedAt: Number.NEGATIVE_INFINITY,
    begin: (claim) => {
      const { id, requester: asker, priority } = claim;
      underWay.set(id, claim);
      const known = stops.get(asker) ?? { stop: new AbortController(), open: 0 };
      if (known.open++ === 0) {
        setCaller(known.stop.signal, { priority: priorities[priority] ?? 'job', owner: asker, work: asker });
        stops.set(asker, known);
      }
      return known.stop.signal;
    },
    end: ({ id, requester: asker }) => {
      underWay.delete(id);
      const known = stops.get(asker);
      if (known !== undefined && --known.open === 0) stops.delete(asker);
    },
    stop: () => {
      for (const { stop } of stops.values()) stop.abort(new Error('The lane is in other hands.'));
      stops.clear();
    },
    ...{ released: whenGone, markReleased: gone },
  };
}
