import type { Deferral } from '../../jobs/run/retry-deferred.js';
import { type Counts, countedAs } from '../../model/result.js';
import type { BulkOptions, RunProgress } from '../../model/service.js';
import { countIn } from '../../report/run-stats.js';

/** The progress of the run, including rows after one that waits. */
export function openProgress(onProgress: BulkOptions['onProgress'], reusable: number) {
  const waits = new Set<Deferral>();
  const counts: Counts = { valid_count: 0, invalid_count: 0, risky_count: 0, unknown_count: 0, duplicate_count: 0 };
  let answered = 0;
  let reused = 0;
  const view: RunProgress = {
    answered: () => answered,
    counts: () => counts,
    reused: () => ({ count: reused, of: Math.max(reused, reusable) }),
    waiting: () => waits.size,
    nextAt: () => {
      let next = Number.POSITIVE_INFINITY;
      for (const { retryAt } of waits) next = Math.min(next, retryAt);
      return waits.size === 0 ? null : next;
    },
  };
  return {
    add: (status: string, duplicate: boolean, isReused = false): void => {
      answered++;
      if (isReused) reused++;
      countIn(counts, countedAs(status, duplicate));
    },
    report: (): void => onProgress?.(view),
    /** The wait of one address; a new one replaces the one before. */
    openWaits: () => {
      let waiting: Deferral | null = null;
      const close = (): void => {
        if (waiting !== null) waits.delete(waiting);
      };
      return {
        add: (wait: Deferral): void => {
          close();
          waits.add(wait);
          waiting = wait;
          onProgress?.(view);
        },
        close,
      };
    },
  };
}
