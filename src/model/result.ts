import type { Evidence } from './evidence.js';
import type { RecordFields } from './record-checks/record-checks.js';

/** Single validation result: the service interface's §2.1, then our additions. A service may send words we do not know. */
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
    domain: string;
    provider: string;
    is_disposable: boolean;
    is_role_based: boolean;
  } & RecordFields;
  catchall: { is_catchall: boolean; confidence: number | null };
  ai_enhancement: { used: boolean; method: string | null };
  performance: { response_time_ms: number };
  metadata: {
    timestamp: number;
    plan_tier: string;
    features_used: { catchall_detection: boolean; ai_enhancement: boolean };
  };
  reasons: string[];
  did_you_mean: string | null;
  /** Unix seconds after which asking again makes sense. */
  retry_at?: number;
  /** Only on request. */
  evidence?: Evidence;
}

/** One row of a bulk summary: §2.2. A full `ValidationResult` is one, too. */
export interface BulkItem {
  email: string;
  status: string;
  is_valid: boolean;
  confidence: number;
}

/** The answer to one address of a bulk run. */
export interface BulkAnswer {
  result: BulkItem | ValidationResult;
  /** The same mailbox came earlier in this run; its verdict is repeated and nothing is charged. */
  duplicate: boolean;
  /** No answer came: `result` is a placeholder that keeps the order, nothing was found out, and asking again makes sense. */
  unanswered?: true;
  /** Cells beside the verdict, by the names of their columns. */
  added?: Readonly<Record<string, string>>;
  /** The row holds no address: nothing was asked, and it is in none of the five counts. */
  empty?: true;
  /** False where nothing was charged for it: it was answered in an earlier run, or is no address at all. */
  charged?: false;
}

/** What a bulk run would send and cost. */
export interface BulkPlan {
  addresses: number;
  /** Mailboxes that would be sent: without duplicates, and without those answered before. */
  unique: number;
  duplicates: number;
  /** Found among earlier answers, or no addresses at all: neither sent nor charged. */
  known: number;
  requests: number;
  credits: number;
}

/** What a row counts as: one of these five, never two. */
export const countWords = ['valid', 'invalid', 'risky', 'unknown', 'duplicate'] as const;
export type CountWord = (typeof countWords)[number];

/** The five counts, which sum to the total. */
export type Counts = Record<`${CountWord}_count`, number>;

/** The one count that a row belongs to; a status that we do not know counts as unknown. */
export function countedAs(status: string, duplicate: boolean): CountWord {
  if (duplicate) return 'duplicate';
  return status === 'valid' || status === 'invalid' || status === 'risky' ? status : 'unknown';
}

/** Bulk validation summary: §2.2, and `unknown_count`. */
export interface BulkSummary extends Counts {
  total: number;
  credits_used: number;
  results: BulkItem[];
}

/** How many addresses changed since an earlier output. */
export interface ChangeCounts {
  new: number;
  same: number;
  changed: number;
  gone: number;
}

/** The counts of a run, without its rows. */
export interface RunSummary extends Omit<BulkSummary, 'results'> {
  /** The run stopped before the end of its input. */
  incomplete?: true;
  /** Rows that were read and got no answer; they are not in the total. */
  unanswered_count?: number;
  /** Rows without an address; they are not in the total. */
  empty_count?: number;
  /** Where the run was compared with an earlier output. */
  changes?: ChangeCounts;
  /** From which status to which those went that changed, as `valid→invalid`. */
  moves?: Record<string, number>;
}
