import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { mapRecordFields } from '../../model/record-checks/record-checks.js';
import { resultFormats } from '../../wire/results-codec.js';
import { apiPrefix, defaultPage, keyHeader, maxEmailsPerRequest, routes, uploadField } from '../../wire/routes.js';

/** The OpenAPI description, without the schemas of the routes. */
export const description: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'mailvet',
      description: 'Validates email addresses: one, many, or a CSV file as a job.',
      version: __VERSION__,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'this one' }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: keyHeader } } },
    security: [{ key: [] }],
  },
  transformObject: (document) => {
    if (!('openapiObject' in document)) return document.swaggerObject;
    const { openapiObject } = document;
    const preview = openapiObject.paths?.[apiPrefix + routes.previewUpload.path]?.post;
    if (preview !== undefined) Object.assign(preview, { requestBody: { required: true, content: form } });
    return openapiObject;
  },
};

/** The form is read as a stream, so the route has no schema for it. */
const form = {
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: [uploadField],
      properties: { [uploadField]: { type: 'string', format: 'binary' } },
    },
  },
};

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const whole = { type: 'integer' } as const;
const fraction = { type: 'number' } as const;
const share = { type: 'number', minimum: 0, maximum: 1 } as const;
const wholeOrNull = { type: ['integer', 'null'] } as const;
const textOrNull = { type: ['string', 'null'] } as const;
const timeOrNull = { type: ['string', 'null'], format: 'date-time' } as const;

/** An object of a response: all fields are always present, except those in `sometimes`. */
function answer<Fields extends Record<string, object>>(fields: Fields, sometimes: Record<string, object> = {}) {
  return { type: 'object', required: Object.keys(fields), properties: { ...fields, ...sometimes } } as const;
}

/** §2.1, then our additions. */
export const singleResult = answer(
  {
    email: text,
    status: { type: 'string', description: 'valid, invalid, risky or unknown' },
    sub_status: text,
    confidence: share,
    safe_to_send: flag,
    is_valid: flag,
    details: answer({
      syntax_valid: flag,
      dns_valid: flag,
      smtp_valid: flag,
      smtp_code: whole,
      domain: text,
      provider: text,
      is_disposable: flag,
      is_role_based: flag,
      is_free: { ...flag, description: 'The domain belongs to a public mailbox provider' },
      ...mapRecordFields(({ description }) => ({ ...flag, description })),
    }),
    catchall: answer({ is_catchall: flag, confidence: { type: ['number', 'null'] } }),
    ai_enhancement: answer(
      { used: flag, method: textOrNull },
      { estimate: { ...share, description: 'The probability that the mailbox exists, for catch-all and unknown' } },
    ),
    performance: answer({ response_time_ms: whole }),
    metadata: answer({
      timestamp: fraction,
      plan_tier: text,
      features_used: answer({ catchall_detection: flag, ai_enhancement: flag }),
    }),
    reasons: { type: 'array', items: text },
    did_you_mean: textOrNull,
    canonical: { ...textOrNull, description: 'Equal for two spellings of one mailbox; null if it is not an address' },
  },
  {
    retry_at: { ...fraction, description: 'Unix seconds after which a retry makes sense' },
    cached: { ...flag, description: 'The mailbox was asked for within the last ten minutes, and not again' },
  },
);

const counts = {
  valid_count: whole,
  invalid_count: whole,
  risky_count: whole,
  unknown_count: whole,
  duplicate_count: whole,
};

/** §2.2, and `unknown_count`. */
export const bulkSummary = answer({
  total: { ...whole, description: 'addresses submitted' },
  ...counts,
  credits_used: whole,
  results: { type: 'array', items: answer({ email: text, status: text, is_valid: flag, confidence: share }) },
});

/** §2.3, then our additions. */
export const uploadPreview = answer(
  {
    upload_id: { type: 'string', format: 'uuid' },
    filename: text,
    columns: { type: 'array', items: text },
    suggested_email_column: text,
  },
  {
    suggested_email_column_number: { ...whole, description: 'From 1; column names may repeat' },
    sample_rows: { type: 'array', items: { type: 'array', items: text } },
    row_count: whole,
    row_count_exact: flag,
  },
);

/** §2.4, then our additions. */
export const job = answer(
  {
    id: { type: 'string', format: 'uuid' },
    status: { type: 'string', description: 'queued, running, completed, failed or canceled' },
    filename: text,
    email_column: text,
    total: { ...whole, description: 'all rows, also those of empty_count and suppressed_count' },
    processed: { ...whole, description: 'rows of the total that are done' },
    ...counts,
    credits_used: whole,
    created_at: { type: 'string', format: 'date-time' },
    started_at: timeOrNull,
    finished_at: timeOrNull,
    eta_seconds: wholeOrNull,
    rows_per_second: { type: ['number', 'null'] },
    error: textOrNull,
    sub_status_counts: { type: 'object', additionalProperties: whole },
    group_id: textOrNull,
  },
  {
    empty_count: { ...whole, description: 'rows without an address, which are in none of the other counts' },
    suppressed_count: {
      ...whole,
      description: 'addresses on a suppression list, which are in none of the other counts',
    },
    last_run_at: { ...timeOrNull, description: 'start of the last run of an ended job that was resumed' },
    resolver_down: { ...flag, description: 'true if the DNS server was down while the job ran' },
    reused_count: { ...whole, description: 'addresses with verdicts of earlier runs, which are in the other counts' },
    forgotten_count: { ...whole, description: 'rows that were deleted with their address, which are in the counts' },
    waiting_count: { ...whole, description: 'rows whose mail server said "try later"' },
    retry_at: { type: ['number', 'null'], description: 'Unix seconds at which the next of them is due' },
  },
);

export const jobPage = answer({ jobs: { type: 'array', items: job }, total: whole, skip: whole, limit: whole });

export const credits = answer({
  credits: { ...wholeOrNull, description: 'the balance; null: without limit' },
  plan: text,
  name: text,
  max_rows: { ...whole, description: 'the limit of an uploaded list' },
  max_file_bytes: { ...whole, description: 'the limit of an uploaded file, decompressed' },
});

export const problem = answer({ error: answer({ code: text, message: text }, { hint: text }) });

/** Accepted bodies and queries. Unknown fields are ignored. */
export const requests = {
  single: {
    type: 'object',
    required: ['email'],
    properties: {
      email: text,
      timeout_ms: {
        type: 'integer',
        minimum: 50,
        maximum: 60_000,
        description: 'Answer by then with what is known: timeout_exceeded, with the reason fail_open',
      },
    },
  },
  singleByQuery: { type: 'object', required: ['email'], properties: { email: text } },
  bulk: {
    type: 'object',
    required: ['emails'],
    properties: { emails: { type: 'array', maxItems: maxEmailsPerRequest, items: text } },
  },
  confirm: {
    type: 'object',
    required: ['upload_id', 'email_column'],
    properties: {
      upload_id: { type: 'string', maxLength: 100 },
      email_column: { type: 'string', maxLength: 10_000 },
      email_column_number: {
        type: 'integer',
        minimum: 1,
        maximum: 1_000_000,
        description: 'From 1; needed only if several columns have the name',
      },
    },
  },
  page: {
    type: 'object',
    properties: {
      skip: { type: 'integer', minimum: 0, maximum: 1_000_000_000, default: defaultPage.skip },
      limit: { type: 'integer', minimum: 1, maximum: 1_000, default: defaultPage.limit },
    },
  },
  job: { type: 'object', required: ['job_id'], properties: { job_id: text } },
  cancel: {
    type: 'object',
    properties: { only: { type: 'string', enum: ['cancel'], description: 'Leave a job that has ended as it is' } },
  },
  format: { type: 'object', properties: { format: { type: 'string', enum: resultFormats } } },
} as const;
