/** An API key of this machine's server, without the secret. Times are ISO 8601, UTC. */
export interface ApiKey {
  id: string;
  name: string;
  /** The first characters of the key, which distinguish keys. */
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

export interface NewApiKey extends Pick<ApiKey, 'name' | 'plan' | 'credits'> {
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null;
  /** The key is accepted only for addresses of the sandbox. */
  isTest?: boolean;
}

/** Absent fields stay. */
export type ApiKeyChange = Partial<Pick<NewApiKey, 'name' | 'credits' | 'expiresAt'>>;

/** The API keys of this machine's server, and its administrator password; the server may be running. */
export interface ApiKeys {
  /** The only call that returns the secret. */
  create(key: NewApiKey): Promise<{ key: string; record: ApiKey }>;
  list(): Promise<ApiKey[]>;
  /** Finds a key by its id or a prefix of it; throws `not_found`, or `usage` for an ambiguous prefix. */
  find(id: string): Promise<ApiKey>;
  /** Changes a key that is found in the same way; throws `conflict` for a revoked one. */
  change(id: string, change: ApiKeyChange): Promise<ApiKey>;
  /** Revokes a key that is found in the same way. */
  revoke(id: string): Promise<ApiKey>;
  /** Ends all sessions; throws `bad_input` for a short password. */
  setAdminPassword(password: string): Promise<void>;
  close(): Promise<void>;
}
