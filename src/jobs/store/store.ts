import type { AddressCipher } from './address-cipher.js';
import { answersTable } from './answers.js';
import type { ClusterStats } from './cluster-stats.js';
import { creditsTable } from './credits.js';
import { jobChanges } from './job-changes.js';
import type { Batch, ClaimedJob, JobFilter } from './job-record.js';
import { jobsTable } from './jobs.js';
import { keysTable } from './keys.js';
import { auditTable, membersTable } from './members.js';
import { resultsTable } from './results.js';
import { retentionTable } from './retention.js';
import { sessionsTable } from './sessions.js';
import type { SqlBackend } from './sql.js';
import { uploadsTable } from './uploads.js';
import { usageTable } from './usage.js';
import { webhooksTable } from './webhooks.js';

/** What is the same in SQLite and PostgreSQL. */
export function sharedTables(backend: SqlBackend, addresses: AddressCipher) {
  return {
    ...uploadsTable(backend),
    ...jobsTable(backend),
    ...jobChanges(backend),
    ...resultsTable(backend),
    ...retentionTable(backend),
    ...answersTable(backend, addresses),
    ...creditsTable(backend),
    ...keysTable(backend),
    ...membersTable(backend),
    ...auditTable(backend),
    ...sessionsTable(backend),
    ...webhooksTable(backend),
    ...usageTable(backend),
  };
}

type SharedTables = ReturnType<typeof sharedTables>;

/** All persistent state. */
export interface JobStore extends SharedTables {
  /** Records who will run the queued jobs of a list, so that its death is noticed. A cluster runs them in any case. */
  announceWorker(worker: string, filter: JobFilter): Promise<void>;
  /** Assigns the worker a job that is queued, or whose last worker is dead or did not write for a whole lease; null if there is none. */
  claimJob(worker: string, leaseUntil: number, now: number, filter?: JobFilter): Promise<ClaimedJob | null>;
  /** Commits a batch. False, and nothing is written, if the job is no longer this worker's. */
  saveBatch(batch: Batch): Promise<boolean>;
  /** Stats of the processes that share the store; null if it is on this machine only. */
  clusterStats: (() => Promise<ClusterStats>) | null;
  /** Returns unused space to the disk if it is worth the work. */
  compact(): Promise<void>;
  /** A string that changes when any process changes a key or queues a job; null if changes are not tracked. Cheap to read. */
  changeToken(): string | null;
  /** Fails if the store cannot be written. */
  checkWritable(): Promise<void>;
  /** Reads the whole store, and lists the damage. */
  check(): Promise<string[]>;
  close(): Promise<void>;
}
