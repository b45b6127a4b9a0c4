import { readSession, text } from '../records.js';
import type { SessionStore } from '../sessions.js';
import type { Database, Sql } from './database.js';

/** Sessions and the administrator's password on PostgreSQL, shared by all nodes. */
export function postgresSessions(database: Database): SessionStore {
  const change = (statement: string, ...values: (string | number)[]): Promise<number> =>
    database.writeRepeatable((sql) => sql.run(statement, ...values));
  return {
    adminPassword: () => database.read(passwordOf),
    setAdminPassword: (encoded, now, onlyFirst) =>
      database.write(async (sql) => {
        const set = await sql.run(
          `INSERT INTO mailvet.admin VALUES (1, $1, $2) ON CONFLICT (only_one)
           ${onlyFirst ? 'DO NOTHING' : 'DO UPDATE SET password = excluded.password, changed_at = excluded.changed_at'}`,
          encoded,
          now,
        );
        if (set === 0) return false;
        await sql.run('DELETE FROM mailvet.sessions');
        return true;
      }),
    addSession: async (hash, { owner, userAgent, createdAt, lastUsedAt }) => {
      const add = 'INSERT INTO mailvet.sessions VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING';
      await change(add, hash, owner, userAgent, createdAt, lastUsedAt);
    },
    findSession: (hash) =>
      database.read(async (sql) => {
        const row = await sql.get('SELECT * FROM mailvet.sessions WHERE hash = $1', hash);
        return row === null ? null : readSession(row);
      }),
    touchSession: async (hash, now) => {
      await change('UPDATE mailvet.sessions SET last_used_at = $1 WHERE hash = $2', now, hash);
    },
    endSession: async (hash) => {
      await change('DELETE FROM mailvet.sessions WHERE hash = $1', hash);
    },
    endSessions: (owner) => database.write((sql) => sql.run('DELETE FROM mailvet.sessions WHERE owner = $1', owner)),
    expireSessions: ({ idle, begun }) =>
      change('DELETE FROM mailvet.sessions WHERE last_used_at < $1 OR created_at < $2', idle, begun),
  };
}

async function passwordOf(sql: Sql): Promise<string | null> {
  const row = await sql.get('SELECT password FROM mailvet.admin');
  return row === null ? null : text(row, 'password');
}
