import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Failure } from '../../model/failure.js';
import type { ConfirmUploadOptions, ReadReport } from '../../model/service.js';
import type { RowSource } from '../../rows/rows.js';
import { callerOfJob, type JobRecord, type UploadRecord } from '../store/job-record.js';
import type { ListMailboxes } from './list-mailboxes.js';
import type { PreviewDependencies } from './preview-upload.js';
import { splitIntoJobs } from './split-into-jobs.js';

export interface UploadDependencies extends PreviewDependencies {
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  createListMailboxes(): ListMailboxes;
  now?: (() => number) | undefined;
  /** A longer file becomes several jobs. */
  maxRowsPerJob?: number | undefined;
}

export interface ConfirmOptions extends Pick<ConfirmUploadOptions, 'signal' | 'columns' | 'onRead'> {
  /** Stored with the job, for its worker. */
  options?: Record<string, unknown> | undefined;
  /** Reserve credits of the owner's key. */
  charge?: boolean | undefined;
  /** Throws for an address that the owner may not ask for. */
  checkEmail?: ((email: string) => void) | undefined;
  /** Refuse longer files instead of making several jobs. */
  maxRows?: number | undefined;
  /** Refuse larger files, decompressed. */
  maxBytes?: number | undefined;
}

const rowsPerJob = 100_000;

export async function confirmUpload(
  dependencies: UploadDependencies,
  createdAt: number,
  upload: UploadRecord,
  emailColumn: string,
  confirmOptions: ConfirmOptions,
): Promise<JobRecord[]> {
  if (upload.source === null) {
    const columns = await resolveColumns(dependencies, upload, emailColumn, confirmOptions);
    const options = columns === undefined ? confirmOptions : { ...confirmOptions, columns };
    return createJobs(dependencies, createdAt, upload, emailColumn, options);
  }
  requireColumn(upload, emailColumn, confirmOptions.columns);
  await checkUnchanged(upload, upload.source);
  await dependencies.files.copyUpload(upload.source, upload.id);
  try {
    return await createJobs(dependencies, createdAt, upload, emailColumn, confirmOptions);
  } catch (error) {
    // The original is still there; a full disk has no room for copies that no job needs. Another call may have confirmed it.
    const stored = await dependencies.store.getUpload(upload.owner, upload.id);
    if (stored?.groupId == null) await dependencies.files.removeUpload(upload.id);
    throw error;
  }
}

/**
 * The indexes of the columns to vet: several if their names are given with commas between them, and the one that the
 * preview suggests if several have the same name, since the first may be empty. Undefined for the only column of that name.
 */
export async function resolveColumns(
  { files, reader }: UploadDependencies,
  upload: UploadRecord,
  emailColumn: string,
  {
    columns = columnsIn(upload, emailColumn),
    signal,
    maxBytes,
  }: Pick<ConfirmOptions, 'columns' | 'maxBytes' | 'signal'>,
): Promise<readonly number[] | undefined> {
  requireColumn(upload, emailColumn, columns);
  const { id, owner, filename, columns: names, reading } = upload;
  if (columns !== undefined || names.indexOf(emailColumn) === names.lastIndexOf(emailColumn)) return columns;
  const limits = { caller: callerOfJob(owner), signal, maxBytes };
  const preview = await reader.preview(await files.uploadPath(id), filename, { ...reading, ...limits });
  const { suggested_email_column: name, suggested_email_column_number: number } = preview;
  return name === emailColumn && number !== undefined ? [number - 1] : undefined;
}

function columnsIn({ columns }: UploadRecord, emailColumn: string): number[] | undefined {
  if (columns.includes(emailColumn) || !emailColumn.includes(',')) return undefined;
  const indexes = emailColumn.split(',').map((name) => columns.indexOf(name.trim()));
  return indexes.includes(-1) ? undefined : [...new Set(indexes)];
}

async function createJobs(
  dependencies: UploadDependencies,
  createdAt: number,
  upload: UploadRecord,
  emailColumn: string,
  confirmOptions: ConfirmOptions,
): Promise<JobRecord[]> {
  const { store, files } = dependencies;
  const { options: jobOptions = {}, charge = false, checkEmail, maxRows, columns, onRead } = confirmOptions;
  const options = columns === undefined ? jobOptions : { ...jobOptions, columns };
  const source = await openUpload(dependencies, upload, emailColumn, confirmOptions);
  const mailboxes = dependencies.createListMailboxes();
  const parts = await splitIntoJobs(source.chunks, {
    files,
    canonical: (email) => {
      checkEmail?.(email);
      return dependencies.canonical(email);
    },
    mailboxes,
    maxRowsPerJob: dependencies.maxRowsPerJob ?? rowsPerJob,
    maxRows: maxRows ?? Number.POSITIVE_INFINITY,
  }).catch(async (error: unknown) => {
    await source.close();
    throw error;
  });
  onRead?.(reportOf(source, mailboxes.isFull));
  const { id: uploadId, owner, filename } = upload;
  const [first] = parts;
  const groupId = first !== undefined && parts.length === 1 ? first.id : randomUUID();
  const jobs = parts.map((part, index) => ({
    ...part,
    groupId,
    owner,
    uploadId,
    filename,
    emailColumn,
    options,
    createdAt,
    part: index,
    parts: parts.length,
  }));
  const removeParts = async (): Promise<void> => {
    for (const part of parts) await files.removeJob(part.id);
  };
  try {
    const created = await store.confirmUpload(uploadId, jobs, charge);
    // Another call confirmed it meanwhile.
    if (created[0]?.id !== jobs[0]?.id) await removeParts();
    return requireSameColumn(created, emailColumn, columns);
  } catch (error) {
    await removeParts();
    throw error;
  }
}

/** Opens the file of an upload, to read that column. */
export async function openUpload(
  { files, reader }: UploadDependencies,
  { id, owner, filename, reading }: UploadRecord,
  emailColumn: string,
  { columns, maxBytes, signal }: Pick<ConfirmOptions, 'columns' | 'maxBytes' | 'signal'>,
): Promise<RowSource> {
  const options = { ...reading, columns, maxBytes, signal, caller: callerOfJob(owner) };
  return reader.open(await files.uploadPath(id), emailColumn, filename, options);
}

function reportOf(source: RowSource, isIncomplete: boolean): ReadReport {
  const summary = source.stats().rows > 0 ? source.summarize() : null;
  const warning = 'The list has more distinct addresses than fit in memory; later duplicates are counted again.';
  return {
    notes: [...source.notes(), ...(summary === null ? [] : [summary])],
    warnings: [...source.warnings(), ...(isIncomplete ? [warning] : [])],
  };
}

/** Returns the jobs. Throws `conflict` if they validate another column, since the caller would take their results for those of this one. */
export function requireSameColumn(
  jobs: JobRecord[],
  emailColumn: string,
  columns: readonly number[] | undefined,
): JobRecord[] {
  const [job] = jobs;
  const jobColumns = job?.options['columns'];
  const isSamePosition =
    columns === undefined || !Array.isArray(jobColumns) || JSON.stringify(columns) === JSON.stringify(jobColumns);
  if (job === undefined || (job.emailColumn === emailColumn && isSamePosition)) return jobs;
  throw new Failure(
    'conflict',
    `The upload was already confirmed with the column ${JSON.stringify(job.emailColumn)} (job ${job.id}).`,
    { hint: 'To validate another column, upload the file again.' },
  );
}

async function checkUnchanged(upload: UploadRecord, source: string): Promise<void> {
  const stats = await stat(source).catch(() => null);
  if (stats?.size === upload.sourceSize && Math.trunc(stats.mtimeMs) === upload.sourceChanged) return;
  throw new Failure('conflict', `The file ${upload.filename} was changed or deleted after its preview.`, {
    hint: 'Upload it again.',
  });
}

/** Throws `bad_input` unless the upload has the column, at that position if one is given. */
function requireColumn(
  { columns: names }: UploadRecord,
  emailColumn: string,
  columns: readonly number[] | undefined,
): void {
  const [first = -1, ...others] = columns ?? [];
  const hasColumns =
    columns === undefined || others.length > 0
      ? (columns?.every((column) => column in names) ?? names.includes(emailColumn))
      : names[first] === emailColumn;
  if (!hasColumns) throw unknownColumn(emailColumn, names);
}

function unknownColumn(column: string, columns: readonly string[]): Failure {
  return new Failure('bad_input', `The file has no column ${JSON.stringify(column)}.`, {
    hint: `Its columns are: ${columns.join(', ')}.`,
  });
}
