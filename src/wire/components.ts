import type { Job, JobPage, UploadPreview } from '../model/job.js';
import { mapRecordFields } from '../model/record-checks/record-checks.js';
import type { BulkSummary, ValidationResult } from '../model/result.js';
import {
  flag,
  fraction,
  list,
  object,
  share,
  text,
  textOrNull,
  time,
  timeOrNull,
  typed,
  whole,
  wholeOrNull,
} from './schema.js';

/** A schema with a description, where a name does not say enough. */
function says<const S extends object>(schema: S, description: string) {
  return { ...schema, description } as const;
}

const counts = {
  valid_count: whole,
  invalid_count: whole,
  risky_count: whole,
  unknown_count: whole,
  duplicate_count: whole,
};

const job = object(
  {
    id: { type: 'string', format: 'uuid' },
    status: says(text, 'queued, running, completed, failed or canceled'),
    filename: text,
    email_column: text,
    total: says(whole, 'all rows, also those of empty_count and suppressed_count'),
    processed: says(whole, 'rows of the total that are done'),
    ...counts,
    credits_used: whole,
    created_at: time,
    started_at: timeOrNull,
    finished_at: timeOrNull,
    eta_seconds: wholeOrNull,
    rows_per_second: { type: ['number', 'null'] },
    error: textOrNull,
    sub_status_counts: { type: 'object', additionalProperties: whole },
  },
  {
    empty_count: says(whole, 'rows without an address, which are in none of the other counts'),
    suppressed_count: says(whole, 'addresses on a suppression list, which are in none of the other counts'),
    last_run_at: says(timeOrNull, 'start of the last run of an ended job that was resumed'),
    interrupted: says(flag, 'its worker was killed: it must be resumed'),
    resolver_down: says(flag, 'true if the DNS server was down while the job ran'),
    reused_count: says(whole, 'addresses with verdicts of earlier runs, which are in the other counts'),
    forgotten_count: says(whole, 'rows that were deleted with their address, which are in none of the other counts'),
    waiting_count: says(whole, 'rows whose mail server said "try later"'),
    retry_at: says({ type: ['number', 'null'] }, 'Unix seconds at which the next of them is due'),
  },
);

/** The named schemas of the interface: its documented fields, then our additions. */
export const components = {
  /** §2.1 */
  ValidationResult: typed<ValidationResult>(
    object(
      {
        email: text,
        status: says(text, 'valid, invalid, risky or unknown'),
        sub_status: text,
        confidence: share,
        safe_to_send: flag,
        is_valid: flag,
        details: object(
          {
            syntax_valid: flag,
            dns_valid: flag,
            smtp_valid: flag,
            smtp_code: whole,
            domain: text,
            provider: text,
            is_disposable: flag,
            is_role_based: flag,
            is_free: says(flag, 'The domain belongs to a public mailbox provider'),
            ...mapRecordFields(({ description }) => says(flag, description)),
          },
          {
            smtp_enhanced_code: says(textOrNull, 'The enhanced code of the reply, such as 5.1.1'),
            is_relay: says(flag, 'The address forwards to another mailbox of its owner, which it hides'),
          },
        ),
        catchall: object({ is_catchall: flag, confidence: { type: ['number', 'null'] } }),
        ai_enhancement: object(
          { used: flag, method: textOrNull },
          { estimate: says(share, 'The probability that the mailbox exists, for catch-all and unknown') },
        ),
        performance: object({ response_time_ms: whole }),
        metadata: object({
          timestamp: fraction,
          plan_tier: text,
          features_used: object({ catchall_detection: flag, ai_enhancement: flag }),
        }),
        reasons: list(text),
        did_you_mean: textOrNull,
        canonical: says(textOrNull, 'Equal for two spellings of one mailbox; null if it is not an address'),
      },
      {
        retry_at: says(fraction, 'Unix seconds after which a retry makes sense'),
        cached: says(flag, 'The mailbox was asked for within the last ten minutes, and not again'),
        evidence: says(
          { type: 'object', additionalProperties: true },
          'DNS answers, dialogue and rule, if `explain` is true',
        ),
      },
    ),
  ),
  /** §2.2, and `unknown_count`. */
  BulkSummary: typed<BulkSummary>(
    object({
      total: says(whole, 'addresses submitted'),
      ...counts,
      credits_used: whole,
      results: list(object({ email: text, status: text, is_valid: flag, confidence: share })),
    }),
  ),
  /** §2.3 */
  UploadPreview: typed<UploadPreview>(
    object(
      {
        upload_id: { type: 'string', format: 'uuid' },
        filename: text,
        columns: list(text),
        suggested_email_column: text,
      },
      {
        suggested_email_column_number: says(whole, 'From 1; column names may repeat'),
        sample_rows: list(list(text)),
        row_count: whole,
        row_count_exact: flag,
      },
    ),
  ),
  /** §2.4 */
  Job: typed<Job>(job),
  JobPage: typed<JobPage>(object({ jobs: list(typed<Job>(job)), total: whole, skip: whole, limit: whole })),
  Credits: object({
    credits: says(wholeOrNull, 'the balance; null: without limit'),
    plan: text,
    name: text,
    max_rows: says(whole, 'the limit of an uploaded list'),
    max_file_bytes: says(whole, 'the limit of an uploaded file, decompressed'),
  }),
  Problem: object({ error: object({ code: text, message: text }, { hint: text }) }),
  State: object({ status: text }),
};
