import { giveShare } from '../../async/work-share.js';
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
  /** Stops what is asked on behalf of that asker, when the lane is lost. */
  signalFor(claim: Claim): AbortSignal;
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
  const stops = new Map<string, AbortController>();
  let gone = (): void => {};
  const whenGone = new Promise<void>((resolve) => {
    gone = resolve;
  });
  return {
    lane,
    isLeased: !isOpenLane(lane),
    mayHaveMore: true,
    isLeaving: false,
    underWay: new Map(),
    busyAt: performance.now(),
    signalFor: ({ asker, urgency }) => {
      // Requests come once each: they must not pile up in a lane that is held for hours.
      if (stops.size > 1_000) stops.clear();
      const key = `${urgency} ${asker}`;
      const known = stops.get(key);
      if (known !== undefined) return known.signal;
      const made = new AbortController();
      giveShare(made.signal, { urgency: urgencies[urgency] ?? 'job', owner: asker, work: asker });
      stops.set(key, made);
      return made.signal;
    },
    stop: () => {
      for (const stop of stops.values()) stop.abort(new Error('The lane is in other hands.'));
      stops.clear();
    },
    ...{ whenGone, gone },
  };
}
