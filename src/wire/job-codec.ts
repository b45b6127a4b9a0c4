import type { Job, JobPage, UploadPreview } from '../model/job.js';
import type { Account } from '../model/service.js';
import { components } from './components.js';
import { asFields, coerce, type Fields, isFields, numberIn, read, showRaw, textIn, wrongType } from './fields.js';
import type { Schema } from './schema.js';

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

/** One job (§2.4): an id and a state, and the fields of our own whose types match. An unknown state is kept. */
export function decodeJob(value: unknown): Job {
  const outer = asFields(value, 'job');
  const raw = hasId(outer) ? outer : ([outer['job'], outer['data']].find(isFields) ?? outer);
  const id = idNames.map((name) => textIn(raw[name])).find((text) => text !== null);
  if (id === undefined || id === null) throw wrongType('job id', 'a string');
  const status = textIn(raw['status']) ?? textIn(raw['state']) ?? 'unknown';
  const { error } = raw;
  const job: Job = { ...raw, id, status };
  let hasChanged = false;
  for (const [name, schema] of Object.entries(components.Job['properties'] as Record<string, Schema>)) {
    if (!(name in raw) || name === 'id' || name === 'status') continue;
    const isErrorObject = name === 'error' && isFields(error);
    const found = coerce(schema, isErrorObject ? (error['message'] ?? error['detail']) : raw[name]);
    if (Object.is(found, raw[name])) continue;
    hasChanged = true;
    if (found === undefined) Reflect.deleteProperty(job, name);
    else Reflect.set(job, name, found);
  }
  return hasChanged ? showRaw(job, raw, { id, status }) : job;
}

function hasId(raw: Fields): boolean {
  return idNames.some((name) => textIn(raw[name]) !== null);
}

/** The account of a key at our own service: its name, plan and balance, and the limits of an upload. */
export function decodeAccount(value: unknown): Account {
  const { name, plan, credits, max_rows, max_file_bytes } = read(components.Credits, value, 'account');
  return {
    ...{ name, plan, credits },
    ...(max_rows > 0 && { maxRows: max_rows }),
    ...(max_file_bytes > 0 && { maxFileBytes: max_file_bytes }),
  };
}

/** An upload preview (§2.3). `fallbackName` replaces a missing file name. */
export function decodePreview(value: unknown, fallbackName: string): UploadPreview {
  const raw = asFields(value, 'upload preview');
  if (textIn(raw['upload_id']) === null) throw wrongType('upload_id', 'a string');
  return read(
    components.UploadPreview,
    { ...raw, filename: textIn(raw['filename']) ?? fallbackName },
    'upload preview',
  );
}
