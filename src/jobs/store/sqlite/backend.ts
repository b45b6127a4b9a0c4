import { isGone } from '../../../disk/process-identity.js';
import { readJobRow, text } from '../records.js';
import { all, type SqlBackend, type Statement, type Steps } from '../sql/steps.js';
import type { Sql, Sqlite } from './sqlite.js';

/** SQLite for the tables that both databases share. */
export function sqliteBackend(sqlite: Sqlite, processId: string): SqlBackend {
  const write: SqlBackend['write'] = (work, caller) => sqlite.write((sql) => runSteps(sql, work()), caller);
  return {
    read: (work, caller) => sqlite.read((sql) => runSteps(sql, work()), caller),
    write,
    writeRepeatable: write,
    processId,
    register: async () => {},
    maxRows: 200,
    maxChunks: 4,
    jobColumns: 'jobs.*',
    readJob: (row) => {
      const job = readJobRow(row);
      return { ...job, interrupted: job.state === 'running' && job.worker !== null && isGone(job.worker) };
    },
    clearWorker: 'worker = NULL, lease_until = NULL',
    leaseEnd: (leaseUntil) => ['?', leaseUntil],
    position: 'instr',
    *notifyNodes() {},
    *deleteProbes() {},
    *abandonedReservations() {
      const rows = yield* all('SELECT id, holder FROM reservations');
      return rows.filter((row) => isGone(text(row, 'holder'))).map((row) => text(row, 'id'));
    },
  };
}

export function runSteps<T>(sql: Sql, steps: Steps<T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next(execute(sql, step.value));
  return step.value;
}

function execute(sql: Sql, { kind, text, values }: Statement): { rows: ReturnType<Sql['all']>; changes: number } {
  if (kind === 'lock') return { rows: [], changes: 0 };
  if (kind === 'change') return { rows: [], changes: sql.run(text, ...values) };
  return { rows: sql.all(text, ...values), changes: 0 };
}
