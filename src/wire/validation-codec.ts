import { type BulkItem, countedAs, type ValidationResult } from '../model/result.js';
import { maxUnknownConfidence, statuses } from '../model/verdict.js';
import { components } from './components.js';
import {
  asFields,
  asFlag,
  asNumber,
  asText,
  type Fields,
  isFields,
  numberIn,
  showRaw,
  textIn,
  wrongType,
} from './fields.js';

/** A single result (§2.1). Unknown fields are kept; `requestedEmail` replaces a missing address. */
export function decodeResult(value: unknown, requestedEmail: string): ValidationResult {
  const raw = unwrap(asFields(value, 'result'), ['result', 'data'], 'status');
  if (!('status' in raw || 'is_valid' in raw)) throw wrongType('status', 'a word');
  const status = decodeStatus(raw);
  const result: ValidationResult = {
    ...raw,
    email: asText(raw['email'], 'email', requestedEmail),
    status,
    sub_status: asText(raw['sub_status'], 'sub_status'),
    confidence: decodeConfidence(raw, status),
    safe_to_send: status === 'valid' && asFlag(raw['safe_to_send'], 'safe_to_send'),
    is_valid: status === 'valid' && asFlag(raw['is_valid'], 'is_valid', true),
    ...(Object.fromEntries(
      sections.map((name) => [name, decodeField(resultFields[name] as SectionSchema, raw[name], name)]),
    ) as Pick<ValidationResult, (typeof sections)[number]>),
    reasons: reasonsIn(raw),
    did_you_mean: textIn(raw['did_you_mean']),
  };
  if (raw['canonical'] !== undefined) result.canonical = textIn(raw['canonical']);
  const retryAt = numberIn(raw['retry_at']);
  if (retryAt === null) delete result.retry_at;
  else result.retry_at = retryAt;
  if (raw['cached'] !== true) delete result.cached;
  if (raw['evidence'] === undefined || looksLikeEvidence(raw['evidence'])) return result;
  delete result.evidence;
  return showRaw(result, raw, { ...result });
}

interface SectionSchema {
  readonly type: string | readonly string[];
  readonly properties?: Readonly<Record<string, SectionSchema>>;
  readonly required?: readonly string[];
}

const resultFields = components.ValidationResult['properties'] as Readonly<Record<string, SectionSchema>>;
const sections = ['details', 'catchall', 'ai_enhancement', 'performance', 'metadata'] as const;

/** A field as its schema says, and unknown ones as they are. Our additions are there only if the service sent them. */
function decodeField({ type, properties = {}, required = [] }: SectionSchema, value: unknown, name: string): unknown {
  if (value == null && type.includes('null')) return null;
  if (type.includes('boolean')) return asFlag(value, name);
  if (type.includes('integer') || type.includes('number')) return asNumber(value, name);
  if (type !== 'object') return asText(value, name);
  const section = { ...(value == null ? {} : asFields(value, name)) };
  for (const [field, schema] of Object.entries(properties)) {
    if (field in section || required.includes(field))
      section[field] = decodeField(schema, section[field], `${name}.${field}`);
  }
  return section;
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

/** The confidence, which for an unknown is bounded whatever the service sent. */
export function decodeConfidence(raw: Fields, status: string): number {
  const confidence = asNumber(raw['confidence'], 'confidence');
  return countedAs(status, false) === 'unknown' ? Math.min(maxUnknownConfidence, confidence) : confidence;
}

/** The status: known words in our spelling, others unchanged; unknown without one, whatever `is_valid` says. */
export function decodeStatus(raw: Fields): string {
  const word = textIn(raw['status']);
  if (word === null) {
    asText(raw['status'], 'status');
    return 'unknown';
  }
  const lower = word.trim().toLowerCase();
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
  const status = decodeStatus(raw);
  const item: BulkItem & Fields = {
    ...raw,
    email,
    status,
    is_valid: status === 'valid' && asFlag(raw['is_valid'], 'is_valid', true),
    confidence: decodeConfidence(raw, status),
  };
  if ('sub_status' in raw) item['sub_status'] = asText(raw['sub_status'], 'sub_status');
  if ('safe_to_send' in raw) item['safe_to_send'] = status === 'valid' && asFlag(raw['safe_to_send'], 'safe_to_send');
  if ('did_you_mean' in raw) item['did_you_mean'] = textIn(raw['did_you_mean']);
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
