import { withTimeout } from '../../async/with-timeout.js';
import { Failure } from '../../model/failure.js';

/** Throws if the service is not ready. */
export type CheckReady = () => Promise<unknown>;

interface ReadinessOptions {
  /** Throws if the store cannot be written. */
  check(): Promise<unknown>;
  freshMs?: number;
  timeoutMs?: number;
  now?: () => number;
}

/** Checks the store at most once a second, since the endpoint needs no key. */
export function createReadinessCheck(options: ReadinessOptions): CheckReady {
  const { check, freshMs = 1_000, timeoutMs = 2_000, now = () => performance.now() } = options;
  let latest: Promise<unknown> | null = null;
  let staleAt = 0;
  let isChecking = false;
  return () => {
    if (latest !== null && (isChecking || now() < staleAt)) return latest;
    isChecking = true;
    const timeoutError = new Failure('unavailable', 'The store does not respond in time.', { retryAfterSeconds: 1 });
    const checking = Promise.resolve(check()).finally(() => {
      isChecking = false;
      staleAt = now() + freshMs;
    });
    latest = withTimeout(checking, timeoutMs, timeoutError);
    // It may have no other listener.
    latest.catch(() => {});
    return latest;
  };
}
