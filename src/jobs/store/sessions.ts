/** The owner of the administrator's uploads and jobs in the web application. */
export const adminOwner = 'admin';

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

/** Sessions of the web application, by the hash of their id, and the administrator's password. */
export interface SessionStore {
  /** The hash of the password; null if none is set. */
  adminPasswordHash(): Promise<string | null>;
  /** Sets the password and ends all sessions. With `onlyFirst`, false if a password is set already. */
  setAdminPassword(passwordHash: string, now: number, onlyFirst: boolean): Promise<boolean>;
  /** Replaces the current password and ends all sessions; false if the password was changed meanwhile. */
  changeAdminPassword(passwordHash: string, now: number, currentHash: string): Promise<boolean>;
  addSession(hash: string, session: SessionRecord): Promise<void>;
  findSession(hash: string): Promise<SessionRecord | null>;
  /** The sessions of one owner, last used first; bounded. */
  listSessions(owner: string): Promise<(SessionRecord & { hash: string })[]>;
  touchSession(hash: string, now: number): Promise<void>;
  endSession(hash: string): Promise<void>;
  /** Returns the number of ended sessions. */
  endSessions(owner: string): Promise<number>;
  /** Ends sessions that were last used, or created, before these times. */
  expireSessions(cutoff: { lastUsedAt: number; createdAt: number }): Promise<number>;
}
