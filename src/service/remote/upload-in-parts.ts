import { rm, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { makeScratchFolder } from '../../disk/private-folder.js';
import { askEach } from '../../lists/ask-each.js';
import { formatNumber } from '../../model/amount.js';
import { asFailure, Failure } from '../../model/failure.js';
import type { Job, UploadPreview } from '../../model/job.js';
import { countWords } from '../../model/result.js';
import type { CallOptions, FileReading, UploadFile, ValidationService } from '../../model/service.js';
import { type CsvPreview, previewCsv } from '../../rows/preview.js';
import { columnsByName } from '../../rows/read/email-column.js';
import { splitCsv } from '../../rows/split-csv.js';
import { isFinalState, isSucceeded } from '../job-states.js';

/** The limit of a file at a service that does not state it: the smaller of the two in the documented API. */
const defaultMaxRows = 10_000;

interface UploadPart {
  /** The number of the part, from 1. */
  number: number;
  rows: number;
  /** The number of its first row in the whole file, from 1. */
  firstRow: number;
  filename: string;
  preview: UploadPreview | null;
  job: Job | null;
  failure: Failure | null;
}

interface PartedUploadOptions extends CallOptions {
  /** How to read the file; if the service cannot know it, the file is rewritten. */
  reading?: FileReading;
  maxRows?: number;
}

/** Parts that are sent or confirmed at a time. */
const concurrency = 4;

/**
 * Uploads a CSV for preview: unchanged if it fits, else split, each part with the header. Fails only if every part
 * does.
 */
export async function uploadInParts(service: ValidationService, file: UploadFile, options: PartedUploadOptions = {}) {
  const { reading = {}, maxRows: wantedRows, ...call } = options;
  const parts: UploadPart[] = [];
  const folder = await makeScratchFolder('upload');
  let whole: CsvPreview;
  try {
    whole = await previewCsv(file.path, {
      ...reading,
      ...call,
      name: file.path,
      countedBytes: Number.POSITIVE_INFINITY,
    });
    const maxRows = wantedRows ?? (await rowLimit(service, file, whole.rowCount, call));
    await inParallel(splitIfNeeded(file, whole, { maxRows, folder, call, reading }), async ({ part, path }) => {
      parts.push(part);
      await runPart(part, async () => {
        part.preview = await service.previewUpload({ path, filename: part.filename }, call);
      });
      if (path !== file.path) await rm(path, { force: true });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  parts.sort((a, b) => a.number - b.number);
  const first = parts.find((part) => part.preview !== null)?.preview;
  if (!first) {
    const noRows = new Failure('bad_input', 'The list has no rows to send.', { hint: 'Check the file, and --limit.' });
    throw parts[0]?.failure ?? noRows;
  }
  return {
    /** The preview of the whole file. */
    preview: {
      ...first,
      filename: file.filename,
      sample_rows: first.sample_rows ?? whole.sampleRows,
      row_count: parts.reduce((sum, part) => sum + part.rows, 0),
      row_count_exact: true,
    },
    parts,
    /** The rows of all parts, sent or not. */
    rowCount: whole.rowCount,
    /** Creates a job for each uploaded part. A failed part leaves the others intact. */
    confirm: (column: string, confirmCall: ConfirmCall = call) => confirmParts(service, parts, column, confirmCall),
  };
}

/** No service is expected to take fewer rows than this. */
const smallestLimit = 1_000;

/** The rows of one upload. The limit of a service is requested only if the list may exceed it. */
async function rowLimit(
  service: ValidationService,
  file: UploadFile,
  rows: number,
  call: CallOptions,
): Promise<number> {
  if (rows <= smallestLimit) return defaultMaxRows;
  // A service without this answer may still take uploads.
  const { maxRows = defaultMaxRows, maxFileBytes } = (await service.account?.(call).catch(() => null)) ?? {};
  if (maxFileBytes !== undefined && rows <= maxRows) await requireSize(file, maxFileBytes);
  return maxRows;
}

/** Throws before anything is sent if the file is larger than the service takes. */
async function requireSize({ path, filename }: UploadFile, maxFileBytes: number): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size <= maxFileBytes) return;
  const [megabytes, limit] = [size, maxFileBytes].map((bytes) => Math.ceil(bytes / 1024 / 1024));
  throw new Failure('too_large', `${filename} is ${megabytes} MB; the service accepts at most ${limit} MB.`, {
    hint: 'Send it as several jobs, with --set max_rows=N rows each; or raise serve.max_file_size of the service.',
  });
}

/** The file unchanged if the service can read it: short enough, and with a header. */
async function* splitIfNeeded(
  file: UploadFile,
  whole: CsvPreview,
  { maxRows, folder, call, reading }: { maxRows: number; folder: string; call: CallOptions; reading: FileReading },
): AsyncGenerator<{ part: UploadPart; path: string }[]> {
  const isWithinLimit = whole.rowCountExact && whole.rowCount <= maxRows;
  const isWorkbook = /\.xlsx$/i.test(file.filename);
  if (isWithinLimit && whole.hasHeader && !isWorkbook && Object.keys(reading).length === 0) {
    yield [{ part: newPart(1, whole.rowCount, 1, file.filename), path: file.path }];
    return;
  }
  let number = 0;
  for await (const { path, rows, firstRow } of splitCsv(file.path, maxRows, folder, { ...reading, ...call })) {
    number++;
    // What is sent is CSV, whatever the list was.
    const sentName = file.filename.replace(/\.(?:xlsx|jsonl?|ndjson|vcf|vcard|ldif?|mbox|eml|txt)(?:\.gz)?$/i, '.csv');
    const filename = isWithinLimit ? sentName : partName(sentName, number);
    yield [{ part: newPart(number, rows, firstRow, filename), path }];
  }
}

async function runPart(part: UploadPart, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    part.failure = null;
  } catch (error) {
    part.failure = asFailure(error);
  }
}

function newPart(number: number, rows: number, firstRow: number, filename: string): UploadPart {
  return { number, rows, firstRow, filename, preview: null, job: null, failure: null };
}

function partName(filename: string, number: number): string {
  const ending = extname(filename);
  return `${filename.slice(0, filename.length - ending.length)}.part-${number}${ending || '.csv'}`;
}

async function confirmParts(
  service: ValidationService,
  parts: readonly UploadPart[],
  emailColumn: string,
  { known = [], onState = async () => {}, ...call }: ConfirmCall,
): Promise<readonly UploadPart[]> {
  const columns = parts.find((part) => part.preview !== null)?.preview?.columns ?? [];
  // Refused here, with a suggestion, before anything is charged.
  const column = columnsByName(emailColumn, columns)
    .map((at) => columns[at] ?? '')
    .join(',');
  const states = parts.map((part, index) => known[index] || pendingState(part.preview?.upload_id));
  await onState(states);
  await inParallel([parts], async (part) => {
    if (part.preview === null || part.job !== null) return;
    const { upload_id } = part.preview;
    const index = parts.indexOf(part);
    await runPart(part, async () => {
      part.job = await knownJob(service, known[index] ?? '', column, call);
      if (part.job === null) {
        states[index] = pendingState(upload_id);
        await onState(states);
        part.job = await service.confirmUpload(upload_id, column, call);
      }
      states[index] = part.job.id;
      await onState(states);
    });
  });
  return parts;
}

/** How parts were confirmed before, and where that is recorded. */
interface ConfirmCall extends CallOptions {
  /** Of an earlier start, for each part: the id of its job, or `upload ID` while it was created; empty for none. */
  known?: readonly string[];
  /** Called before a job is created, and when its id is known. */
  onState?(states: readonly string[]): Promise<void>;
}

const pendingPrefix = 'upload ';

function pendingState(uploadId: string | undefined): string {
  return uploadId === undefined ? '' : `${pendingPrefix}${uploadId}`;
}

/** Whether all parts of an earlier start have a job. */
export function areJobs(states: readonly string[]): boolean {
  return states.length > 0 && states.every((state) => state !== '' && !state.startsWith(pendingPrefix));
}

/** The job of a part that an earlier start sent; null if there is none that can be used. */
async function knownJob(
  service: ValidationService,
  state: string,
  column: string,
  call: CallOptions,
): Promise<Job | null> {
  if (state === '') return null;
  try {
    const job = state.startsWith(pendingPrefix)
      ? await service.confirmUpload(state.slice(pendingPrefix.length), column, call)
      : await service.getJob(state, call);
    return isFinalState(job.status) && !isSucceeded(job.status) ? null : job;
  } catch (error) {
    if (error instanceof Failure && codesOfGoneUpload.has(error.code)) return null;
    throw error;
  }
}

const codesOfGoneUpload: ReadonlySet<string> = new Set(['not_found', 'bad_input', 'conflict']);

/** A Failure for the failed ones of these parts, else null. */
export function partsFailure(parts: readonly UploadPart[]): Failure | null {
  const failed = parts.filter((part) => part.failure !== null);
  const [first] = failed;
  if (!first?.failure) return null;
  if (parts.length === 1) return first.failure;
  const numbers = failed.map((part) => part.number).join(',');
  const subject = failed.length === 1 ? `Part ${numbers}` : `Parts ${numbers}`;
  const others = failed.length < parts.length ? '; the others are not affected' : '';
  const message = `${subject} of ${formatNumber(parts.length)} failed${others}. ${first.failure.message}`;
  return new Failure(first.failure.code, message, {
    hint: 'The same command sends just what failed.',
    cause: first.failure,
  });
}

/** A failed part as the job that it did not become, so that the sum of a list counts its rows. */
export function unsentJob({ rows, failure }: UploadPart): Job {
  const counts = Object.fromEntries(countWords.map((word) => [`${word}_count`, 0]));
  const error = failure?.message ?? null;
  return {
    id: '',
    status: 'failed',
    total: rows,
    processed: 0,
    credits_used: 0,
    ...counts,
    sub_status_counts: {},
    error,
  };
}

/** Runs `work` for some items at a time. Waits for all, then throws the first error. */
async function inParallel<Item>(
  batches: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const ended = askEach(batches, { answer: work, maxOpen: () => concurrency, drains: true });
  for await (const _ of ended);
}
