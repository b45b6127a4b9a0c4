import type { ValidationService } from '../../model/service.js';
import { asWarning, type Check, failedWith, ok, skipped } from './check.js';

export interface RemoteQuestion {
  inUse: boolean;
  baseUrl: string | null;
  /** Null if no remote service is configured. */
  open: (() => Promise<ValidationService>) | null;
  signal: AbortSignal;
}

/** Checks that the remote service responds and accepts the key, by a free call. */
export async function checkRemote({ inUse, baseUrl, open, signal }: RemoteQuestion): Promise<Check> {
  const facts = { base_url: baseUrl, in_use: inUse };
  if (open === null) {
    return skipped('remote', 'No remote service is set up; the bundled engine is used.', { facts });
  }
  const startedAt = performance.now();
  let service: ValidationService | null = null;
  try {
    service = await open();
    await service.listJobs({ skip: 0, limit: 1 }, { signal });
    const elapsed = Math.round(performance.now() - startedAt);
    const message = `${baseUrl ?? 'The service'} answers and takes the key (${elapsed} ms).`;
    return ok('remote', message, { facts: { ...facts, elapsed_ms: elapsed } });
  } catch (thrown) {
    signal.throwIfAborted();
    const check = failedWith('remote', thrown, { facts });
    return inUse ? check : asWarning(check);
  } finally {
    await service?.close();
  }
}
