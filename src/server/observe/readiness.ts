import { Failure } from '../../model/failure.js';

/** Throws where the service is not ready. */
export type CheckReady = () => Promise<void>;

interface ReadinessOptions {
  /** Throws where the store cannot be written. */
  check(): Promise<unknown>;
  freshMs?: number;
  timeoutMs?: number;
  now?: () => number;
}

/** Checks the store at most once a second, since the endpoint needs no key. */
export function createReadinessCheck(options: ReadinessOptions): CheckReady {
  const { check, freshMs = 1_000, timeoutMs = 2_000, now = () => performance.now() } = options;
  let known: Promise<void> | null = null;
  let staleAt = 0;
  let looking = false;
  return () => {
    if (known !== null && (looking || now() < staleAt)) return known;
    looking = true;
    const look = Promise.resolve(check()).finally(() => {
      looking = false;
      staleAt = now() + freshMs;
    });
    known = inTime(look, timeoutMs);
    // Nobody may be waiting for it.
    known.catch(() => {});
    return known;
  };
}

async function inTime(look: Promise<unknown>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const failure = new Failure('unavailable', 'The store does not respond in time.', { retryAfterSeconds: 1 });
    timer = setTimeout(reject, timeoutMs, failure);
  });
  try {
    await Promise.race([look, late]);
  } finally {
    clearTimeout(timer);
  }
}
