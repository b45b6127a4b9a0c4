const succeeded = new Set(['completed', 'complete', 'done', 'finished', 'success', 'succeeded', 'successful']);
const failed = new Set(['failed', 'failure', 'error', 'errored', 'expired']);
const canceled = new Set(['canceled', 'cancelled', 'aborted']);

/** True for a job that succeeded, in any of the words that services use. */
export function isSucceeded(status: string): boolean {
  return succeeded.has(normalizeStatus(status));
}

export function isFailed(status: string): boolean {
  return failed.has(normalizeStatus(status));
}

export function isCanceled(status: string): boolean {
  return canceled.has(normalizeStatus(status));
}

/** True for final states. An unknown state is not final: the job may still run. */
export function isFinalState(status: string): boolean {
  return isSucceeded(status) || isFailed(status) || isCanceled(status);
}

/** The state in lower case, without a prefix such as `JOB_`. */
export function normalizeStatus(status: string): string {
  return status
    .trim()
    .toLowerCase()
    .replace(/^(?:job|status)[_\s-]+/, '');
}
