import type { ApiKey, ApiKeyChange } from '../../model/api-key.js';
import type { Failure } from '../../model/failure.js';

/** An API key as stored: never the key itself. */
export interface KeyRecord extends Pick<ApiKey, 'id' | 'name' | 'prefix' | 'plan' | 'credits'> {
  /** All credits ever granted; null if unknown or without limit. */
  granted: number | null;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  /** The member it belongs to; absent or null: the administrators. */
  memberId?: string | null;
}

/** Credits to settle and to reserve in one transaction; returned credits can be reserved again. */
export interface CreditMoves {
  reserve: readonly { keyId: string; amount: number }[];
  /** Requests granted together share a reservation; each settles its own part of it, once. */
  settle: readonly { reservationId: string; amount: number; used: number }[];
}

export interface MovedCredits {
  /** The reservation of each request, or why it was refused. */
  reserved: (string | Failure)[];
  /** Reservations that no longer exist: their process was considered dead, and they were refunded. */
  missing: ReadonlySet<string>;
}

/** Credits are reserved before the work and settled after it, each in one transaction, so that none is spent twice. */
export interface KeyStore {
  addKey(key: KeyRecord, hash: string): Promise<void>;
  listKeys(): Promise<KeyRecord[]>;
  /** Finds a key by its hash. Null for an unknown, revoked or expired key. */
  findKey(hash: string, now: number): Promise<KeyRecord | null>;
  /** Finds many keys in one transaction. */
  findKeys(hashes: readonly string[], now: number): Promise<(KeyRecord | null)[]>;
  /** Records when keys were last used. Separate from `findKey`, so that a request does not wait for the disk. */
  touchKeys(uses: ReadonlyMap<string, number>): Promise<void>;
  /** Also cancels its jobs. */
  revokeKey(id: string, now: number): Promise<KeyRecord | null>;
  /** Reads a key by its id, in any state. */
  getKey(id: string): Promise<KeyRecord | null>;
  changeKey(id: string, change: ApiKeyChange): Promise<KeyRecord | null>;
  /** Reserves and settles many amounts in one transaction, so that a busy server waits for the disk once. */
  moveCredits(moves: CreditMoves, now: number): Promise<MovedCredits>;
  /** Refunds the reservations of dead processes. */
  refundAbandoned(): Promise<number>;
}
