import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ProcessInfo } from '../process-info.js';
import type { Database, Sql } from './database.js';
import { claimName } from './worker-name.js';

/** This process among all that have the store open, by signs of life in the database. */
export interface Heartbeat {
  /** What its work is noted under. */
  id: string;
  /** Outlives the process, as its outbound address does. */
  name: string;
  /** Signs in where that was not done yet: whoever only looks need not. */
  signIn(): Promise<void>;
  /** One sign of life; fails where the store cannot be written, or not within its patience. */
  beat(patienceMs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface HeartbeatOptions {
  processInfo?: ProcessInfo;
  /** Signs of life come so often. */
  beatMs?: number;
  /** A process that was silent for so long counts as dead. */
  silentMs?: number;
  /** Called now and then while it is signed in. */
  onBeat?(): Promise<unknown>;
}

/** Now by the database's clock, looked at once for a statement, and not for each row. */
export const nowMs = '(SELECT mailvet.now_ms())';

/** True of a worker's id in `column` that has given no sign of life; who lives is looked up once for a statement. */
export const isDead = (column: string): string =>
  `((${column} NOT IN (SELECT id FROM mailvet.workers WHERE alive_until > mailvet.now_ms())) IS NOT FALSE)`;

/** A process that was silent for so long counts as dead. */
export const defaultSilentMs = 15_000;
const defaults = { beatMs: 2_000, silentMs: defaultSilentMs };

/** Signed in at the first piece of work, and out when the store is closed. */
export function openHeartbeat(database: Database, options: HeartbeatOptions = {}): Heartbeat {
  const { beatMs, silentMs } = { ...defaults, ...options };
  const { kind = 'command', sourceIp = null } = options.processInfo ?? {};
  const name = options.processInfo?.name ?? hostname();
  const card: Required<ProcessInfo> = { kind, name, sourceIp };
  const id = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let signedIn: Promise<void> | null = null;
  let beating = false;

  /** All signs of life that were begun, and that do not wait for a database that went away. */
  let beats: Promise<unknown> = Promise.resolve();
  const beat = (patienceMs?: number): Promise<void> => {
    const sign = database.writeRepeatable(async (sql) => {
      await upsert(sql, id, card, silentMs);
    }, patienceMs);
    if (patienceMs === 0) beats = Promise.allSettled([beats, sign]);
    return sign;
  };
  const beatInTurn = async (): Promise<void> => {
    if (beating) return;
    beating = true;
    try {
      await beat(0);
      await options.onBeat?.();
    } catch {
      // The next piece of work meets the same trouble and can tell someone.
    } finally {
      beating = false;
    }
  };
  const signOut = async (): Promise<void> => {
    clearInterval(timer);
    // One that arrives later would sign it in again.
    await beats;
    await database
      .writeRepeatable((sql) => sql.run('DELETE FROM mailvet.workers WHERE id = $1', id), 0)
      .catch(() => {});
  };
  return {
    id,
    name,
    beat,
    signIn: () => {
      signedIn ??= beat()
        .then(() => {
          timer = setInterval(() => void beatInTurn(), beatMs).unref();
          return kind === 'worker' ? claimName(database, id, name, beatMs) : undefined;
        })
        .catch(async (error: unknown) => {
          await signOut();
          signedIn = null;
          throw error;
        });
      return signedIn;
    },
    close: async () => {
      if (signedIn !== null) await signOut();
    },
  };
}

function upsert(
  sql: Sql,
  id: string,
  { kind, name, sourceIp }: Required<ProcessInfo>,
  silentMs: number,
): Promise<number> {
  return sql.run(
    `INSERT INTO mailvet.workers (id, host, pid, program, started_at, alive_until, name, source_ip, kind)
     VALUES ($1, $2, $3, $4, mailvet.now_ms(), mailvet.now_ms() + $5, $6, $7, $8)
     ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until`,
    id,
    hostname(),
    process.pid,
    `mailvet ${__VERSION__}`,
    silentMs,
    name,
    sourceIp,
    kind,
  );
}
