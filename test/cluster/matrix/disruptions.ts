/** The disruptions of a cluster: what is done, and how often. */
export interface Disruptions {
  workerKills: number;
  nodeKills: number;
  /** Workers that are stopped for `stopSeconds`. */
  stops: number;
  stopSeconds: number;
  /** Restarts of the database. */
  restarts: number;
  /** Deletions of all data of the queue. */
  wipes: number;
}

export type Disruption = 'kill worker' | 'kill node' | 'stop worker' | 'restart database' | 'wipe queue';

/** All disruptions, in an order that depends on the seed. */
export function planDisruptions(counts: Disruptions, random: () => number): Disruption[] {
  const { workerKills, nodeKills, stops, restarts, wipes } = counts;
  const times = (count: number, what: Disruption): Disruption[] => Array.from({ length: count }, () => what);
  const all = [
    ...times(workerKills, 'kill worker'),
    ...times(nodeKills, 'kill node'),
    ...times(stops, 'stop worker'),
    ...times(restarts, 'restart database'),
    ...times(wipes, 'wipe queue'),
  ];
  return all
    .map((what) => ({ what, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ what }) => what);
}

/** Numbers from 0 to 1 that repeat with their seed: mulberry32. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
