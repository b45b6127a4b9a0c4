import type { Result } from '../../lists/pipeline.js';
import type { Level } from '../../model/evidence.js';
import type { Opinion, ValidationResult } from '../../model/result.js';

/** The statuses and reasons that a service is asked about. Below level smtp only those that the setting names. */
export function sentBy(level: Level, setting: readonly string[]): ReadonlySet<string> {
  const unsettled = level === 'smtp' ? ['unknown', 'catch_all', 'role_based_catch_all'] : [];
  return new Set(setting.length > 0 ? setting : unsettled);
}

/** Whether the engine's answer is one that a service is asked about. */
export function isSent(sent: ReadonlySet<string>, result: Result): boolean {
  return sent.has(result.status) || sent.has(reasonOf(result));
}

/** A result, with the back end that decided it. */
export function decidedBy(backEnd: Opinion['back_end'], result: Result): Result {
  return 'metadata' in result ? { ...result, metadata: { ...result.metadata, back_end: backEnd } } : result;
}

/** The answer of the service with the engine's details; the engine's own where the service knows no more, or has no proof. */
export function decide(own: Result, other: Result): { result: Result; disagrees: boolean } {
  const disagrees = own.status === 'invalid' && other.status === 'valid';
  if (disagrees || other.status === 'unknown') return { result: decidedBy('local', own), disagrees };
  const { retry_at: _, cached: __, ...facts } = own as ValidationResult;
  const verdict = { sub_status: '', safe_to_send: other.status === 'valid', reasons: [], did_you_mean: null };
  const result = { ...facts, ...verdict, ...withoutEmpty(other), email: own.email } as Result;
  const metadata = 'metadata' in own ? { metadata: own.metadata } : {};
  return { result: decidedBy('remote', { ...result, ...metadata }), disagrees };
}

/** What one of them found. */
export function opinionOf(backEnd: Opinion['back_end'], result: Result): Opinion {
  return { back_end: backEnd, status: result.status, sub_status: reasonOf(result), confidence: result.confidence };
}

function reasonOf(result: Result): string {
  return 'sub_status' in result && typeof result.sub_status === 'string' ? result.sub_status : '';
}

/** A service may leave fields out, or empty. */
function withoutEmpty(result: Result): Partial<Result> {
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value != null));
}
