import type { BulkItem } from '../../model/result.js';
import type { EmailField } from '../../rows/read/json/json-fields.js';
import { verdictColumns } from '../../rows/table/verdict-columns.js';
import { isAnswer, noResultsFailure, type OutputItem, type ReadingOptions } from './output-item.js';
import { noAnswer, type VerdictItem } from './run-verdicts.js';

const chunkLength = 1_000;

/** NDJSON and our summary have one result per line. Other lines, and a truncated one, are skipped. */
export async function* fromObjects(
  lines: AsyncIterable<string>,
  path: string,
  field: EmailField,
  { withSuppressed = false }: ReadingOptions,
): AsyncGenerator<readonly OutputItem[]> {
  let items: OutputItem[] = [];
  let results = 0;
  let otherObjects = 0;
  for await (const line of lines) {
    const text = line.trim().replace(/,$/, '');
    const fields = fieldsIn(text);
    const raw = fields === null ? null : verdictIn(fields, field);
    if (raw === null) continue;
    if (!isResult(raw)) {
      otherObjects++;
      continue;
    }
    results++;
    const item = itemOf(raw, withSuppressed);
    if (item !== null) items.push(item);
    if (items.length < chunkLength) continue;
    yield items;
    items = [];
  }
  if (results === 0 && otherObjects > 0) throw noResultsFailure(path);
  yield items;
}

function fieldsIn(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

type RawItem = Partial<VerdictItem> & { reasons?: unknown };

function isResult({ email, status, confidence = 0 }: RawItem): boolean {
  return typeof email === 'string' && typeof status === 'string' && typeof confidence === 'number';
}

/** Null for an unanswered address. */
function itemOf(raw: RawItem, withSuppressed: boolean): BulkItem | null {
  const { email = '', status = '', is_valid = status === 'valid', confidence = 0 } = raw;
  const { sub_status, safe_to_send, did_you_mean } = raw;
  if (!isAnswer(status, withSuppressed)) return null;
  if (sub_status === noAnswer || (Array.isArray(raw.reasons) && raw.reasons.includes('not_answered'))) return null;
  const item: VerdictItem = { email, status, is_valid: is_valid === true, confidence };
  if (typeof sub_status === 'string') item.sub_status = sub_status;
  if (typeof safe_to_send === 'boolean') item.safe_to_send = safe_to_send;
  if (typeof did_you_mean === 'string' || did_you_mean === null) item.did_you_mean = did_you_mean;
  return item;
}

/** Our fields in an object of a JSON list, next to its own. */
function verdictIn(raw: Record<string, unknown>, field: EmailField): Partial<VerdictItem> {
  if (typeof raw['mailvet_status'] !== 'string') return raw;
  const fields = verdictColumns.map((name) => [name.replace('mailvet_', ''), raw[name]]);
  return { ...Object.fromEntries(fields), email: field.recordAddress(raw) ?? '' };
}
