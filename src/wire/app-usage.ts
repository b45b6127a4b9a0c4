import type { Owner, ReasonCount, StatusCounts } from './app-jobs.js';

/** Daily counts; no addresses are kept for it. Days are those of UTC. */
export interface UsageView {
  /** Every day asked for, oldest first, also those without any. */
  days: UsageDay[];
  /** Whoever used most first, at most 20; the last may be the sum of all others, with the id `others`. */
  owners: OwnerUsage[];
  /** Without the plain `valid`; at most 20. */
  reasons: ReasonCount[];
  /** At most 20. */
  domains: { name: string; count: number }[];
}

export interface UsageDay extends StatusCounts {
  /** As 2026-11-15. */
  day: string;
  requests: number;
}

export interface OwnerUsage {
  owner: Owner | { kind: 'others'; id: 'others'; name: string };
  requests: number;
  addresses: number;
  /** Addresses of each day of `days`. */
  by_day: number[];
}
