import type { ApiKey } from '../../model/api-key.js';
import type { Failure } from '../../model/failure.js';

/** An API key as stored: never the key itself. */
export interface KeyRecord extends Pick<ApiKey, 'id' | 'name' | 'prefix' | 'plan' | 'credits'> {
  /** All that it was ever given; null where nobody knows, or without limit. */
  granted: number | null;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
}

/** Credits to take and to settle at once; what is given back is there to be taken. */
export interface CreditMoves {
  reserve: readonly { keyId: string; amount: number }[];
  /** Wishes that were granted together share a reservation; each settles its own amount of it, once. */
  settle: readonly { reservationId: string; amount: number; used: number }[];
}

export interface MovedCredits {
  /** For each wish its reservation, or why not. */
  reserved: (string | Failure)[];
  /** Reservations that were to be settled and are none any more: their process was taken for dead, and they were given back. */
  gone: ReadonlySet<string>;
}

/** What may be changed of a key; what is not named stays. */
export interface KeyChange {
  name?: string;
  addCredits?: number;
  expiresAt?: number | null;
}

/** Credits are taken before the work and settled after it, each in one transaction, so that nothing is spent twice. */
export interface KeyStore {
  addKey(key: KeyRecord, hash: string): Promise<void>;
  listKeys(): Promise<KeyRecord[]>;
  /** By the hash of the whole key. Null for an unknown, revoked or expired key. */
  findKey(hash: string, now: number): Promise<KeyRecord | null>;
  /** The same for many in one look. */
  findKeys(hashes: readonly string[], now: number): Promise<(KeyRecord | null)[]>;
  /** Notes when keys were last used; apart from finding them, so that a request need not wait for the disk. */
  touchKeys(uses: ReadonlyMap<string, number>): Promise<void>;
  revokeKey(id: string, now: number): Promise<KeyRecord | null>;
  /** By its id, whatever its state. */
  getKey(id: string): Promise<KeyRecord | null>;
  /** Credits are added to a key that has a limit. */
  changeKey(id: string, change: KeyChange): Promise<KeyRecord | null>;
  /** Takes `amount`, or fails with `no_credits` and takes nothing. */
  reserveCredits(keyId: string, amount: number, now: number): Promise<string>;
  /** Charges `used` of a reservation and gives back the rest; a reservation settles once. */
  settleCredits(reservationId: string, used: number): Promise<void>;
  /** Many of both in one transaction, so that a busy server waits for the disk once. */
  moveCredits(moves: CreditMoves, now: number): Promise<MovedCredits>;
  /** How many of the wished requests each key may make now, at so many a second over all that have the store open; null where each process counts for itself. */
  takeRequests: ((wishes: readonly { keyId: string; wanted: number }[], perSecond: number) => Promise<number[]>) | null;
  /** Gives back what processes that are now dead had reserved. */
  refundAbandoned(): Promise<number>;
}
