import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { formatAmount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import type { UploadPreview } from '../../model/job.js';
import type { ConfirmUploadOptions, FileReading, UploadFile } from '../../model/service.js';
import type { ReadOptions } from '../../rows/read/decode/byte-source.js';
import type { RowSource } from '../../rows/rows.js';
import type { JobFiles } from '../store/files.js';
import { callerOfJob } from '../store/job-record.js';
import type { JobStore } from '../store/store.js';

type FilePreview = Omit<Required<UploadPreview>, 'upload_id' | 'filename' | 'suggested_email_column_number'> &
  Pick<UploadPreview, 'suggested_email_column_number'>;

type Reading = FileReading & ReadOptions;

/** Reads files. `filename` is the name that a file was uploaded with. */
export interface TableReader {
  preview(path: string, filename: string, reading?: Reading): Promise<FilePreview>;
  open(
    path: string,
    emailColumn: string,
    filename: string,
    reading?: Reading & Pick<ConfirmUploadOptions, 'columns'>,
  ): Promise<RowSource>;
}

export interface PreviewDependencies {
  store: JobStore;
  files: JobFiles;
  reader: TableReader;
}

export interface PreviewOptions extends ReadOptions {
  /** Moves the file; otherwise it is copied when confirmed. */
  move?: boolean | undefined;
  reading?: FileReading | undefined;
  /** Refuses a file that has more rows. */
  maxRows?: number | undefined;
}

/** Reads the head of a file, and adds the upload to the store. */
export async function previewUpload(
  { store, files, reader }: PreviewDependencies,
  createdAt: number,
  file: UploadFile,
  owner: string,
  { move = false, reading: requestedReading = {}, maxRows, ...limits }: PreviewOptions,
): Promise<UploadPreview> {
  const id = randomUUID();
  const { sheet, ...others } = requestedReading;
  const caller = callerOfJob(owner);
  const name = move ? file.filename : undefined;
  const stored = await storeOnce(files, { ...file, name }, id, {
    ...limits,
    caller,
    ...(sheet !== undefined && { sheet }),
  });
  // A sheet is stored as CSV.
  const storedReading = stored === null ? requestedReading : { ...others, ...stored.reading };
  const reading = { ...storedReading, ...limits, caller };
  const readPreview = async (path: string, shownName?: string): Promise<FilePreview> => {
    const named = shownName === undefined ? reading : { ...reading, name: shownName };
    const preview = await reader.preview(path, file.filename, named);
    if (preview.row_count_exact) requireRowLimit(preview.row_count, maxRows);
    return preview;
  };
  const preview = await (stored === null
    ? readPreview(file.path, name)
    : previewStored(files, name ?? file.path, id, readPreview));
  const { size, mtimeMs } = await stat(file.path);
  if (move && stored === null) await files.moveUpload(file.path, id);
  await store.addUpload({
    id,
    owner,
    filename: file.filename,
    source: move || stored !== null ? null : file.path,
    sourceSize: stored?.size ?? size,
    sourceChanged: Math.trunc(mtimeMs),
    columns: preview.columns,
    reading: storedReading,
    rowCount: preview.row_count,
    rowCountExact: preview.row_count_exact,
    createdAt,
    jobId: null,
  });
  return { upload_id: id, filename: file.filename, ...preview };
}

/** Throws `too_large` for more rows than the limit. */
export function requireRowLimit(rows: number, maxRows = Number.POSITIVE_INFINITY): void {
  if (rows <= maxRows) return;
  throw new Failure('too_large', `The list has more than ${formatAmount(maxRows, 'row')}, the limit of this server.`, {
    hint: 'Split it into several files, or raise the setting serve.max_rows of the server.',
  });
}

/** Stores what is read only once: the bytes of a pipe, and a workbook as CSV. Null for other files. */
async function storeOnce(
  files: JobFiles,
  { path, name }: { path: string; name: string | undefined },
  id: string,
  options: ReadOptions,
): Promise<{ size: number; reading: Pick<FileReading, 'warnings'> } | null> {
  const stats = await stat(path).catch(() => null);
  const { openBytes } = await import('../../rows/read/decode/byte-source.js');
  const bytes = await openBytes(name === undefined ? { path } : { path, name }, options);
  let size = 0;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let piece = await bytes.read(); piece !== null; piece = await bytes.read()) {
      size += piece.length;
      yield piece;
    }
  }
  try {
    if (bytes.warnings === undefined && !stats?.isFIFO() && !stats?.isSocket()) return null;
    await files.writeUpload(pieces(), id);
    return { size, reading: bytes.warnings ? { warnings: bytes.warnings } : {} };
  } finally {
    await bytes.close();
  }
}

async function previewStored(
  files: JobFiles,
  shownName: string,
  id: string,
  readPreview: (path: string) => Promise<FilePreview>,
): Promise<FilePreview> {
  const storedPath = await files.uploadPath(id);
  try {
    return await readPreview(storedPath);
  } catch (error) {
    await files.removeUpload(id);
    if (!(error instanceof Failure)) throw error;
    // The user knows the file, not the path of its bytes.
    const message = error.message.replaceAll(JSON.stringify(storedPath), JSON.stringify(shownName));
    throw new Failure(error.code, message, { cause: error, hint: error.hint });
  }
}
