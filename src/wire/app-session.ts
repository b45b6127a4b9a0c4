import type { Level } from '../model/evidence.js';

export type Who =
  | { kind: 'admin'; name: string }
  /** `credits` null: without limit. */
  | { kind: 'key'; id: string; name: string; prefix: string; plan: string; credits: number | null };

/** The state of a browser. `setup`: no password exists yet, and only keys can sign in. */
export type SessionView =
  | { state: 'setup' | 'signed_out' }
  | { state: 'signed_in'; who: Who; expires_at: string; server: ServerFacts };

/** Sent only to signed-in users. */
export interface ServerFacts {
  version: string;
  level: Level;
  max_upload_bytes: number;
  max_rows: number;
}

/** Bounds for the administrator's password. */
export const passwordLength = { min: 10, max: 1_000 } as const;
