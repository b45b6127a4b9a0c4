import { Failure } from '../../model/failure.js';
import { emptyVerdict, suppressedVerdict } from '../../model/job.js';
import type { BulkItem } from '../../model/result.js';
import { quotedName } from '../../model/text/shell-word.js';

/** A result in an output. */
export type OutputItem = BulkItem;

/** Which results to read. */
export interface ReadingOptions {
  withSuppressed?: boolean;
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
