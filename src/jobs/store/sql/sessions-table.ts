import { readNumber, readText, type StoredRow } from '../records.js';
import type { SessionRecord, SessionStore } from '../sessions.js';
import { all, forRequests, get, run, type SqlBackend, type SqlValue, type Steps } from './steps.js';

export function sessionsTable(backend: SqlBackend): SessionStore {
  const change = (statement: string, ...values: SqlValue[]): Promise<number> =>
    backend.writeRepeatable(() => run(statement, ...values));
  return {
    adminPasswordHash: async () => {
      const row = await backend.read(() => get('SELECT password FROM admin'));
      return row === null ? null : readText(row, 'password');
    },
    setAdminPassword: (passwordHash, now, onlyFirst) => backend.write(() => setPassword(passwordHash, now, onlyFirst)),
    changeAdminPassword: (passwordHash, now, currentHash) =>
      backend.write(function* () {
        const set = 'UPDATE admin SET password = ?, changed_at = ? WHERE password = ?';
        if ((yield* run(set, passwordHash, now, currentHash)) === 0) return false;
        yield* run('DELETE FROM sessions');
        return true;
      }),
    addSession: async (hash, { owner, userAgent, address, createdAt, lastUsedAt }) => {
      const add = `INSERT INTO sessions (hash, owner, user_agent, created_at, last_used_at, address)
        VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
      const endOldest = `DELETE FROM sessions WHERE hash IN
        (SELECT hash FROM sessions WHERE owner = ? ORDER BY last_used_at DESC, hash LIMIT 1000 OFFSET ?)`;
      await backend.writeRepeatable(function* () {
        yield* run(add, hash, owner, userAgent, createdAt, lastUsedAt, address);
        yield* run(endOldest, owner, maxSessionsOfOwner);
      });
    },
    findSession: async (hash) => {
      const row = await backend.read(() => get('SELECT * FROM sessions WHERE hash = ?', hash), forRequests);
      return row === null ? null : readSession(row);
    },
    listSessions: async (owner) => {
      const list = 'SELECT * FROM sessions WHERE owner = ? ORDER BY last_used_at DESC LIMIT ?';
      const rows = await backend.read(() => all(list, owner, maxSessionsOfOwner));
      return rows.map((row) => ({ ...readSession(row), hash: readText(row, 'hash') }));
    },
    touchSession: async (hash, now) => {
      await change('UPDATE sessions SET last_used_at = ? WHERE hash = ?', now, hash);
    },
    endSession: async (hash) => {
      await change('DELETE FROM sessions WHERE hash = ?', hash);
    },
    endSessions: (owner) => backend.write(() => run('DELETE FROM sessions WHERE owner = ?', owner)),
    expireSessions: ({ lastUsedAt, createdAt }) =>
      change('DELETE FROM sessions WHERE last_used_at < ? OR created_at < ?', lastUsedAt, createdAt),
  };
}

/** A new session beyond this ends the one that was not used for longest. */
const maxSessionsOfOwner = 100;

function readSession(row: StoredRow): SessionRecord {
  return {
    owner: readText(row, 'owner'),
    userAgent: readText(row, 'user_agent'),
    address: readText(row, 'address'),
    createdAt: readNumber(row, 'created_at'),
    lastUsedAt: readNumber(row, 'last_used_at'),
  };
}

function* setPassword(passwordHash: string, now: number, onlyFirst: boolean): Steps<boolean> {
  const replace = 'DO UPDATE SET password = excluded.password, changed_at = excluded.changed_at';
  const set = yield* run(
    `INSERT INTO admin VALUES (1, ?, ?) ON CONFLICT (only_one) ${onlyFirst ? 'DO NOTHING' : replace}`,
    passwordHash,
    now,
  );
  if (set > 0) yield* run('DELETE FROM sessions');
  return set > 0;
}
