/** Every code of a Failure, with its exit status. */
export const exitStatuses = {
  usage: 2,
  bad_input: 2,
  too_large: 2,
  unsupported: 2,
  key_missing: 3,
  key_refused: 3,
  forbidden: 3,
  no_credits: 3,
  network: 4,
  remote_error: 4,
  bad_answer: 4,
  rate_limited: 4,
  unavailable: 4,
  billed_perhaps: 4,
  not_found: 5,
  storage: 6,
  conflict: 6,
  locked: 6,
  internal: 70,
  interrupted: 130,
} as const;

export type FailureCode = keyof typeof exitStatuses;

/** The exit status of `validate` and `--fail-on` if some address has an unwanted verdict. Not a Failure. */
export const exitNotAllValid = 1;

/** An inability, with a sentence for the user and, if there is one, the next step. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly hint: string | null;
  /** Seconds to wait before trying again, if the other side said so. */
  readonly retryAfterSeconds: number | null;

  constructor(
    code: FailureCode,
    message: string,
    options: { hint?: string | null; cause?: unknown; retryAfterSeconds?: number | null } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Failure';
    this.code = code;
    this.hint = options.hint ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** Whether an error or its cause is a lack of file descriptors: EMFILE for this process, ENFILE for the system. */
export function isOutOfDescriptors(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  // Some libraries keep only the message.
  return (
    /\bE[MN]FILE\b/.test(`${'code' in thrown ? thrown.code : ''} ${thrown.message}`) || isOutOfDescriptors(thrown.cause)
  );
}

/**
 * Converts anything thrown to a Failure: an abort to `interrupted`, a lack of descriptors to `storage`, others to a bug with its cause.
 * Failures stay unchanged.
 */
export function asFailure(thrown: unknown): Failure {
  if (isOutOfDescriptors(thrown)) {
    return new Failure('storage', 'mailvet has as many files and connections open as the system allows.', {
      cause: thrown,
      hint: 'Raise the limit (ulimit -n 4096), or lower the setting concurrency.',
    });
  }
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof Error && thrown.name === 'AbortError') {
    return new Failure('interrupted', 'Interrupted.', { cause: thrown });
  }
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  return new Failure('internal', `Something went wrong inside mailvet: ${what}`, {
    cause: thrown,
    hint: 'This is a bug. Run the command again with --verbose and report what it prints.',
  });
}
