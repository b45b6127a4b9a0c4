import { encodeResult } from '../../engine/encode-result.js';
import { openEngine } from '../../engine/engine.js';
import { parseAddress } from '../../engine/grammar/parse-address.js';
import { suppressedVerdict } from '../../model/job.js';
import type { ValidationResult } from '../../model/result.js';
import type { Vetted } from '../../model/verdict.js';

/** Addresses that are never checked. */
export interface Suppression {
  includes(email: string): boolean;
  result(email: string, planTier: string): ValidationResult;
}

/** Reads suppression lists. Their addresses get a result without the network. */
export async function openSuppression(paths: readonly string[]): Promise<Suppression> {
  const { watchSuppression } = await import('../suppression.js');
  const includes = await watchSuppression(paths);
  const offline = (await openEngine({ level: 'syntax' })).vetter();
  const result = (email: string, planTier: string): ValidationResult => {
    const vetted = offline(email, parseAddress(email)) as Vetted;
    return { ...encodeResult(vetted, planTier), ...suppressedVerdict, is_valid: false, reasons: ['suppressed'] };
  };
  return { includes, result };
}
