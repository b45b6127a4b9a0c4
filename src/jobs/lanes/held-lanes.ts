import { setCaller } from '../../async/caller.js';
import { isOpenLane } from './lane-of.js';
import type { Claim } from './worker-table.js';

/** A lane that this worker asks in. */
export interface HeldLane {
  lane: string;
  /** Open lanes are nobody's, and need no lease. */
  isLeased: boolean;
  /** It may have something to ask. */
  mayHaveMore: boolean;
  /** Nothing more is asked in it: another worker needs it, or we stop. */
  isLeaving: boolean;
  underWay: Map<number, Claim>;
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
  whenGone: Promise<void>;
  gone(): void;
}

/** The lanes of one worker. */
export interface HeldLanes {
  get(lane: string): HeldLane | undefined;
  all(): HeldLane[];
  leased(): HeldLane[];
  /** Adds a lane that was taken, or an open one. */
  add(lane: string): HeldLane;
  /** Forgets a lane, and stops what is still asked in it. */
  remove(held: HeldLane): void;
  underWay(): number;
  /** All that is being asked. */
  claims(): Claim[];
}

const urgencies = ['single', 'bulk', 'job'] as const;

/** None yet. */
export function openHeldLanes(): HeldLanes {
  const held = new Map<string, HeldLane>();
  const all = (): HeldLane[] => [...held.values()];
  return {
    get: (lane) => held.get(lane),
    all,
    leased: () => all().filter(({ isLeased }) => isLeased),
    add: (lane) => {
      const known = held.get(lane);
      if (known !== undefined) return known;
      const made = makeLane(lane);
      held.set(lane, made);
      return made;
    },
    remove: (lane) => {
      if (held.get(lane.lane) === lane) held.delete(lane.lane);
      lane.stop();
      lane.gone();
    },
    underWay: () => {
      let sum = 0;
      for (const { underWay } of held.values()) sum += underWay.size;
      return sum;
    },
    claims: () => all().flatMap(({ underWay }) => [...underWay.values()]),
  };
}

function makeLane(lane: string): HeldLane {
  /** One for each asker, whose share of the turns it carries, as long as something is asked for him. */
  const stops = new Map<string, { stop: AbortController; open: number }>();
  const underWay = new Map<number, Claim>();
  let gone = (): void => {};
  const whenGone = new Promise<void>((resolve) => {
    gone = resolve;
  });
  return {
    lane,
    isLeased: !isOpenLane(lane),
    mayHaveMore: true,
    isLeaving: false,
    underWay,
    busyAt: performance.now(),
    askedAt: Number.NEGATIVE_INFINITY,
    claimedAt: Number.NEGATIVE_INFINITY,
    begin: (claim) => {
      const { id, asker, urgency } = claim;
      underWay.set(id, claim);
      const known = stops.get(asker) ?? { stop: new AbortController(), open: 0 };
      if (known.open++ === 0) {
        setCaller(known.stop.signal, { priority: urgencies[urgency] ?? 'job', owner: asker, work: asker });
        stops.set(asker, known);
      }
      return known.stop.signal;
    },
    end: ({ id, asker }) => {
      underWay.delete(id);
      const known = stops.get(asker);
      if (known !== undefined && --known.open === 0) stops.delete(asker);
    },
    stop: () => {
      for (const { stop } of stops.values()) stop.abort(new Error('The lane is in other hands.'));
      stops.clear();
    },
    ...{ whenGone, gone },
  };
}
