import { Failure } from '../../../model/failure.js';

const sentences: Record<string, (name: string) => [string, string]> = {
  ENOENT: (name) => [
    `There is no file ${name}.`,
    name.includes('@') ? 'Check the path, or use "mailvet validate" for an address.' : 'Check the path.',
  ],
  ENOTDIR: (name) => [`There is no file ${name}.`, 'Check the path: a part of it is a file, not a directory.'],
  EISDIR: (name) => [`${name} is a directory, not a file.`, 'Name a file in it.'],
  EACCES: (name) => [`${name} may not be read.`, 'Check its permissions, or run as a user who may read it.'],
  EPERM: (name) => [`${name} may not be read.`, 'Check its permissions, or run as a user who may read it.'],
  EMFILE: (name) => [`${name} cannot be opened: too many files are open.`, 'Raise the limit (ulimit -n).'],
  ERR_STREAM_PREMATURE_CLOSE: (name) => [`${name} was closed before its end.`, 'Give the list again, whole.'],
  Z_DATA_ERROR: (name) => [`${name} is damaged: its gzip data does not unpack.`, 'Test it with gzip -t.'],
  Z_BUF_ERROR: (name) => [`${name} is cut off: its gzip data ends too early.`, 'Test it with gzip -t.'],
};

/** The Failure for an error of reading an input, which is called by its name. */
export function asReadFailure(thrown: unknown, name: string): Failure {
  if (thrown instanceof Failure) return thrown;
  const code = (thrown as NodeJS.ErrnoException | null)?.code ?? 'unknown error';
  const [sentence, hint] = sentences[code]?.(name) ?? [`${name} cannot be read (${code}).`, 'Check the file.'];
  return new Failure('bad_input', capitalized(sentence), { hint, cause: thrown });
}

/** The Failure for a file that changed while it was read. */
export function listChanged(name: string): Failure {
  return new Failure('conflict', `${capitalized(name)} changed while it was read.`, {
    hint: 'Vet it again when it is complete, or vet a copy of it.',
  });
}

/** The Failure for an input with more than a limit, such as "more than 10 MB, decompressed". */
export function tooLarge(name: string, limit: string): Failure {
  return new Failure('too_large', `${capitalized(name)} holds ${limit}.`, { hint: 'Split it into several files.' });
}

/** The Failure for a workbook that exceeds a limit, such as "more than 16,384 columns". */
export function workbookTooLarge(name: string, limit: string): Failure {
  return new Failure('too_large', `The workbook ${name} holds ${limit}.`, {
    hint: 'Delete what is not part of the list in a spreadsheet program, or save it as CSV (UTF-8).',
  });
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
