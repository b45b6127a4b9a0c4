import type { Evidence } from '../model/evidence.js';
import type { ValidationResult } from '../model/result.js';

export interface Explained {
  code: string;
  means: string;
  /** May be empty. */
  advice: string;
}

export interface CheckAnswer {
  result: ValidationResult;
  /** The leading code: the sub_status, or the typo that makes the address risky. */
  verdict: Explained;
  /** The other reasons, most important first. */
  reasons: Explained[];
  /** Null where the level gives none. */
  evidence: Evidence | null;
  /** Lines such as "not valid, since …". */
  why_not: string[];
}
