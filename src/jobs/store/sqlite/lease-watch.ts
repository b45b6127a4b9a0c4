import { lifeOf } from '../../../disk/process-identity.js';
import type { JobRecord } from '../store.js';

/** Tells whether a running job may be taken from its worker. */
export type LeaseWatch = (job: JobRecord, leaseMs: number) => boolean;

/**
 * A worker that lives on this machine keeps its job, one that is dead loses it at once. Of others only their signs of life can tell:
 * they lose it when it stayed the same for a whole lease while we watched. No clock but our own counts, since clocks jump.
 */
export function openLeaseWatch(elapsed: () => number = performance.now.bind(performance)): LeaseWatch {
  const watched = new Map<string, { sign: string; since: number }>();
  return ({ id, worker, leaseUntil }, leaseMs) => {
    const life = worker === null ? 'gone' : lifeOf(worker);
    if (life !== 'unknown') {
      watched.delete(id);
      return life === 'gone';
    }
    const sign = `${worker} ${leaseUntil}`;
    const now = elapsed();
    const seen = watched.get(id);
    if (seen?.sign === sign) return now - seen.since >= leaseMs;
    watched.set(id, { sign, since: now });
    return false;
  };
}
