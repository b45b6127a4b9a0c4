import { Failure } from '../../model/failure.js';
import { emptyVerdict, suppressedVerdict } from '../../model/job.js';
import type { BulkItem } from '../../model/result.js';
import { quotedName } from '../../model/text/shell-word.js';

/** A result of an earlier run; with its row, if that is requested. */
export type EarlierItem = BulkItem & { row?: EarlierRow };

/** The row of an earlier result: its cells by their columns, and the text of an object of a JSON list. */
export interface EarlierRow {
  cells: Readonly<Record<string, string>>;
  json?: string;
}

/** Which results to read, and whether with their rows. */
export interface ReadingOptions {
  withSuppressed?: boolean;
  withRows?: boolean;
  /** The file is what a stopped run left. */
  mayBeTruncated?: boolean;
}

/** Another run may have other suppression lists; a row without an address has no answer. */
export function isAnswer(status: string, withSuppressed: boolean): boolean {
  return status !== '' && status !== emptyVerdict.status && (withSuppressed || status !== suppressedVerdict.status);
}

export function noResultsFailure(path: string, cause?: unknown): Failure {
  return new Failure('bad_input', `${quotedName(path)} has no results of an earlier run.`, {
    hint: 'It must be the CSV, Excel (xlsx), JSON or NDJSON of an earlier run, with all its columns.',
    cause,
  });
}
