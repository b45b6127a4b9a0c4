import type { Level } from '../model/evidence.js';

/** Who is signed in. */
export type Who =
  | { kind: 'admin'; name: string }
  /** `credits` null: without limit. */
  | { kind: 'key'; id: string; name: string; prefix: string; plan: string; credits: number | null };

/** What the pages begin with. `setup`: no password exists yet, and only keys can sign in. */
export type SessionView =
  | { state: 'setup' | 'signed_out' }
  | { state: 'signed_in'; who: Who; expires_at: string; server: ServerFacts };

/** What the server is like, told only to those who are signed in. */
export interface ServerFacts {
  version: string;
  level: Level;
  max_upload_bytes: number;
  max_rows: number;
}

/** The least length of the administrator's password, and the most. */
export const passwordLength = { min: 10, max: 1_000 } as const;
