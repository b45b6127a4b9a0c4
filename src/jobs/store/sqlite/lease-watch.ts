import { lifeOf } from '../../../disk/process-identity.js';
import type { JobRecord } from '../store.js';

/** Whether a running job may be taken from its worker. */
export type LeaseWatch = (job: JobRecord, leaseMs: number) => boolean;

/**
 * A live worker on this machine keeps its job, and a dead one loses it at once. A worker elsewhere loses it when its lease was not
 * renewed for a whole lease while this process watched, by the monotonic clock of this process.
 */
export function openLeaseWatch(elapsed: () => number = performance.now.bind(performance)): LeaseWatch {
  const watched = new Map<string, { lease: string; since: number }>();
  return ({ id, worker, leaseUntil }, leaseMs) => {
    const life = worker === null ? 'gone' : lifeOf(worker);
    if (life !== 'unknown') {
      watched.delete(id);
      return life === 'gone';
    }
    const lease = `${worker} ${leaseUntil}`;
    const now = elapsed();
    const seen = watched.get(id);
    if (seen?.lease === lease) return now - seen.since >= leaseMs;
    watched.set(id, { lease, since: now });
    return false;
  };
}
