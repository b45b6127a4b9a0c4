import type { Job, JobPage, UploadPreview } from '../model/job.js';
import { countWords } from '../model/result.js';
import type { Account } from '../model/service.js';
import { asFields, asText, type Fields, isFields, numberIn, showRaw, textIn, wrongType } from './fields.js';

const listNames = ['jobs', 'items', 'results', 'data'] as const;
const idNames = ['id', 'job_id', 'jobId', 'uuid', '_id'] as const;

/** A page of jobs: an array, or an object with the list in jobs/items/results/data, itself or one level down. */
export function decodeJobPage(value: unknown, request: { skip: number; limit: number }): JobPage {
  const envelope = Array.isArray(value) ? {} : asFields(value, 'job list');
  const list = Array.isArray(value) ? value : listIn(envelope);
  const page: JobPage = { ...envelope, jobs: list.map(decodeJob), skip: request.skip, limit: request.limit };
  const total = ['total', 'total_count', 'count'].map((name) => numberIn(envelope[name])).find((n) => n !== null);
  if (total === undefined || total === null) delete page.total;
  else page.total = total;
  for (const name of ['items', 'results', 'data']) if (name in page) Reflect.deleteProperty(page, name);
  return page;
}

function listIn(envelope: Fields): unknown[] {
  for (const name of listNames) {
    const inner = envelope[name];
    if (Array.isArray(inner)) return inner;
    if (!isFields(inner)) continue;
    const list = listNames.map((deeper) => inner[deeper]).find(Array.isArray);
    if (list !== undefined) return list;
  }
  throw wrongType('job list', 'a list');
}

const numbers = ['total', 'processed', 'credits_used', ...countWords.map((word) => `${word}_count` as const)] as const;
const texts = ['filename', 'email_column'] as const;
const times = ['created_at', 'started_at', 'finished_at'] as const;
const typedNames = [...numbers, ...texts, ...times, 'eta_seconds', 'error', 'sub_status_counts'] as const;

/** One job (§2.4): an id and a state. An unknown state is kept. */
export function decodeJob(value: unknown): Job {
  const outer = asFields(value, 'job');
  const raw = hasId(outer) ? outer : ([outer['job'], outer['data']].find(isFields) ?? outer);
  const id = idNames.map((name) => textIn(raw[name])).find((text) => text !== null);
  if (id === undefined || id === null) throw wrongType('job id', 'a string');
  const status = textIn(raw['status']) ?? textIn(raw['state']) ?? 'unknown';
  const job: Job = { ...raw, id, status };
  const typed = typedFields(raw);
  let hasChanged = false;
  for (const name of typedNames) {
    if (!(name in raw) || Object.is(typed[name], raw[name])) continue;
    hasChanged = true;
    if (typed[name] === undefined) Reflect.deleteProperty(job, name);
    else Reflect.set(job, name, typed[name]);
  }
  return hasChanged ? showRaw(job, raw, { id, status }) : job;
}

function hasId(raw: Fields): boolean {
  return idNames.some((name) => textIn(raw[name]) !== null);
}

/** Our own fields of a foreign job, if their types match. */
function typedFields(raw: Fields): Partial<Record<(typeof typedNames)[number], unknown>> {
  const typed: Partial<Record<(typeof typedNames)[number], unknown>> = {};
  for (const name of numbers) typed[name] = numberIn(raw[name]) ?? undefined;
  for (const name of texts) typed[name] = textIn(raw[name]) ?? undefined;
  for (const name of times) typed[name] = raw[name] === null && name !== 'created_at' ? null : timeIn(raw[name]);
  typed.eta_seconds = raw['eta_seconds'] === null ? null : (numberIn(raw['eta_seconds']) ?? undefined);
  typed.error = raw['error'] === null ? null : errorIn(raw['error']);
  const counts = raw['sub_status_counts'];
  const countable = isFields(counts) && Object.values(counts).every((count) => typeof count === 'number');
  typed.sub_status_counts = countable ? counts : undefined;
  return typed;
}

/** ISO 8601, also from Unix seconds or milliseconds. */
function timeIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || !(value > 0)) return undefined;
  const date = new Date(value < 1e11 ? value * 1_000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function errorIn(value: unknown): string | undefined {
  if (isFields(value)) return textIn(value['message']) ?? textIn(value['detail']) ?? undefined;
  return textIn(value) ?? undefined;
}

/** The account of a key at our own service: its name, plan and balance, and the limits of an upload. */
export function decodeAccount(value: unknown): Account {
  const raw = asFields(value, 'account');
  const [maxRows, maxFileBytes] = [numberIn(raw['max_rows']), numberIn(raw['max_file_bytes'])];
  return {
    name: textIn(raw['name']) ?? '',
    plan: textIn(raw['plan']) ?? '',
    credits: numberIn(raw['credits']),
    ...(maxRows !== null && { maxRows }),
    ...(maxFileBytes !== null && { maxFileBytes }),
  };
}

/** An upload preview (§2.3). `fallbackName` replaces a missing file name. Our additions count only in our form. */
export function decodePreview(value: unknown, fallbackName: string): UploadPreview {
  const raw = asFields(value, 'upload preview');
  const { sample_rows: rows, row_count: count, row_count_exact: isExact } = raw;
  const uploadId = textIn(raw['upload_id']);
  if (uploadId === null) throw wrongType('upload_id', 'a string');
  if (!Array.isArray(raw['columns'])) throw wrongType('columns', 'a list of names');
  const preview: UploadPreview = {
    ...raw,
    upload_id: uploadId,
    filename: textIn(raw['filename']) ?? fallbackName,
    columns: raw['columns'].map((column) => asText(column, 'column')),
    suggested_email_column: textIn(raw['suggested_email_column']) ?? '',
  };
  const isRow = (row: unknown) => Array.isArray(row) && row.every((cell) => typeof cell === 'string');
  if (!Array.isArray(rows) || !rows.every(isRow)) delete preview.sample_rows;
  if (typeof count !== 'number') delete preview.row_count;
  if (typeof isExact !== 'boolean') delete preview.row_count_exact;
  return preview;
}
