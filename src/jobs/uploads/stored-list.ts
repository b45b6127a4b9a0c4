import { exitStatuses, Failure } from '../../model/failure.js';
import type { RowSource } from '../../rows/rows.js';
import { callerOfJob, type JobRecord } from '../store/job-record.js';
import type { PreviewDependencies } from './preview-upload.js';

/** Opens the list of a job; null if its file is gone, or not a list for this version. */
export async function openStoredList(
  { store, files, reader }: PreviewDependencies,
  { owner, uploadId, emailColumn, filename, options }: JobRecord,
  signal?: AbortSignal,
): Promise<RowSource | null> {
  const upload = await store.getUpload(owner, uploadId);
  const columns = options['columns'] as number[] | undefined;
  try {
    const reading = { ...upload?.reading, columns, signal, caller: callerOfJob(owner) };
    return await reader.open(await files.uploadPath(uploadId), emailColumn, filename, reading);
  } catch (error) {
    if (isUnreadable(error)) return null;
    throw error;
  }
}

/** True if the stored list is gone, or not a list for this version; false for an error that may be temporary. */
export function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Failure) || exitStatuses[error.code] !== exitStatuses.bad_input) return false;
  const { code, syscall } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return syscall === undefined || code === 'ENOENT';
}
