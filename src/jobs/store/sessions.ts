/** The owner of what the administrator makes in the web application. */
export const adminOwner = 'admin';

/** A browser that is signed in. Times are in ms since 1970. */
export interface SessionRecord {
  /** The administrator, or the id of a key. */
  owner: string;
  userAgent: string;
  createdAt: number;
  lastUsedAt: number;
}

/** Who is signed in to the web application, and the password that lets the administrator in. Sessions go by the hash of their id. */
export interface SessionStore {
  /** As it was set: a hash, never the password. Null: nobody has set one. */
  adminPassword(): Promise<string | null>;
  /** Sets it and ends every session, of whomever. With `onlyFirst`, false where there is one already, and nothing is done. */
  setAdminPassword(encoded: string, now: number, onlyFirst: boolean): Promise<boolean>;
  addSession(hash: string, session: SessionRecord): Promise<void>;
  findSession(hash: string): Promise<SessionRecord | null>;
  touchSession(hash: string, now: number): Promise<void>;
  endSession(hash: string): Promise<void>;
  /** Everywhere; gives how many. */
  endSessions(owner: string): Promise<number>;
  /** Forgets sessions that were last used before `idle`, or begun before `begun`. */
  expireSessions(before: { idle: number; begun: number }): Promise<number>;
}
