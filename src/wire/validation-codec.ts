import { type BulkItem, countedAs, type ValidationResult } from '../model/result.js';
import { flag, share, text } from '../model/schema.js';
import { maxUnknownConfidence, statuses } from '../model/verdict.js';
import { components } from './components.js';
import { asFields, type Fields, isFields, numberIn, read, showRaw, textIn, wrongType } from './fields.js';

const sections = ['details', 'catchall', 'ai_enhancement', 'performance', 'metadata'] as const;

/** A single result (§2.1). Unknown fields are kept; `requestedEmail` replaces a missing address. */
export function decodeResult(value: unknown, requestedEmail: string): ValidationResult {
  const raw = unwrap(asFields(value, 'result'), ['result', 'data'], 'status');
  if (!('status' in raw || 'is_valid' in raw)) throw wrongType('status', 'a word');
  const { evidence, retry_at, cached, canonical, email, ...fields } = raw;
  const retryAt = numberIn(retry_at);
  const isForeign = evidence !== undefined && !looksLikeEvidence(evidence);
  const result = read(
    components.ValidationResult,
    {
      ...fields,
      ...decodeVerdict(raw),
      email: email ?? requestedEmail,
      reasons: reasonsIn(raw),
      canonical: textIn(canonical),
      ...(retryAt !== null && { retry_at: retryAt }),
      ...(cached === true && { cached }),
      ...(evidence !== undefined && !isForeign && { evidence }),
    },
    'result',
  );
  if (canonical === undefined) delete result.canonical;
  return isForeign ? showRaw(result, raw, { ...result }) : result;
}

/** The fields of a verdict, of which only `valid` is safe to send. */
export function decodeVerdict(raw: Fields) {
  const status = decodeStatus(raw);
  const isValid = status === 'valid';
  const confidence = read(share, raw['confidence'], 'confidence');
  return {
    status,
    sub_status: read(text, raw['sub_status'], 'sub_status'),
    // Bounded for an unknown, whatever the service sent.
    confidence: countedAs(status, false) === 'unknown' ? Math.min(maxUnknownConfidence, confidence) : confidence,
    safe_to_send: isValid && read(flag, raw['safe_to_send'], 'safe_to_send'),
    is_valid: isValid && read(flag, raw['is_valid'] ?? true, 'is_valid'),
    did_you_mean: textIn(raw['did_you_mean']),
  };
}

/** A missing section reads as all `false`; the reasons say that it was not answered. */
function reasonsIn(raw: Fields): string[] {
  const rawReasons = typeof raw['reasons'] === 'string' ? [raw['reasons']] : raw['reasons'];
  const reasons = Array.isArray(rawReasons) ? rawReasons.filter((reason) => typeof reason === 'string') : [];
  const missing = sections.filter((name) => raw[name] == null).map((name) => `${name}_not_answered`);
  return [...reasons, ...missing];
}

function looksLikeEvidence(value: unknown): boolean {
  return isFields(value) && isFields(value['syntax']) && isFields(value['route']) && isFields(value['catchAll']);
}

/** The status: known words in our spelling, others unchanged; unknown without one, whatever `is_valid` says. */
function decodeStatus(raw: Fields): string {
  const word = read(text, raw['status'], 'status');
  const lower = word.trim().toLowerCase();
  if (lower === '') return 'unknown';
  return statuses.some((status) => status === lower) ? lower : word;
}

/** Some services put the result into an envelope. */
function unwrap(raw: Fields, envelopes: readonly string[], field: string): Fields {
  if (field in raw) return raw;
  const inner = envelopes.map((name) => raw[name]).find(isFields);
  return inner ?? raw;
}

/**
 * A bulk summary (§2.2) as one item per address in the order sent; null if the service left one out. `keyOf` is
 * equal for two spellings of one mailbox.
 */
export function decodeBulk(
  value: unknown,
  emails: readonly string[],
  keyOf = (email: string): string => email.toLowerCase(),
): (BulkItem | ValidationResult | null)[] {
  const items = itemsIn(value);
  if (items.length === 0 && emails.length > 0) throw wrongType('results', 'a list of results');
  let byEmail: Map<string, Fields> | null = null;
  return emails.map((email, index) => {
    const item = items[index];
    if (item !== undefined && isFields(item) && item['email'] === email) return decodeItem(item, email);
    byEmail ??= indexByEmail(items, keyOf);
    const found = byEmail.get(email) ?? byEmail.get(keyOf(email));
    if (found !== undefined) return decodeItem(found, email);
    // Items without an address are matched by position.
    if (isFields(item) && item['email'] == null && items.length === emails.length) return decodeItem(item, email);
    return null;
  });
}

/** The credits that a bulk request was charged; null if the service does not say. */
export function decodeCreditsUsed(value: unknown): number | null {
  const credits = isFields(value) ? numberIn(value['credits_used']) : null;
  return credits !== null && credits >= 0 ? Math.floor(credits) : null;
}

function itemsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const raw = asFields(value, 'summary');
  const direct = ['results', 'items', 'data'].map((name) => raw[name]);
  const list = direct.find(Array.isArray);
  if (list !== undefined) return list;
  const nested = direct.find(isFields);
  if (nested !== undefined && Array.isArray(nested['results'])) return nested['results'];
  throw wrongType('results', 'a list');
}

function indexByEmail(items: readonly unknown[], keyOf: (email: string) => string): Map<string, Fields> {
  const index = new Map<string, Fields>();
  for (const item of items) {
    if (!isFields(item) || typeof item['email'] !== 'string') continue;
    index.set(item['email'], item);
    const key = keyOf(item['email'].trim());
    if (!index.has(key)) index.set(key, item);
  }
  return index;
}

function decodeItem(raw: Fields, email: string): BulkItem | ValidationResult {
  if (isFields(raw['details'])) return { ...decodeResult(raw, email), email };
  if (isPlainItem(raw, email)) return raw;
  // One row without a verdict must not discard the others, which are paid for.
  const { status, is_valid, confidence, ...others } = decodeVerdict(raw);
  const item: BulkItem & Fields = { ...raw, email, status, is_valid, confidence };
  for (const [name, value] of Object.entries(others)) if (name in raw) item[name] = value;
  if ('reasons' in raw && !Array.isArray(raw['reasons'])) item['reasons'] = [];
  return item;
}

/** Most rows are as documented and need no copy. */
function isPlainItem(raw: Fields, email: string): raw is Fields & BulkItem {
  for (const name in raw) {
    if (name !== 'email' && name !== 'status' && name !== 'is_valid' && name !== 'confidence') return false;
  }
  const { status, confidence } = raw;
  return (
    raw['email'] === email &&
    raw['is_valid'] === (status === 'valid') &&
    (status === 'valid' || status === 'invalid' || status === 'risky' || status === 'unknown') &&
    typeof confidence === 'number' &&
    Number.isFinite(confidence) &&
    (status !== 'unknown' || confidence <= maxUnknownConfidence)
  );
}
