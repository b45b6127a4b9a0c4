import { sleep, systemClock } from '../../../async/clock.js';
import { Failure } from '../../../model/failure.js';
import { number, text } from '../records.js';
import type { Database, Sql } from './database.js';

/** A live worker sends a heartbeat within this many intervals. */
const beatsToWait = 2.5;

/**
 * Makes sure that no older live worker has the name, or throws. A dead one, as after a crash, is removed at once, so that its work
 * does not wait until it counts as dead.
 */
export async function claimName(database: Database, id: string, name: string, beatMs: number): Promise<void> {
  const before = await database.read((sql) => findOlder(sql, id, name));
  if (before.length === 0) return;
  await sleep(systemClock, beatsToWait * beatMs);
  const now = await database.read((sql) => findOlder(sql, id, name));
  const alive = now.find(({ id, aliveUntil }) => before.some((each) => each.id === id && each.aliveUntil < aliveUntil));
  if (alive !== undefined) throw nameTaken(name, alive);
  const dead = before.map(({ id }) => id);
  await database.writeRepeatable((sql) => sql.run('DELETE FROM mailvet.workers WHERE id = ANY($1)', dead));
}

interface OlderWorker {
  id: string;
  host: string;
  pid: number;
  aliveUntil: number;
}

async function findOlder(sql: Sql, id: string, name: string): Promise<OlderWorker[]> {
  const rows = await sql.all(
    `SELECT other.id, other.host, other.pid, other.alive_until FROM mailvet.workers other, mailvet.workers own
     WHERE own.id = $1 AND other.kind = 'worker' AND other.name = $2 AND other.alive_until > mailvet.now_ms()
       AND (other.started_at, other.id) < (own.started_at, own.id)`,
    id,
    name,
  );
  return rows.map((row) => ({
    id: text(row, 'id'),
    host: text(row, 'host'),
    pid: number(row, 'pid'),
    aliveUntil: number(row, 'alive_until'),
  }));
}

function nameTaken(name: string, { host, pid }: OlderWorker): Failure {
  return new Failure('usage', `A worker named ${name} is already running, on ${host} as process ${pid}.`, {
    hint: 'Give each worker its own name with --name, or stop the other one first.',
  });
}
