import { jobQueries } from './job-queries.js';
import { jobTransitions } from './job-transitions.js';
import { keysTable } from './keys-table.js';
import { sessionsTable } from './sessions-table.js';
import type { SqlBackend } from './steps.js';
import { uploadsTable } from './uploads-table.js';
import { usageTable } from './usage-table.js';
import { type HashAddress, verdictCache } from './verdict-cache.js';

/** The tables that are the same in SQLite and PostgreSQL. */
export function sharedTables(backend: SqlBackend, hash: HashAddress) {
  return {
    ...uploadsTable(backend),
    ...jobQueries(backend),
    ...jobTransitions(backend, hash),
    ...verdictCache(backend, hash),
    ...keysTable(backend),
    ...sessionsTable(backend),
    ...usageTable(backend),
  };
}
