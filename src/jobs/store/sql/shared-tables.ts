import { jobQueries } from './job-queries.js';
import { jobTransitions } from './job-transitions.js';
import { keysTable } from './keys-table.js';
import { sessionsTable } from './sessions-table.js';
import type { SqlBackend } from './steps.js';
import { uploadsTable } from './uploads-table.js';
import { usageTable } from './usage-table.js';
import { type AddressHasher, verdictCache } from './verdict-cache.js';

/** The tables that are the same in SQLite and PostgreSQL. */
export function sharedTables(backend: SqlBackend, hash: AddressHasher) {
  const jobs = jobTransitions(backend, hash);
  const keys = keysTable(backend);
  return {
    ...uploadsTable(backend),
    ...jobQueries(backend),
    ...jobs,
    ...verdictCache(backend, hash),
    ...keys,
    revokeKey: async (id: string, now: number) => {
      const revoked = await keys.revokeKey(id, now);
      if (revoked !== null) await jobs.cancelJobsOf(id, now);
      return revoked;
    },
    ...sessionsTable(backend),
    ...usageTable(backend),
  };
}
