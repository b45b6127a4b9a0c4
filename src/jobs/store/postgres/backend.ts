import { levelOf } from '../job-level.js';
import { readJobRow, text } from '../records.js';
import { all, inList, listValue, run, type SqlBackend, type Statement, type Steps } from '../sql/steps.js';
import type { Database, Sql } from './database.js';
import { type Heartbeat, isDead } from './heartbeat.js';
import { notifyNodes } from './listener.js';

/** True of a job whose worker is dead, or has not written for a whole lease, by the database's clock. */
export const isAbandoned = `(jobs.state = 'running' AND (jobs.lease_until < mailvet.now_ms() OR ${isDead('jobs.node')}))`;

/** PostgreSQL for the tables that both databases share. */
export function postgresBackend(database: Database, heartbeat: Heartbeat): SqlBackend {
  return {
    read: (work, _caller, maxWaitMs) => database.read((sql) => runSteps(sql, work()), maxWaitMs),
    write: (work) => database.write((sql) => runSteps(sql, work())),
    writeRepeatable: (work) => database.writeRepeatable((sql) => runSteps(sql, work())),
    processId: heartbeat.id,
    register: () => heartbeat.register(),
    maxRows: 10_000,
    maxChunks: 10,
    jobColumns: `jobs.*, ${isAbandoned} AS interrupted`,
    readJob: (row) => ({ ...readJobRow(row), interrupted: row['interrupted'] === true }),
    clearWorker: 'worker = NULL, node = NULL, lease_until = NULL',
    leaseEnd: (leaseUntil, now) => ['mailvet.now_ms() + ?', leaseUntil - now],
    position: 'strpos',
    *notifyNodes() {
      yield* run(notifyNodes);
    },
    *deleteProbes(job, mailboxes) {
      if (mailboxes === 'all') yield* run('DELETE FROM probes WHERE asker = ?', job.id);
      else if (mailboxes.length > 0 && levelOf(job) === 'smtp') {
        yield* run(`DELETE FROM probes WHERE asker = ? AND place ${inList}`, job.id, listValue(mailboxes));
      }
    },
    *abandonedReservations() {
      const dead = `SELECT id FROM reservations WHERE ${isDead('reservations.holder')} ORDER BY id FOR UPDATE SKIP LOCKED`;
      return (yield* all(dead)).map((row) => text(row, 'id'));
    },
  };
}

export async function runSteps<T>(sql: Sql, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await execute(sql, step.value));
  return step.value;
}

async function execute(
  sql: Sql,
  { kind, text, values }: Statement,
): Promise<{ rows: Awaited<ReturnType<Sql['all']>>; changes: number }> {
  const statement = translate(text);
  if (kind === 'change') return { rows: [], changes: await sql.run(statement, ...values) };
  const rows = await sql.all(kind === 'rows' ? statement : `${statement} FOR UPDATE`, ...values);
  return { rows, changes: 0 };
}

const translations = new Map<string, string>();

/** A statement of the shared dialect in that of PostgreSQL: numbered values, the schema before tables, and its name of json_each. */
export function translate(text: string): string {
  const known = translations.get(text);
  if (known !== undefined) return known;
  let values = 0;
  const translated = text
    .replaceAll('json_each(?)', 'json_array_elements(?::json)')
    .replace(/\b(FROM|INTO|JOIN|UPDATE) (?!mailvet\.|json_)(?=[a-z])/g, '$1 mailvet.')
    .replaceAll('?', () => `$${++values}`);
  translations.set(text, translated);
  return translated;
}
