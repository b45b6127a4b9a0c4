import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Slices } from '../../async/cpu-slices.js';
import { Failure } from '../../model/failure.js';
import type { UploadPreview } from '../../model/job.js';
import type { FileReading, ReadReport, UploadFile } from '../../model/service.js';
import type { Reading } from '../../rows/read/byte-source.js';
import type { RowSource } from '../../rows/rows.js';
import type { JobFiles } from '../store/files.js';
import type { JobRecord, JobStore, UploadRecord } from '../store/store.js';
import { type ColumnPlan, planColumn } from './plan-upload.js';
import { type Seen, spoolEmails } from './split-into-jobs.js';

/** What is read of a file before it is confirmed. */
export type FilePreview = Omit<Required<UploadPreview>, 'upload_id' | 'filename' | 'suggested_email_column_number'> &
  Pick<UploadPreview, 'suggested_email_column_number'>;

/** How files are read; given by csv. A file goes by the name that it was uploaded with, wherever it lies. */
export interface TableReader {
  preview(path: string, filename: string, reading?: FileReading & Reading & { name?: string }): Promise<FilePreview>;
  open(path: string, emailColumn: string, filename: string, reading?: TableReading): Promise<RowSource>;
}

/** How the file of a job is read. */
export interface TableReading extends FileReading, Reading {
  /** The columns with the addresses, by number from 0, where the name alone does not tell. */
  columns?: readonly number[];
}

export interface UploadDependencies {
  store: JobStore;
  files: JobFiles;
  reader: TableReader;
  /** Equal for two spellings of one mailbox. */
  canonical(email: string): string;
  /** Remembers the mailboxes of one list, of whatever length. */
  openSeen(): Seen;
  now?(): number;
  /** A longer file becomes several jobs. */
  maxRowsPerJob?: number;
}

export interface ConfirmOptions {
  /** Kept with the job for its worker. */
  options?: Record<string, unknown>;
  /** Reserve credits of the owner's key. */
  charge?: boolean;
  /** Refuse longer files instead of making several jobs. */
  maxRows?: number;
  /** Refuse files that hold more, unpacked. */
  maxBytes?: number;
  signal?: AbortSignal;
  /** The columns to vet, by number from 0, where the name alone does not tell. */
  columns?: readonly number[];
  /** Told once the whole file has been read. */
  onRead?(report: ReadReport): void;
}

export interface PreviewOptions extends Reading {
  /** The file is ours to move; else it is copied when confirmed. */
  adopt?: boolean;
  reading?: FileReading;
}

/** The way from a file to jobs. */
export interface Uploads {
  /** Looks at the head of the file only. */
  preview(file: UploadFile, owner: string, options?: PreviewOptions): Promise<UploadPreview>;
  /** Confirming twice gives the same jobs; with another column it is the Failure `conflict`. */
  confirm(uploadId: string, emailColumn: string, owner: string, options?: ConfirmOptions): Promise<JobRecord[]>;
  /** What confirming an upload that the store holds with that column would ask for; changes nothing. */
  plan(
    uploadId: string,
    emailColumn: string,
    owner: string,
    options: Pick<ConfirmOptions, 'maxBytes' | 'signal'> & { slices: Slices },
  ): Promise<ColumnPlan>;
  /** Removes what was never confirmed within a day. */
  expire(): Promise<number>;
}

/** How long an upload waits to be confirmed. */
export const uploadLifeMs = 24 * 60 * 60_000;
const rowsPerJob = 100_000;

/** Previews and confirms uploads. */
export function createUploads(dependencies: UploadDependencies): Uploads {
  const { store, files } = dependencies;
  const now = dependencies.now ?? Date.now;
  return {
    preview: (file, owner, options = {}) => preview(dependencies, now(), file, owner, options),
    confirm: async (uploadId, emailColumn, owner, options = {}) => {
      const upload = await store.getUpload(owner, uploadId);
      if (upload === null || (upload.groupId === null && upload.createdAt < now() - uploadLifeMs)) throw noUpload();
      if (upload.groupId !== null) return sameColumn(await store.jobsOfGroup(owner, upload.groupId), emailColumn);
      return await confirm(dependencies, now(), upload, emailColumn, options);
    },
    plan: async (uploadId, emailColumn, owner, { slices, ...options }) => {
      const upload = await store.getUpload(owner, uploadId);
      if (upload === null) throw noUpload();
      if (!upload.columns.includes(emailColumn)) throw noColumn(emailColumn, upload.columns);
      const { canonical, openSeen } = dependencies;
      return planColumn(await openUpload(dependencies, upload, emailColumn, options), {
        canonical,
        seen: openSeen(),
        slices,
      });
    },
    expire: async () => {
      const expired = await store.expireUploads(now() - uploadLifeMs);
      for (const id of expired) await files.removeUpload(id);
      return expired.length;
    },
  };
}

async function preview(
  { store, files, reader }: UploadDependencies,
  createdAt: number,
  file: UploadFile,
  owner: string,
  { adopt = false, reading: wanted = {}, ...limits }: PreviewOptions,
): Promise<UploadPreview> {
  const id = randomUUID();
  const reading = { ...wanted, ...limits };
  const kept = await keepStream(files, file.path, id, limits);
  const found = await (kept
    ? previewKept(files, reader, file, id, reading)
    : reader.preview(file.path, file.filename, { ...reading, ...(adopt && { name: file.filename }) }));
  const { size, mtimeMs } = await stat(file.path);
  if (adopt) await files.adopt(file.path, id);
  await store.addUpload({
    id,
    owner,
    filename: file.filename,
    source: adopt || kept ? null : file.path,
    sourceSize: size,
    sourceChanged: Math.trunc(mtimeMs),
    columns: found.columns,
    reading: wanted,
    rowCount: found.row_count,
    rowCountExact: found.row_count_exact,
    createdAt,
    groupId: null,
  });
  return { upload_id: id, filename: file.filename, ...found };
}

/** A pipe can be read only once, so what it gives is kept before it is looked at. True where the path is one. */
async function keepStream(files: JobFiles, path: string, id: string, reading: Reading): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found === null || !(found.isFIFO() || found.isSocket())) return false;
  const { openBytes } = await import('../../rows/read/byte-source.js');
  const bytes = await openBytes({ path }, reading);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let piece = await bytes.read(); piece !== null; piece = await bytes.read()) yield piece;
  }
  try {
    await files.keepBytes(pieces(), id);
  } finally {
    await bytes.close();
  }
  return true;
}

async function previewKept(
  files: JobFiles,
  reader: TableReader,
  { path, filename }: UploadFile,
  id: string,
  reading: FileReading & Reading,
): Promise<FilePreview> {
  const kept = await files.uploadPath(id);
  try {
    return await reader.preview(kept, filename, reading);
  } catch (error) {
    await files.removeUpload(id);
    if (!(error instanceof Failure)) throw error;
    // The user knows the pipe, not where its bytes are kept.
    const message = error.message.replaceAll(JSON.stringify(kept), JSON.stringify(path));
    throw new Failure(error.code, message, { cause: error, ...(error.hint !== null && { hint: error.hint }) });
  }
}

async function confirm(
  dependencies: UploadDependencies,
  createdAt: number,
  upload: UploadRecord,
  emailColumn: string,
  confirmOptions: ConfirmOptions,
): Promise<JobRecord[]> {
  const { columns } = confirmOptions;
  const isKnown = columns?.every((column) => column in upload.columns) ?? upload.columns.includes(emailColumn);
  if (!isKnown) throw noColumn(emailColumn, upload.columns);
  if (upload.source === null) return makeJobs(dependencies, createdAt, upload, emailColumn, confirmOptions);
  await checkUnchanged(upload, upload.source);
  await dependencies.files.keepCopy(upload.source, upload.id);
  try {
    return await makeJobs(dependencies, createdAt, upload, emailColumn, confirmOptions);
  } catch (error) {
    // The original is still there; a full disk has no room for copies that no job needs.
    await dependencies.files.removeUpload(upload.id);
    throw error;
  }
}

async function makeJobs(
  dependencies: UploadDependencies,
  createdAt: number,
  upload: UploadRecord,
  emailColumn: string,
  { options: given = {}, charge = false, maxRows, maxBytes, signal, columns, onRead }: ConfirmOptions,
): Promise<JobRecord[]> {
  const { store, files } = dependencies;
  const options = columns === undefined ? given : { ...given, columns };
  const source = await openUpload(dependencies, upload, emailColumn, {
    ...(columns && { columns }),
    ...(signal && { signal }),
    ...(maxBytes !== undefined && { maxBytes }),
  });
  const seen = dependencies.openSeen();
  const parts = await spoolEmails(source.chunks, {
    files,
    canonical: dependencies.canonical,
    seen,
    maxRowsPerJob: dependencies.maxRowsPerJob ?? rowsPerJob,
    maxRows: maxRows ?? Number.POSITIVE_INFINITY,
  });
  onRead?.(reportOf(source, seen.full));
  const { id: uploadId, owner, filename } = upload;
  const [first] = parts;
  const groupId = first !== undefined && parts.length === 1 ? first.id : randomUUID();
  const jobs = parts.map((part, index) => ({
    ...part,
    ...{ groupId, owner, uploadId, filename, emailColumn, options, createdAt, part: index, parts: parts.length },
  }));
  const removeParts = async (): Promise<void> => {
    for (const part of parts) await files.removeJob(part.id);
  };
  try {
    const made = await store.confirmUpload(uploadId, jobs, charge);
    // Someone else confirmed it meanwhile; theirs counts.
    if (made[0]?.id !== jobs[0]?.id) await removeParts();
    return sameColumn(made, emailColumn);
  } catch (error) {
    await removeParts();
    throw error;
  }
}

async function openUpload(
  { files, reader }: UploadDependencies,
  { id, filename, reading }: UploadRecord,
  emailColumn: string,
  options: Pick<ConfirmOptions, 'columns' | 'maxBytes' | 'signal'>,
): Promise<RowSource> {
  return reader.open(await files.uploadPath(id), emailColumn, filename, { ...reading, ...options });
}

function reportOf(source: RowSource, tooMany: boolean): ReadReport {
  const account = source.figures().rows > 0 ? source.account() : null;
  const uncounted =
    'The list has more distinct addresses than can be remembered: later ones that come again are counted anew.';
  return {
    notes: [...source.notes(), ...(account === null ? [] : [account])],
    warnings: [...source.warnings(), ...(tooMany ? [uncounted] : [])],
  };
}

/** Whoever asks for another column than the job has would take its results for something else. */
function sameColumn(jobs: JobRecord[], emailColumn: string): JobRecord[] {
  const [job] = jobs;
  if (job === undefined || job.emailColumn === emailColumn) return jobs;
  throw new Failure(
    'conflict',
    `The upload was confirmed with the column ${JSON.stringify(job.emailColumn)} before: its job is ${job.id}.`,
    { hint: 'To validate another column, upload the file again.' },
  );
}

async function checkUnchanged(upload: UploadRecord, source: string): Promise<void> {
  const found = await stat(source).catch(() => null);
  if (found?.size === upload.sourceSize && Math.trunc(found.mtimeMs) === upload.sourceChanged) return;
  throw new Failure('conflict', `The file ${upload.filename} changed or went away after its preview.`, {
    hint: 'Upload it again.',
  });
}

function noUpload(): Failure {
  return new Failure('not_found', 'There is no such upload; unconfirmed uploads are kept for a day.', {
    hint: 'Upload the file again.',
  });
}

function noColumn(wanted: string, columns: readonly string[]): Failure {
  return new Failure('bad_input', `The file has no column ${JSON.stringify(wanted)}.`, {
    hint: `Its columns are: ${columns.join(', ')}.`,
  });
}
