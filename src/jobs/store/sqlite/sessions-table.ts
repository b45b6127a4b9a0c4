import { readSession, text } from '../records.js';
import type { SessionStore } from '../sessions.js';
import { forRequests, type Sql, type Sqlite } from './sqlite.js';

/** Sessions and the administrator's password on SQLite. */
export function sqliteSessions(sqlite: Sqlite): SessionStore {
  return {
    adminPassword: () => sqlite.read(passwordOf),
    setAdminPassword: (encoded, now, onlyFirst) =>
      sqlite.write((sql) => {
        if (onlyFirst && passwordOf(sql) !== null) return false;
        sql.run('INSERT OR REPLACE INTO admin (only_one, password, changed_at) VALUES (1, ?, ?)', encoded, now);
        sql.run('DELETE FROM sessions');
        return true;
      }),
    addSession: (hash, { owner, userAgent, createdAt, lastUsedAt }) =>
      sqlite.write((sql) => {
        sql.run('INSERT INTO sessions VALUES (?, ?, ?, ?, ?)', hash, owner, userAgent, createdAt, lastUsedAt);
      }),
    findSession: (hash) =>
      sqlite.read((sql) => {
        const row = sql.get('SELECT * FROM sessions WHERE hash = ?', hash);
        return row === null ? null : readSession(row);
      }, forRequests),
    touchSession: (hash, now) =>
      sqlite.write((sql) => {
        sql.run('UPDATE sessions SET last_used_at = ? WHERE hash = ?', now, hash);
      }),
    endSession: (hash) =>
      sqlite.write((sql) => {
        sql.run('DELETE FROM sessions WHERE hash = ?', hash);
      }),
    endSessions: (owner) => sqlite.write((sql) => sql.run('DELETE FROM sessions WHERE owner = ?', owner)),
    expireSessions: ({ idle, begun }) =>
      sqlite.write((sql) => sql.run('DELETE FROM sessions WHERE last_used_at < ? OR created_at < ?', idle, begun)),
  };
}

function passwordOf(sql: Sql): string | null {
  const row = sql.get('SELECT password FROM admin');
  return row === null ? null : text(row, 'password');
}
