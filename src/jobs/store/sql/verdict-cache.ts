import { createHmac } from 'node:crypto';
import type { RowVerdict } from '../../../model/job.js';
import { readNumber, readText } from '../records.js';
import type { Batch, CachedVerdict, VerdictCache } from '../store.js';
import { all, inList, listValue, run, type SqlBackend, type Steps } from './steps.js';

/** Addresses are cached under a keyed hash: without the store's secret they cannot be recovered. */
export type AddressHasher = (email: string) => string;

/** Reads the secret at the first address. */
export function createAddressHasher(readSecret: () => Uint8Array): AddressHasher {
  let secret: Uint8Array | null = null;
  return (email) => {
    secret ??= readSecret();
    return createHmac('sha256', secret).update(email).digest('base64url');
  };
}

export function verdictCache(backend: SqlBackend, hash: AddressHasher): VerdictCache {
  return {
    findCached: async (scope, emails) => {
      const emailOf = new Map(emails.map((email) => [cacheKey(scope, email, hash), email]));
      const find = `SELECT * FROM cache WHERE key ${inList}`;
      const cached = new Map<string, CachedVerdict>();
      for (const row of await backend.read(() => all(find, listValue(emailOf.keys())))) {
        const verdict = unpack(readText(row, 'verdict'));
        const email = emailOf.get(readText(row, 'key'));
        if (verdict !== null && email !== undefined)
          cached.set(email, { checkedAt: readNumber(row, 'checked_at'), verdict });
      }
      return cached;
    },
    forgetCached: (email) => {
      const suffix = ` ${hash(email)}`;
      const forget = 'DELETE FROM cache WHERE substr(key, length(key) - ?) = ?';
      return backend.write(() => run(forget, suffix.length - 1, suffix));
    },
    pruneCache: (checkedBefore) => backend.write(() => run('DELETE FROM cache WHERE checked_at < ?', checkedBefore)),
  };
}

/**
 * Writes the verdicts of a batch in one statement, in the order of their keys, which halves the work. One with a suggested
 * spelling is left out, since that is an address.
 */
export function* cacheVerdicts({ cache: { scope, entries: checked }, now }: Batch, hash: AddressHasher): Steps<void> {
  const entries = checked.filter(({ verdict }) => verdict.did_you_mean === null);
  if (entries.length === 0) return;
  // Each key once: PostgreSQL cannot update a row twice in one statement.
  const packed = new Map(entries.map(({ email, verdict }) => [cacheKey(scope, email, hash), pack(verdict)]));
  yield* run(
    `INSERT INTO cache SELECT value ->> 0, value ->> 1, ? FROM json_each(?) WHERE TRUE
     ON CONFLICT (key) DO UPDATE SET verdict = excluded.verdict, checked_at = excluded.checked_at`,
    now,
    JSON.stringify([...packed].sort(([one], [other]) => (one < other ? -1 : 1))),
  );
}

function cacheKey(scope: string, email: string, hash: AddressHasher): string {
  return `${scope} ${hash(email)}`;
}

function pack({ status, sub_status, confidence, safe_to_send }: RowVerdict): string {
  return `${status} ${sub_status} ${confidence} ${safe_to_send}`;
}

/** Null for an entry that cannot be parsed: the address is validated again. */
function unpack(packed: string): RowVerdict | null {
  const [, status, sub_status, confidence, safe] = /^(\w+) (\w*) ([\d.e-]+) (true|false)$/.exec(packed) ?? [];
  if (status === undefined || sub_status === undefined) return null;
  return { status, sub_status, confidence: Number(confidence), safe_to_send: safe === 'true', did_you_mean: null };
}
