import type { Result } from '../../lists/pipeline.js';
import type { Level } from '../../model/evidence.js';
import type { Opinion, ValidationResult } from '../../model/result.js';

export interface HybridOptions {
  level: Level;
  /** The setting `hybrid_sends`. */
  sends: readonly string[];
  onNote(text: string): void;
}

/** The statuses and reasons that a service is asked about. Below level smtp only those that the setting names. */
export function sentBy({ level, sends }: Omit<HybridOptions, 'onNote'>): ReadonlySet<string> {
  const unsettled = level === 'smtp' ? ['unknown', 'catch_all', 'role_based_catch_all'] : [];
  return new Set(sends.length > 0 ? sends : unsettled);
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
  // A service may leave fields out, or empty.
  const given = Object.fromEntries(Object.entries(other).filter(([, value]) => value != null));
  const ours = { email: own.email, ...('metadata' in own && { metadata: own.metadata }) };
  return { result: decidedBy('remote', { ...facts, ...verdict, ...given, ...ours }), disagrees };
}

/** What one of them found. */
export function opinionOf(backEnd: Opinion['back_end'], result: Result): Opinion {
  return { back_end: backEnd, status: result.status, sub_status: reasonOf(result), confidence: result.confidence };
}

function reasonOf(result: Result): string {
  return 'sub_status' in result && typeof result.sub_status === 'string' ? result.sub_status : '';
}
