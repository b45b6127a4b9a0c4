import { Failure } from '../model/failure.js';

/** Converts an error of SQLite or the file system to a Failure. */
export function storageFailure(error: unknown, path: string, what = 'The job store'): Failure {
  if (error instanceof Failure) return error;
  const text = error instanceof Error ? error.message : String(error);
  const code = (error as NodeJS.ErrnoException | null)?.code ?? '';
  const fault = faults.find(({ pattern }) => pattern.test(text) || pattern.test(code));
  if (fault === undefined && !isForeign(error)) throw error;
  const sentence = fault?.sentence ?? `cannot be used: ${text}`;
  return new Failure('storage', `${what} ${path} ${sentence}.`, {
    hint:
      fault?.hint ?? 'Check the disk and the permissions of the data directory, or set MAILVET_HOME to another one.',
    cause: error,
  });
}

function isForeign(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'SQLite3Error' || 'errcode' in error || 'syscall' in error;
}

const faults: { pattern: RegExp; sentence: string; hint: string }[] = [
  {
    pattern: /not a database|malformed|SQLITE_CORRUPT/,
    sentence: 'is damaged or is not a mailvet store',
    hint: 'Nothing was changed. Restore it from a backup, or move the file away to start with an empty store.',
  },
  {
    pattern: /is full|ENOSPC|EDQUOT|EFBIG/,
    sentence: 'cannot grow: the disk is full',
    hint: 'Free some space and run the command again; everything that was finished is kept.',
  },
  {
    pattern: /readonly database|EROFS|EACCES|EPERM/,
    sentence: 'cannot be written: it is read-only',
    hint: 'Check the permissions of the data directory, or set MAILVET_HOME to a writable one.',
  },
  {
    pattern: /unable to open|Could not open|ENOENT|ENOTDIR/,
    sentence: 'cannot be opened',
    hint: 'Check that the data directory exists and can be written, or set MAILVET_HOME to another one.',
  },
  {
    pattern: /disk I\/O error|EIO/,
    sentence: 'could not be read or written: the disk is full or failing',
    hint: 'Free some space and run the command again; everything that was finished is kept.',
  },
];
