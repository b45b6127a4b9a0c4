import { all, forRequests, get, insert, run, type SqlBackend } from './sql.js';

/** The owner of the administrator's uploads and jobs in the web application. */
export const adminOwner = 'admin';

const memberPrefix = 'member-';

export function memberId(uuid: string): string {
  return memberPrefix + uuid;
}

/** True for the id of a member, false for the id of a key. */
export function isMemberId(owner: string): boolean {
  return owner.startsWith(memberPrefix);
}

/** A browser that is signed in. Times are in ms since 1970. */
export interface SessionRecord {
  /** The administrator, or the id of a member or a key. */
  owner: string;
  userAgent: string;
  /** The network that signed in; empty if unknown. */
  address: string;
  createdAt: number;
  lastUsedAt: number;
}

export type SessionStore = ReturnType<typeof sessionsTable>;

/** A new session beyond this ends the one that was not used for longest. */
const maxSessionsOfOwner = 100;

const columns = 'owner, user_agent, address, created_at, last_used_at';

/** Sessions of the web application, by the hash of their id, and the administrator's password. */
export function sessionsTable({ read, write }: SqlBackend) {
  return {
    /** The hash of the password; null if none is set. */
    adminPasswordHash: async () =>
      (await read(() => get<{ password: string }>('SELECT * FROM admin')))?.password ?? null,
    /** Sets the password and ends all sessions. With `onlyFirst`, false if a password is set already. */
    setAdminPassword: (password: string, changedAt: number, onlyFirst: boolean) =>
      write(function* () {
        const replace = 'UPDATE SET password = excluded.password, changed_at = excluded.changed_at';
        const onConflict = `ON CONFLICT (only_one) DO ${onlyFirst ? 'NOTHING' : replace}`;
        const isSet = (yield* insert('admin', { onlyOne: 1, password, changedAt }, onConflict)) > 0;
        if (isSet) yield* run('DELETE FROM sessions');
        return isSet;
      }),
    /** Replaces the current password and ends all sessions; false if the password was changed meanwhile. */
    changeAdminPassword: (passwordHash: string, now: number, currentHash: string) =>
      write(function* () {
        const set = 'UPDATE admin SET password = ?, changed_at = ? WHERE password = ?';
        if ((yield* run(set, passwordHash, now, currentHash)) === 0) return false;
        yield* run('DELETE FROM sessions');
        return true;
      }),
    addSession: async (hash: string, session: SessionRecord) => {
      const endOldest = `DELETE FROM sessions WHERE hash IN
        (SELECT hash FROM sessions WHERE owner = ? ORDER BY last_used_at DESC, hash LIMIT 1000 OFFSET ?)`;
      await write(function* () {
        yield* insert('sessions', { hash, ...session }, 'ON CONFLICT DO NOTHING');
        yield* run(endOldest, session.owner, maxSessionsOfOwner);
      });
    },
    findSession: (hash: string) =>
      read(() => get<SessionRecord>(`SELECT ${columns} FROM sessions WHERE hash = ?`, hash), forRequests),
    /** The sessions of one owner, last used first; bounded. */
    listSessions: (owner: string) => {
      const list = 'SELECT * FROM sessions WHERE owner = ? ORDER BY last_used_at DESC LIMIT ?';
      return read(() => all<SessionRecord & { hash: string }>(list, owner, maxSessionsOfOwner));
    },
    touchSession: async (hash: string, now: number) => {
      await write(() => run('UPDATE sessions SET last_used_at = ? WHERE hash = ?', now, hash));
    },
    endSession: async (hash: string) => {
      await write(() => run('DELETE FROM sessions WHERE hash = ?', hash));
    },
    /** Returns the number of ended sessions. */
    endSessions: (owner: string) => write(() => run('DELETE FROM sessions WHERE owner = ?', owner)),
    /** Ends sessions that were last used, or created, before these times. */
    expireSessions: ({ lastUsedAt, createdAt }: Pick<SessionRecord, 'lastUsedAt' | 'createdAt'>) =>
      write(() => run('DELETE FROM sessions WHERE last_used_at < ? OR created_at < ?', lastUsedAt, createdAt)),
  };
}
