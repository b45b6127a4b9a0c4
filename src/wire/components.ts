import { type Job, type JobPage, jobAdditions, jobFields, previewAdditions, previewFields } from '../model/job.js';
import { mapRecordFields } from '../model/record-checks/record-checks.js';
import { type BulkSummary, countFields, type ValidationResult } from '../model/result.js';
import { flag, fraction, says, share, text, textOrNull, whole, wholeOrNull } from '../model/schema.js';
import { list, object, typed } from './schema.js';

const job = typed<Job>(object(jobFields, jobAdditions));

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
      ...countFields,
      credits_used: whole,
      results: list(object({ email: text, status: text, is_valid: flag, confidence: share })),
    }),
  ),
  /** §2.3 */
  UploadPreview: object(previewFields, previewAdditions),
  /** §2.4 */
  Job: job,
  JobPage: typed<JobPage>(object({ jobs: list(job), total: whole, skip: whole, limit: whole })),
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
