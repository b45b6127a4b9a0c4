import { levels } from '../model/evidence.js';
import { text } from '../model/schema.js';
import { components } from './components.js';
import { resultFormats, resultLinesType } from './results-codec.js';
import { content, get, post, remove } from './route.js';
import { list, object, oneOf, paged } from './schema.js';

/** The prefix of all paths of the interface. */
export const apiPrefix = '/api/v1';
export const keyHeader = 'x-api-key';
/** A header of our service, by which clients know that it has more than the documented interface. */
export const serviceHeader = 'x-mailvet';
/** The multipart field of an uploaded file. */
export const uploadField = 'file';
/** What a list can be, for people. */
export const listFormats = 'CSV, TSV, Excel (xlsx), JSON, vCard, or one address per line';
export const maxEmailsPerRequest = 1_000;
/** The Accept header that requests full results of a bulk request; other services ignore it. */
export const fullResultsType = 'application/json; results=full';
const defaultPage = { skip: 0, limit: 10 } as const;

const { ValidationResult, BulkSummary, UploadPreview, Job, JobPage, Credits, State } = components;

export const emailColumn = {
  name: { type: 'string', maxLength: 10_000 },
  numbers: {
    type: 'string',
    maxLength: 10_000,
    pattern: '^[1-9]\\d{0,5}(,[1-9]\\d{0,5})*$',
    description: 'From 1, with commas between them; needed only if several columns have the name',
  },
} as const;

/** The indexes of the columns with these numbers. */
export function columnIndexes(numbers: string): number[] {
  return [...new Set(numbers.split(',').map((number) => Number(number) - 1))];
}

const emails = { ...list(text), maxItems: maxEmailsPerRequest };
const upload_id = { type: 'string', maxLength: 100 } as const;
const timeout = 'Answer by then with what is known: timeout_exceeded, with the reason fail_open';

/** The operations of the documented interface, then our additions. Unknown fields of a request are ignored. */
export const apiRoutes = {
  validateOne: post(`${apiPrefix}/validation/single`, 'key', ValidationResult, {
    summary: 'One address, in detail',
    isBillable: true,
    body: object(
      { email: text },
      {
        timeout_ms: { type: 'integer', minimum: 50, maximum: 60_000, description: timeout },
        level: { ...oneOf(...levels), description: 'Check no deeper than this' },
        explain: { type: 'boolean', description: 'Answer with the evidence, too' },
      },
    ),
  }),
  validateOneByQuery: get(`${apiPrefix}/validation/single`, 'key', ValidationResult, {
    summary: 'One address, in detail',
    isBillable: true,
    query: object({ email: text }),
  }),
  validateMany: post(`${apiPrefix}/validation/bulk`, 'key', BulkSummary, {
    summary: 'Up to 1,000 addresses; one credit for each unique one',
    isBillable: true,
    body: object({ emails }),
  }),
  previewUpload: post(`${apiPrefix}/bulk/upload/preview`, 'key or session', UploadPreview, {
    summary: `A list as ${listFormats}, in the form field ${uploadField}: its columns, and the one that looks like email addresses`,
    form: object({ [uploadField]: { type: 'string', format: 'binary' } }),
  }),
  confirmUpload: post(`${apiPrefix}/bulk/upload/confirm`, 'key or session', Job, {
    summary: 'Creates a job from an uploaded file; confirming again returns the same job and costs nothing',
    isBillable: true,
    body: object({ upload_id, email_column: emailColumn.name }, { email_column_numbers: emailColumn.numbers }),
  }),
  listJobs: get(`${apiPrefix}/bulk/jobs`, 'key or session', JobPage, {
    summary: 'Jobs, newest first',
    query: object({}, paged(defaultPage.limit, 1_000)),
  }),
  getJob: get(`${apiPrefix}/bulk/jobs/{job_id}`, 'key or session', Job, { summary: 'One job' }),
  jobResults: get(
    `${apiPrefix}/bulk/jobs/{job_id}/results`,
    'key or session',
    content('All columns of the file, by ?format= or Accept', 'text/csv', 'application/json', resultLinesType),
    {
      summary: 'The rows of a job with the verdicts known so far',
      query: object({}, { format: oneOf(...resultFormats) }),
    },
  ),
  cancelJob: post(`${apiPrefix}/bulk/jobs/{job_id}/cancel`, 'key or session', Job, {
    summary: 'Cancels a job, and refunds the rows that were not validated; one that has ended stays as it is',
  }),
  resumeJob: post(`${apiPrefix}/bulk/jobs/{job_id}/resume`, 'key or session', Job, {
    summary: 'Continues a job that was canceled, failed or interrupted',
    isBillable: true,
  }),
  deleteJob: remove(`${apiPrefix}/bulk/jobs/{job_id}`, 'key or session', Job, {
    summary: 'Deletes a job that has ended, with its file and results',
  }),
  credits: get(`${apiPrefix}/credits`, 'key', Credits, {
    summary: 'The credits of this key, and the limits of an upload',
  }),
  health: get('/healthz', 'public', State, { summary: 'The process is alive' }),
  readiness: get('/readyz', 'public', State, {
    summary: 'Requests are accepted, and the store and the data directory can be written',
  }),
  metrics: get('/metrics', 'key', content('Prometheus text format 0.0.4', 'text/plain'), {
    summary: 'Metrics for Prometheus',
  }),
  openApi: get('/openapi.json', 'key or session', content('An OpenAPI 3.1 document', 'application/json'), {
    summary: 'This description',
  }),
};
