/** A key of the server on this machine, without the key itself. Times are ISO 8601, UTC. */
export interface ApiKey {
  id: string;
  name: string;
  /** The first characters of the key, to tell keys apart. */
  prefix: string;
  plan: string;
  /** Null: without limit. */
  credits: number | null;
  created_at: string;
  /** Null: never. */
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** What a new key is to be. */
export interface NewApiKey extends Pick<ApiKey, 'name' | 'plan' | 'credits'> {
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null;
}

/** The keys of a server on this machine, and the password of its web application; it may run meanwhile. */
export interface ApiKeys {
  /** The key itself is given here and never again. */
  create(wish: NewApiKey): Promise<{ key: string; record: ApiKey }>;
  list(): Promise<ApiKey[]>;
  /** By its id or a beginning of it; fails with `not_found`, or with `usage` where several begin so. */
  revoke(id: string): Promise<ApiKey>;
  /** Ends every session; the Failure `bad_input` for one that is too short. */
  setAdminPassword(password: string): Promise<void>;
  close(): Promise<void>;
}
