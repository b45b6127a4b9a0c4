import { sleep, systemClock } from '../../../async/clock.js';
import { Failure } from '../../../model/failure.js';
import { number, text } from '../records.js';
import type { Database, Sql } from './database.js';

/** Signs of life in which one that lives has given another. */
const beatsToWait = 2.5;

/**
 * For a worker that has just signed in: makes sure that the name is its own. An elder one of that name that lives is a Failure; one
 * that is dead, as after a crash, is signed out, so that its work need not wait until it counts as dead.
 */
export async function claimName(database: Database, id: string, name: string, beatMs: number): Promise<void> {
  const before = await database.read((sql) => findElders(sql, id, name));
  if (before.length === 0) return;
  await sleep(systemClock, beatsToWait * beatMs);
  const now = await database.read((sql) => findElders(sql, id, name));
  const alive = now.find(({ id, aliveUntil }) => before.some((each) => each.id === id && each.aliveUntil < aliveUntil));
  if (alive !== undefined) throw isTaken(name, alive);
  const dead = before.map(({ id }) => id);
  await database.writeRepeatable((sql) => sql.run('DELETE FROM mailvet.workers WHERE id = ANY($1)', dead));
}

interface Elder {
  id: string;
  host: string;
  pid: number;
  aliveUntil: number;
}

async function findElders(sql: Sql, id: string, name: string): Promise<Elder[]> {
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

function isTaken(name: string, { host, pid }: Elder): Failure {
  return new Failure('usage', `A worker named ${name} is at work already, on ${host} as process ${pid}.`, {
    hint: 'Give each worker a name of its own with --name, or stop the other one first.',
  });
}
