import { all, run, type SqlBackend, type Statement, type Steps } from '../sql.js';
import type { Database, Sql } from './database.js';
import { type Heartbeat, isDead } from './heartbeat.js';
import { notifyNodes } from './listener.js';
import { isAbandoned, openSliceCounts, readJob, sliceTable } from './slices.js';

/** SQL that is true for a running job whose slices are held by dead workers only. */
const isInterrupted = `(jobs.state = 'running' AND coalesce((SELECT bool_and(${isAbandoned}) FROM mailvet.slices
  WHERE slices.job = jobs.num AND slices.worker IS NOT NULL), false))`;

/** PostgreSQL for the tables that both databases share. */
export function postgresBackend(database: Database, heartbeat: Heartbeat): SqlBackend {
  return {
    read: (work, _caller, maxWaitMs) => database.read((sql) => runSteps(sql, work()), maxWaitMs),
    write: (work) => database.write((sql) => runSteps(sql, work())),
    processId: heartbeat.id,
    register: () => heartbeat.register(),
    maxRows: 10_000,
    maxChunks: 10,
    jobColumns: `jobs.*, ${isInterrupted} AS interrupted, ${openSliceCounts} AS open_slices`,
    readJob,
    *notifyNodes() {
      yield* run(notifyNodes);
    },
    slices: sliceTable,
    *abandonedReservations() {
      const dead = `SELECT id FROM reservations WHERE ${isDead('reservations.holder')} ORDER BY id FOR UPDATE SKIP LOCKED`;
      return (yield* all<{ id: string }>(dead)).map(({ id }) => id);
    },
  };
}

async function runSteps<T>(sql: Sql, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await execute(sql, step.value));
  return step.value;
}

async function execute(sql: Sql, { kind, text, values }: Statement): Promise<{ rows: unknown[]; changes: number }> {
  const statement = numberValues(text);
  if (kind === 'change') return { rows: [], changes: await sql.run(statement, ...values) };
  const rows = await sql.all(kind === 'rows' ? statement : `${statement} FOR NO KEY UPDATE`, ...values);
  return { rows, changes: 0 };
}

const numberedStatements = new Map<string, string>();

/** PostgreSQL numbers the values of a statement. */
function numberValues(text: string): string {
  const cached = numberedStatements.get(text);
  if (cached !== undefined) return cached;
  let values = 0;
  const numbered = text.replaceAll('?', () => `$${++values}`);
  numberedStatements.set(text, numbered);
  return numbered;
}
