import type { ApiKey } from '../model/api-key.js';

/** `no_credits` and `expired` keys are refused until credits or time are added. */
export type KeyState = 'active' | 'no_credits' | 'expired' | 'revoked';

export interface AppKey extends ApiKey {
  state: KeyState;
  /** All credits ever granted; null if unknown or without limit. */
  granted: number | null;
}

export interface NewKeyRequest {
  name: string;
  /** `self-hosted` by default. */
  plan?: string;
  /** Null or absent: without limit. */
  credits?: number | null;
  /** ISO 8601; null or absent: never. */
  expires_at?: string | null;
}

export interface KeyChange {
  name?: string;
  /** Not for a key without limit. */
  add_credits?: number;
  /** ISO 8601; null: never. */
  expires_at?: string | null;
}
