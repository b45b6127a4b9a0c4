import type { ResultEvidence } from './evidence.js';
import type { RecordFields } from './record-checks/record-checks.js';
import { whole } from './schema.js';
import type { Status, SubStatus } from './verdict.js';

/** Single validation result: the service interface's §2.1, then our additions. A service may send unknown values. */
export interface ValidationResult {
  email: string;
  status: string;
  sub_status: string;
  confidence: number;
  safe_to_send: boolean;
  is_valid: boolean;
  details: {
    syntax_valid: boolean;
    dns_valid: boolean;
    smtp_valid: boolean;
    smtp_code: number;
    /** The enhanced code of the reply (RFC 3463); null without one. */
    smtp_enhanced_code?: string | null;
    domain: string;
    provider: string;
    is_disposable: boolean;
    is_role_based: boolean;
    /** The domain belongs to a public mailbox provider. */
    is_free?: boolean;
    /** The address forwards to another mailbox of its owner. */
    is_relay?: boolean;
  } & RecordFields;
  catchall: { is_catchall: boolean; confidence: number | null };
  /** `estimate`: the probability that the mailbox exists, if the verdict is catch-all or unknown. */
  ai_enhancement: { used: boolean; method: string | null; estimate?: number };
  performance: { response_time_ms: number };
  metadata: {
    timestamp: number;
    plan_tier: string;
    features_used: { catchall_detection: boolean; ai_enhancement: boolean };
    /** Who decided, where both the engine and a service were asked. */
    back_end?: Opinion['back_end'];
  };
  reasons: string[];
  did_you_mean: string | null;
  /** Equal for two spellings of one mailbox; null if the text is not an address. */
  canonical?: string | null;
  /** Earliest retry in Unix seconds. */
  retry_at?: number;
  /** True if the answer was cached within the last ten minutes and the host was not asked again. */
  cached?: true;
  /** What each found, on request, where both the engine and a service were asked. */
  opinions?: readonly Opinion[];
  /** Present only on request. */
  evidence?: ResultEvidence;
}

/** A result of the bundled engine, in its own words. `suppressed`: on a list of the option `exclude`. */
export interface LocalResult extends ValidationResult {
  status: Status | 'suppressed';
  sub_status: SubStatus;
  canonical: string | null;
}

/** What the bundled engine or a service found about an address. */
export type Opinion = { back_end: 'local' | 'remote' } & Pick<ValidationResult, 'status' | 'sub_status' | 'confidence'>;

/** One row of a bulk summary: §2.2. A `ValidationResult` also qualifies. */
export type BulkItem = Pick<ValidationResult, 'email' | 'status' | 'is_valid' | 'confidence'>;

/** The answer to one address of a bulk run. */
export interface BulkAnswer {
  result: BulkItem | ValidationResult;
  /** The mailbox occurred earlier in this run; nothing is charged. */
  duplicate: boolean;
  /** The mailbox occurred earlier in another spelling, with another verdict, so both count. */
  respelled?: true;
  /** `result` is a placeholder that keeps the order; the address can be retried. */
  unanswered?: true;
  /** The service answered the request, but not for this address: `result` is unknown (`no_answer`). */
  leftOut?: true;
  /** The address is on a suppression list and was not checked. Not in the five counts. */
  suppressed?: true;
  /** Additional cells by column name. */
  added?: Readonly<Record<string, string>>;
  /** The row has no address, and is not in the five counts. */
  empty?: true;
  /** False: known from an earlier run, or not an address. True: a duplicate that was charged, found after the check. */
  charged?: boolean;
  /** The answer is from an earlier run. */
  reused?: true;
}

/** Every row counts as exactly one of these. */
export const countWords = ['valid', 'invalid', 'risky', 'unknown', 'duplicate'] as const;
export type CountWord = (typeof countWords)[number];

/** The five counts, which sum to the total. */
export type Counts = Record<`${CountWord}_count`, number>;
export const countFields = Object.fromEntries(countWords.map((word) => [`${word}_count`, whole])) as {
  [Name in keyof Counts]: typeof whole;
};

/** The count that a row belongs to; an unrecognized status counts as unknown. */
export function countedAs(status: string, duplicate: boolean): CountWord {
  if (duplicate) return 'duplicate';
  return status === 'valid' || status === 'invalid' || status === 'risky' ? status : 'unknown';
}

/** Adds an answer to one of the counts. V8 optimizes access by a literal name. */
export function addCount(counts: Counts, status: string, duplicate: boolean): void {
  const word = countedAs(status, duplicate);
  if (word === 'valid') counts.valid_count++;
  else if (word === 'invalid') counts.invalid_count++;
  else if (word === 'risky') counts.risky_count++;
  else if (word === 'unknown') counts.unknown_count++;
  else counts.duplicate_count++;
}

/** Bulk validation summary: §2.2, and `unknown_count`. */
export interface BulkSummary extends Counts {
  total: number;
  credits_used: number;
  results: BulkItem[];
}

/** The counts of a run, without its rows. */
export interface RunSummary extends Omit<BulkSummary, 'results'> {
  /** The run stopped early. */
  incomplete: boolean;
  /** Addresses without an answer, not in the total. */
  unanswered_count: number;
  /** Rows in the total that the service left out of its answers. */
  left_out_count: number;
  /** Addresses on a suppression list, not in the total. */
  suppressed_count: number;
  /** Rows without an address, not in the total. */
  empty_count: number;
  /** Answers of an earlier run, in the total. They are not in `credits_used`. */
  reused_count: number;
}
