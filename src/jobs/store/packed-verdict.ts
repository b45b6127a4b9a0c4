import { createHmac } from 'node:crypto';
import type { RowVerdict } from '../../model/job.js';
import { number, type StoredRow, text } from './records.js';
import type { CachedVerdict } from './store.js';

/** What an address is remembered by: nobody without the store's secret can tell which one it is. */
export type HashAddress = (email: string) => string;

/** Hides addresses by a secret that is asked for at the first one. */
export function hashAddress(secretOf: () => Uint8Array): HashAddress {
  let secret: Uint8Array | null = null;
  return (email) => {
    secret ??= secretOf();
    return createHmac('sha256', secret).update(email).digest('base64url');
  };
}

/** The key and the packed verdict of each address, in the order of the keys, which halves the work of writing them. */
export function packEntries(
  scope: string,
  entries: readonly { email: string; verdict: RowVerdict }[],
  hide: HashAddress,
): [key: string, verdict: string][] {
  const rows = entries.map(({ email, verdict }): [string, string] => [cacheKey(scope, email, hide), pack(verdict)]);
  return rows.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Under which name a verdict is remembered. */
export function cacheKey(scope: string, email: string, hide: HashAddress): string {
  return `${scope} ${hide(email)}`;
}

function pack({ status, sub_status, confidence, safe_to_send, did_you_mean }: RowVerdict): string {
  return JSON.stringify([status, sub_status, confidence, safe_to_send, did_you_mean]);
}

type Packed = [status: string, subStatus: string, confidence: number, safeToSend: boolean, didYouMean: string | null];

/** The verdicts of the rows that were found, by the addresses they were wanted for; `wanted` has those by their keys. */
export function readCached(
  rows: readonly StoredRow[],
  wanted: ReadonlyMap<string, string>,
): Map<string, CachedVerdict> {
  const known = new Map<string, CachedVerdict>();
  for (const row of rows) {
    const verdict = unpack(text(row, 'verdict'));
    const email = wanted.get(text(row, 'key'));
    if (verdict !== null && email !== undefined) known.set(email, { checkedAt: number(row, 'checked_at'), verdict });
  }
  return known;
}

/** Null for what cannot be read: it is asked again, which is all that a cache saves. */
function unpack(packed: string): RowVerdict | null {
  let fields: unknown;
  try {
    fields = JSON.parse(packed);
  } catch {
    return null;
  }
  const kinds = Array.isArray(fields) ? fields.map((field) => typeof field).join(' ') : '';
  if (!/^string string number boolean (?:string|object)$/.test(kinds)) return null;
  const [status, sub_status, confidence, safe_to_send, did_you_mean] = fields as Packed;
  return { status, sub_status, confidence, safe_to_send, did_you_mean };
}
