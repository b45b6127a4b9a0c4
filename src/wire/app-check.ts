import type { Evidence } from '../model/evidence.js';
import type { ValidationResult } from '../model/result.js';

/** A code with its sentence. */
export interface Explained {
  code: string;
  /** One sentence. */
  means: string;
  /** What to do; may be empty. */
  advice: string;
}

export interface CheckAnswer {
  /** The single result of the interface, as a program gets it. */
  result: ValidationResult;
  /** The verdict in words: its sub_status, or the slip that makes it risky, too. */
  verdict: Explained;
  /** The other reasons in words, most weighty first. */
  reasons: Explained[];
  /** Null where the level asked for gives none. */
  evidence: Evidence | null;
  /** Why this verdict and not the ones next to it: whole lines, as "not valid, since …". */
  why_not: string[];
}
