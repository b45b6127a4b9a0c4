import type { ApiKey } from '../model/api-key.js';

/** `no_credits` and `expired` keys are refused until somebody adds credits or time. */
export type KeyState = 'active' | 'no_credits' | 'expired' | 'revoked';

export interface AppKey extends ApiKey {
  state: KeyState;
  /** The credits that it was ever given; null where that is not known, or without limit. */
  granted: number | null;
}

export interface NewKeyRequest {
  name: string;
  /** `self-hosted` where not given. */
  plan?: string;
  /** Null or not given: without limit. */
  credits?: number | null;
  /** ISO 8601; null or not given: never. */
  expires_at?: string | null;
}

export interface KeyChange {
  name?: string;
  /** Not for a key without limit. */
  add_credits?: number;
  /** ISO 8601; null: never. */
  expires_at?: string | null;
}
