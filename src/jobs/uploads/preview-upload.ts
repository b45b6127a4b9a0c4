import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Failure } from '../../model/failure.js';
import type { UploadPreview } from '../../model/job.js';
import type { FileReading, UploadFile } from '../../model/service.js';
import type { ReadOptions } from '../../rows/read/decode/byte-source.js';
import { callerOfJob } from '../job-caller.js';
import type { JobFiles } from '../store/files.js';
import type { FilePreview, TableReader, UploadDependencies } from './upload-dependencies.js';

export interface PreviewOptions extends ReadOptions {
  /** The file is ours to move; else it is copied when confirmed. */
  move?: boolean;
  reading?: FileReading;
}

/** Looks at the head of a file, and notes it in the store. */
export async function previewUpload(
  { store, files, reader }: UploadDependencies,
  createdAt: number,
  file: UploadFile,
  owner: string,
  { move: adopt = false, reading: wanted = {}, ...limits }: PreviewOptions,
): Promise<UploadPreview> {
  const id = randomUUID();
  const reading = { ...wanted, ...limits, caller: callerOfJob(owner) };
  const kept = await keepStream(files, file.path, id, limits);
  const found = await (kept
    ? previewKept(files, reader, file, id, reading)
    : reader.preview(file.path, file.filename, { ...reading, ...(adopt && { name: file.filename }) }));
  const { size, mtimeMs } = await stat(file.path);
  if (adopt) await files.moveUpload(file.path, id);
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
async function keepStream(files: JobFiles, path: string, id: string, reading: ReadOptions): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  if (found === null || !(found.isFIFO() || found.isSocket())) return false;
  const { openBytes } = await import('../../rows/read/decode/byte-source.js');
  const bytes = await openBytes({ path }, reading);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let piece = await bytes.read(); piece !== null; piece = await bytes.read()) yield piece;
  }
  try {
    await files.writeUpload(pieces(), id);
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
  reading: FileReading & ReadOptions,
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
