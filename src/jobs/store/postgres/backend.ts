import { failAfterCrashes } from '../job-changes.js';
import { levelOf, localOwner, type StoredJob } from '../job-record.js';
import { decodeRow } from '../records.js';
import { all, inList, listValue, run, type SqlBackend, type Statement, type Steps } from '../sql.js';
import type { JobStore } from '../store.js';
import type { Database, Sql } from './database.js';
import { describePredecessor, type Heartbeat, isDead } from './heartbeat.js';
import { notifyNodes } from './listener.js';

/** SQL that is true for a job whose worker is dead or has not written for a whole lease, by the database's clock. */
const isAbandoned = `(jobs.state = 'running' AND (jobs.lease_until < mailvet.now_ms() OR ${isDead('jobs.node')}))`;

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
    readJob: (job) => ({ interrupted: false, ...job }),
    clearWorker: 'worker = NULL, node = NULL, lease_until = NULL',
    leaseEnd: (leaseUntil, now) => ['mailvet.now_ms() + ?', leaseUntil - now],
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
      return (yield* all<{ id: string }>(dead)).map(({ id }) => id);
    },
  };
}

async function runSteps<T>(sql: Sql, steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await execute(sql, step.value));
  return step.value;
}

async function execute(
  sql: Sql,
  { kind, text, values }: Statement,
): Promise<{ rows: Awaited<ReturnType<Sql['all']>>; changes: number }> {
  const statement = numberValues(text);
  if (kind === 'change') return { rows: [], changes: await sql.run(statement, ...values) };
  const rows = await sql.all(kind === 'rows' ? statement : `${statement} FOR UPDATE`, ...values);
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

/** Claims a job whose worker is dead, or else the oldest of the owner with the fewest running, so that one owner does not delay the others. */
const claim = `
  UPDATE mailvet.jobs SET state = 'running', worker = $1, node = $2, lease_until = mailvet.now_ms() + $3,
    started_at = coalesce(started_at, $4), run_started_at = $4, run_base = processed, finished_at = NULL, error = NULL,
    crashes = crashes + CASE WHEN state = 'running' THEN 1 ELSE 0 END
  FROM (
    SELECT num AS next_num, node AS old_node, state = 'running' AS is_takeover FROM mailvet.jobs LEFT JOIN (
      SELECT owner AS busy_owner, count(*) AS running_jobs FROM mailvet.jobs
      WHERE state = 'running' AND waiting < total - processed GROUP BY owner) AS busy ON busy_owner = owner
    WHERE state IN ('queued', 'running') AND (state = 'queued' OR ${isAbandoned})
      AND ($5::text IS NULL OR owner = $5) AND ($6::text IS NULL OR group_id = $6)
      AND ($7 OR owner <> $8 OR options::json->>'cacheScope' = $9)
    ORDER BY state = 'queued', coalesce(running_jobs, 0), num LIMIT 1 FOR UPDATE OF jobs SKIP LOCKED) AS next
  WHERE num = next_num
  RETURNING jobs.*, old_node, is_takeover`;

/** Calls `onNote` for each job that is taken over from another process. */
export function claimJob(
  { database, heartbeat }: { database: Database; heartbeat: Heartbeat },
  backend: SqlBackend,
  onNote: (text: string) => void,
): JobStore['claimJob'] {
  return async (worker, leaseUntil, now, jobFilter = {}) => {
    const { owner = null, groupId = null, commandLineLevel } = jobFilter;
    await heartbeat.register();
    const lease = [worker, heartbeat.id, leaseUntil - now, now];
    const filter = [owner, groupId, commandLineLevel === undefined, localOwner, commandLineLevel ?? null];
    const { job, notes } = await database.write(async (sql) => {
      const notes: string[] = [];
      for (;;) {
        const row = await sql.get(claim, ...lease, ...filter);
        const claimed = row && decodeRow<StoredJob & { isTakeover: boolean; oldNode: string | null }>(row);
        const job = claimed && backend.readJob(claimed);
        if (claimed?.isTakeover) {
          const predecessor = await describePredecessor(sql, claimed.oldNode);
          notes.push(`Job ${job?.id} is taken over ${predecessor}.`);
        }
        if (job === null || !(await runSteps(sql, failAfterCrashes(backend, job, now, jobFilter))))
          return { job, notes };
      }
    });
    for (const note of notes) onNote(note);
    return job;
  };
}
