import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Failure } from '../../model/failure.js';
import type { ConfirmUploadOptions, ReadReport } from '../../model/service.js';
import type { Row, RowSource } from '../../rows/rows.js';
import type { ListedEmail } from '../store/files.js';
import { callerOfJob, type JobRecord, type UploadRecord } from '../store/job-record.js';
import { recordedEmail } from './email-record.js';
import { createListMailboxes, type ListMailboxes } from './list-mailboxes.js';
import { type PreviewDependencies, requireRowLimit } from './preview-upload.js';

export interface UploadDependencies extends PreviewDependencies {
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** Mailboxes of a list that are remembered. */
  maxMailboxes?: number | undefined;
  now?: (() => number) | undefined;
}

export interface ConfirmOptions extends Pick<ConfirmUploadOptions, 'signal' | 'columns' | 'onRead'> {
  /** Stored with the job, for its worker. */
  options?: Record<string, unknown> | undefined;
  /** Reserve credits of the owner's key. */
  charge?: boolean | undefined;
  /** Throws for an address that the owner may not ask for. */
  checkEmail?: ((email: string) => void) | undefined;
  /** Refuse longer files. */
  maxRows?: number | undefined;
  /** Refuse larger files, decompressed. */
  maxBytes?: number | undefined;
}

export async function confirmUpload(
  dependencies: UploadDependencies,
  createdAt: number,
  upload: UploadRecord,
  emailColumn: string,
  confirmOptions: ConfirmOptions,
): Promise<JobRecord> {
  if (upload.source === null) {
    const columns = await resolveColumns(dependencies, upload, emailColumn, confirmOptions);
    const options = columns === undefined ? confirmOptions : { ...confirmOptions, columns };
    return createJob(dependencies, createdAt, upload, emailColumn, options);
  }
  requireColumn(upload, emailColumn, confirmOptions.columns);
  await checkUnchanged(upload, upload.source);
  await dependencies.files.copyUpload(upload.source, upload.id);
  try {
    return await createJob(dependencies, createdAt, upload, emailColumn, confirmOptions);
  } catch (error) {
    // The original is still there; a full disk has no room for copies that no job needs. Another call may have confirmed it.
    const stored = await dependencies.store.getUpload(upload.owner, upload.id);
    if (stored?.jobId == null) await dependencies.files.removeUpload(upload.id);
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

async function createJob(
  dependencies: UploadDependencies,
  createdAt: number,
  upload: UploadRecord,
  emailColumn: string,
  confirmOptions: ConfirmOptions,
): Promise<JobRecord> {
  const { store, files } = dependencies;
  const { options: jobOptions = {}, charge = false, columns, onRead } = confirmOptions;
  const source = await openUpload(dependencies, upload, emailColumn, confirmOptions);
  const mailboxes = createListMailboxes(dependencies.maxMailboxes);
  const id = randomUUID();
  const { isRespelled, ...counts } = await recordRows(dependencies, id, source.chunks, mailboxes, confirmOptions).catch(
    async (error: unknown) => {
      await source.close();
      throw error;
    },
  );
  onRead?.(reportOf(source, mailboxes.isFull));
  const { id: uploadId, owner, filename } = upload;
  const options = { ...jobOptions, isRespelled, ...(columns && { columns }) };
  try {
    const created = await store.confirmUpload(
      { id, owner, uploadId, filename, emailColumn, options, createdAt, ...counts },
      charge,
    );
    // Another call confirmed it meanwhile.
    if (created.id !== id) await files.removeJob(id);
    return requireSameColumn(created, emailColumn, columns);
  } catch (error) {
    await files.removeJob(id);
    throw error;
  }
}

/** Writes the addresses of the rows to the file of the job, so that running never parses the list again. */
async function recordRows(
  { files, canonical }: UploadDependencies,
  jobId: string,
  chunks: AsyncIterable<Row[]>,
  mailboxes: ListMailboxes,
  { checkEmail, maxRows }: ConfirmOptions,
): Promise<Pick<JobRecord, 'total' | 'uniqueTotal'> & { isRespelled: boolean }> {
  const counts = { total: 0, uniqueTotal: 0, isRespelled: false };
  const toListed = (row: Row): ListedEmail => {
    const email = recordedEmail(row.email);
    const number = counts.total++;
    if (email === '') return email;
    checkEmail?.(email);
    const listed = mailboxes.add(canonical(email), email, number);
    if (typeof listed === 'string') counts.uniqueTotal++;
    else counts.isRespelled ||= listed[1] === undefined;
    return listed;
  };
  const writer = await files.writeEmails(jobId);
  try {
    for await (const chunk of chunks) {
      await writer.write(chunk.map(toListed));
      requireRowLimit(counts.total, maxRows);
    }
    await writer.close();
    return counts;
  } catch (error) {
    await writer.discard().catch(() => {});
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

/** Returns the job. Throws `conflict` if it validates another column, since the caller would take its results for those of this one. */
export function requireSameColumn(
  job: JobRecord,
  emailColumn: string,
  columns: readonly number[] | undefined,
): JobRecord {
  const jobColumns = job.options['columns'];
  const isSamePosition =
    columns === undefined || !Array.isArray(jobColumns) || JSON.stringify(columns) === JSON.stringify(jobColumns);
  if (job.emailColumn === emailColumn && isSamePosition) return job;
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
  if (hasColumns) return;
  throw new Failure('bad_input', `The file has no column ${JSON.stringify(emailColumn)}.`, {
    hint: `Its columns are: ${names.join(', ')}.`,
  });
}
