import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { ProcessInfo } from '../process-info.js';
import type { Database, Sql } from './database.js';
import { claimName } from './worker-name.js';

/** Keeps this process visible to all others that have the store open. */
export interface Heartbeat {
  /** The holder of its jobs and reservations. */
  id: string;
  /** Survives a restart, as the outbound address does. */
  name: string;
  /** Registers the process unless done already; readers need not. */
  register(): Promise<void>;
  /** One heartbeat; fails where the store cannot be written in time. */
  beat(patienceMs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface HeartbeatOptions {
  processInfo?: ProcessInfo;
  /** The interval of heartbeats. */
  beatMs?: number;
  /** A process without a heartbeat for so long counts as dead. */
  silentMs?: number;
  /** Called after each heartbeat. */
  onBeat?(): Promise<unknown>;
}

/** The database's clock, read once a statement and not for each row. */
export const nowMs = '(SELECT mailvet.now_ms())';

/** True where the process in `column` is dead; live processes are read once a statement. */
export const isDead = (column: string): string =>
  `((${column} NOT IN (SELECT id FROM mailvet.workers WHERE alive_until > mailvet.now_ms())) IS NOT FALSE)`;

export const defaultSilentMs = 15_000;
const defaults = { beatMs: 2_000, silentMs: defaultSilentMs };

/** Registers at the first work, and unregisters when the store is closed. */
export function openHeartbeat(database: Database, options: HeartbeatOptions = {}): Heartbeat {
  const { beatMs, silentMs } = { ...defaults, ...options };
  const { kind = 'command', sourceIp = null } = options.processInfo ?? {};
  const name = options.processInfo?.name ?? hostname();
  const info: Required<ProcessInfo> = { kind, name, sourceIp };
  const id = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let signedIn: Promise<void> | null = null;
  let isBeating = false;

  /** The heartbeats in flight that do not wait for a lost database. */
  let beats: Promise<unknown> = Promise.resolve();
  const beat = (patienceMs?: number): Promise<void> => {
    const written = database.writeRepeatable(async (sql) => {
      await upsert(sql, id, info, silentMs);
    }, patienceMs);
    if (patienceMs === 0) beats = Promise.allSettled([beats, written]);
    return written;
  };
  const beatUnlessBusy = async (): Promise<void> => {
    if (isBeating) return;
    isBeating = true;
    try {
      await beat(0);
      await options.onBeat?.();
    } catch {
      // The next transaction reports the same failure.
    } finally {
      isBeating = false;
    }
  };
  const signOut = async (): Promise<void> => {
    clearInterval(timer);
    // A later heartbeat would register it again.
    await beats;
    await database
      .writeRepeatable((sql) => sql.run('DELETE FROM mailvet.workers WHERE id = $1', id), 0)
      .catch(() => {});
  };
  return {
    id,
    name,
    beat,
    register: () => {
      signedIn ??= beat()
        .then(() => {
          timer = setInterval(() => void beatUnlessBusy(), beatMs).unref();
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
