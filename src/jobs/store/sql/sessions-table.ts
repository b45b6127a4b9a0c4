import { readNumber, readText } from '../records.js';
import type { SessionStore } from '../sessions.js';
import { forRequests, get, run, type SqlBackend, type SqlValue, type Steps } from './steps.js';

export function sessionsTable(backend: SqlBackend): SessionStore {
  const change = (statement: string, ...values: SqlValue[]): Promise<number> =>
    backend.writeRepeatable(() => run(statement, ...values));
  return {
    adminPasswordHash: async () => {
      const row = await backend.read(() => get('SELECT password FROM admin'));
      return row === null ? null : readText(row, 'password');
    },
    setAdminPassword: (passwordHash, now, onlyFirst) => backend.write(() => setPassword(passwordHash, now, onlyFirst)),
    addSession: async (hash, { owner, userAgent, createdAt, lastUsedAt }) => {
      const add = 'INSERT INTO sessions VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING';
      await change(add, hash, owner, userAgent, createdAt, lastUsedAt);
    },
    findSession: async (hash) => {
      const row = await backend.read(() => get('SELECT * FROM sessions WHERE hash = ?', hash), forRequests);
      if (row === null) return null;
      return {
        owner: readText(row, 'owner'),
        userAgent: readText(row, 'user_agent'),
        createdAt: readNumber(row, 'created_at'),
        lastUsedAt: readNumber(row, 'last_used_at'),
      };
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
