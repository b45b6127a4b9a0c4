import { formatAmount, formatNumber } from './amount.js';

/** The result of a schema migration. */
export interface MigrationReport {
  /** The database, without user and password. */
  name: string;
  from: number;
  to: number;
}

/** The health of a store. */
export interface StoreReport {
  /** The database, without user and password, or the file. */
  name: string;
  write_ms: number;
  /** Of all owners. */
  jobs: number;
  /** Those of the command line, which `jobs list` shows. */
  own_jobs: number;
  keys: number;
  /** Inconsistencies; empty if there are none. */
  damage: string[];
}

/** `13 jobs: 7 of the command line, 6 of the service`. */
export function describeJobs({ jobs, own_jobs: own }: Pick<StoreReport, 'jobs' | 'own_jobs'>): string {
  const owners = `: ${formatNumber(own)} of the command line, ${formatNumber(jobs - own)} of the service`;
  return `${formatAmount(jobs, 'job')}${own === jobs ? '' : owners}`;
}

/** What was copied and verified, by table. */
export interface CopyReport {
  name: string;
  rows: Record<string, number>;
  files: number;
  bytes: number;
}
