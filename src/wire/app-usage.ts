import type { Owner, ReasonCount, StatusCounts } from './app-jobs.js';

/** Daily counts (UTC), without addresses. */
export interface UsageView {
  /** All requested days, oldest first. */
  days: UsageDay[];
  /** Sorted by use, at most 20; the last may be the sum of the rest, with the id `others`. */
  owners: OwnerUsage[];
  /** Without `valid`; at most 20. */
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
