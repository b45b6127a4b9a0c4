import { exitStatuses, Failure } from '../../model/failure.js';

/** True if the stored list is gone, or not a list for this version; false for an error that may be temporary. */
export function isUnreadable(error: unknown): boolean {
  if (!(error instanceof Failure) || exitStatuses[error.code] !== exitStatuses.bad_input) return false;
  const { code, syscall } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return syscall === undefined || code === 'ENOENT';
}
