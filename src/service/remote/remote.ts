import { type Clock, systemClock } from '../../async/clock.js';
import { amount } from '../../model/amount.js';
import { Failure } from '../../model/failure.js';
import type { CallOptions, ValidationService } from '../../model/service.js';
import { parseJson } from '../../wire/fields.js';
import { decodeJob, decodeJobPage, decodePreview } from '../../wire/job-codec.js';
import { resultLinesType } from '../../wire/results-codec.js';
import { fullResultsType, pathOf, type Route, routes, serviceRoot } from '../../wire/routes.js';
import {
  decodeBulk,
  decodeResult,
  encodeBulkRequest,
  encodeConfirmRequest,
  encodeSingleRequest,
} from '../../wire/validation-codec.js';
import { rememberAnswers } from '../dedupe/answer-memory.js';
import { keyOfAddress } from '../dedupe/mailbox-key.js';
import { runBulk } from './bulk-run.js';
import { planBulk } from './bulk-units.js';
import { checkedKey, checkTransport, type Http, openHttp } from './http.js';
import { readJobResults } from './job-results.js';
import { openMultipart } from './multipart.js';
import { type Call, createRetries } from './retries.js';

export interface RemoteOptions {
  baseUrl: string;
  apiKey: string;
  /** For connecting, the response header and its end each; a default for each operation. */
  timeoutMs?: number | undefined;
  retries?: number | undefined;
  /** Retry billable requests that may have been executed. */
  retryBillable?: boolean | undefined;
  concurrency?: number | undefined;
  /** Allow plain http to other machines. */
  allowHttp?: boolean | undefined;
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  proxy?: { https?: string | undefined; http?: string | undefined; none?: string | undefined } | undefined;
  /** Single validation by GET. */
  useGet?: boolean | undefined;
  maxCredits?: number | undefined;
  maxAnswerBytes?: number | undefined;
  /** Grace period for open requests after an interruption. */
  drainMs?: number | undefined;
  onNote?: ((text: string) => void) | undefined;
  /** One line per request, without addresses. */
  onTrace?: ((text: string) => void) | undefined;
  clock?: Clock | undefined;
  random?: (() => number) | undefined;
}

/** The service over HTTP, with the cost of a list. */
export type RemoteService = ValidationService & Required<Pick<ValidationService, 'planMany'>>;

const defaultMaxResponseBytes = 64 * 1_024 * 1_024;
const defaultTimeoutsMs = { single: 60_000, bulk: 300_000, upload: 300_000, jobs: 30_000 };

/** A client of the service; connects on first use. Refuses an unsafe base URL or key. */
export async function openRemoteService(options: RemoteOptions): Promise<RemoteService> {
  const root = serviceRoot(options.baseUrl);
  checkTransport(root, options.allowHttp ?? false);
  const apiKey = checkedKey(options.apiKey);
  const connections = Math.max(1, options.concurrency ?? 4);
  const http = await openHttp({
    root,
    apiKey,
    userAgent: `mailvet/${__VERSION__}`,
    connections,
    connectTimeoutMs: Math.min(options.timeoutMs ?? 10_000, 10_000),
    maxAnswerBytes: options.maxAnswerBytes ?? defaultMaxResponseBytes,
    proxy: options.proxy ?? {},
  });
  return remoteOver(http, root, connections, options);
}

function remoteOver(http: Http, root: URL, concurrency: number, options: RemoteOptions): RemoteService {
  const clock = options.clock ?? systemClock;
  const note = options.onNote ?? (() => {});
  const attempts = createRetries(http, {
    retries: options.retries ?? 3,
    retryBillable: options.retryBillable ?? false,
    clock,
    random: options.random ?? Math.random,
    root,
    note,
    trace: options.onTrace ?? (() => {}),
  });
  const maxAnswerBytes = options.maxAnswerBytes ?? defaultMaxResponseBytes;
  const credits = createCreditLimit(options.maxCredits);
  const timeoutMs = (kind: keyof typeof defaultTimeoutsMs) => options.timeoutMs ?? defaultTimeoutsMs[kind];
  const ask = async (call: Call) => parseJson((await attempts(call)).text);
  const jobCall = (route: Route, path: string, { signal }: CallOptions): Call => ({
    route,
    path,
    timeoutMs: timeoutMs('jobs'),
    credits: 0,
    signal,
  });
  const getJob = async (id: string, call: CallOptions = {}) =>
    decodeJob(await ask(jobCall(routes.getJob, pathOf(routes.getJob, { jobId: id }), call)));
  const json = (body: string) => ({ contentType: 'application/json', body: () => ({ body }) });

  return {
    async validate(email, { signal } = {}) {
      const route = options.useGet ? routes.validateOneByQuery : routes.validateOne;
      const call = { route, timeoutMs: timeoutMs('single'), credits: 1, signal };
      credits.spend(1);
      const answer = options.useGet
        ? await ask({ ...call, path: pathOf(route, { query: { email: wellFormed(email) } }) })
        : await ask({ ...call, path: pathOf(route), ...json(encodeSingleRequest(email)) });
      return decodeResult(answer, email);
    },

    async *validateMany(emails, bulk = {}) {
      const memory = await rememberAnswers(bulk.answered);
      yield* runBulk({
        emails,
        memory,
        concurrency,
        signal: bulk.signal,
        drainMs: options.drainMs ?? 10_000,
        clock,
        afford: credits.afford,
        async send(batch, signal, hardSignal) {
          const route = routes.validateMany;
          const accept = `${fullResultsType}, application/json;q=0.9`;
          const call = { route, path: pathOf(route), accept, timeoutMs: timeoutMs('bulk'), credits: batch.length };
          const items = decodeBulk(
            await ask({ ...call, ...json(encodeBulkRequest(batch)), signal, hardSignal }),
            batch,
            keyOfAddress,
          );
          const missing = items.filter((item) => item === null).length;
          if (missing > 0)
            note(`The service left out ${missing} of ${amount(batch.length, 'address', 'addresses')} of one request.`);
          return items;
        },
      });
    },

    async planMany(emails, bulk = {}) {
      return planBulk(emails, await rememberAnswers(bulk.answered));
    },

    async previewUpload(file, { signal } = {}) {
      const route = routes.previewUpload;
      const form = await openMultipart(file);
      const call = { route, path: pathOf(route), timeoutMs: timeoutMs('upload'), credits: 0, signal };
      return decodePreview(await ask({ ...call, contentType: form.contentType, body: form.body }), file.filename);
    },

    async confirmUpload(uploadId, emailColumn, { signal } = {}) {
      const route = routes.confirmUpload;
      const body = json(encodeConfirmRequest(uploadId, emailColumn));
      return decodeJob(
        await ask({ route, path: pathOf(route), timeoutMs: timeoutMs('jobs'), credits: 0, signal, ...body }),
      );
    },

    async listJobs(page, call = {}) {
      const path = pathOf(routes.listJobs, { query: { skip: page.skip, limit: page.limit } });
      return decodeJobPage(await ask(jobCall(routes.listJobs, path, call)), page);
    },

    getJob,

    async jobResults(id, call = {}) {
      const path = pathOf(routes.jobResults, { jobId: id });
      const accept = `${resultLinesType}, application/json;q=0.9`;
      const asking = attempts({ ...jobCall(routes.jobResults, path, call), accept, stream: true });
      return readJobResults(
        await askExtension(asking, 'fetch the rows of a job', () => getJob(id, call)),
        maxAnswerBytes,
      );
    },

    async cancelJob(id, call = {}) {
      // With `only=cancel`, a retry cannot delete the results of a job that has just ended.
      const path = pathOf(routes.cancelJob, { jobId: id, query: { only: 'cancel' } });
      const asking = attempts(jobCall(routes.cancelJob, path, call));
      const answer = await askExtension(asking, 'cancel a job', () => getJob(id, call));
      return answer.text.trim() === '' ? getJob(id, call) : decodeJob(parseJson(answer.text));
    },

    close: () => http.close(),
  };
}

/** An operation beyond the documented API: a service without the route answers 404 or 405. */
async function askExtension<Answer>(
  asking: Promise<Answer>,
  what: string,
  find: () => Promise<unknown>,
): Promise<Answer> {
  try {
    return await asking;
  } catch (error) {
    const missing = error instanceof Failure && (error.code === 'unsupported' || error.code === 'not_found');
    if (!missing) throw error;
    if (error.code === 'not_found') await find();
    throw new Failure('unsupported', `The service does not support: ${what}.`, { cause: error });
  }
}

function createCreditLimit(maxCredits: number | undefined) {
  let left = maxCredits ?? Number.POSITIVE_INFINITY;
  const afford = (count: number) => {
    const allowed = Math.min(count, left);
    left -= allowed;
    return allowed;
  };
  const spend = (count: number) => {
    if (afford(count) < count)
      throw new Failure('no_credits', 'This would cost more credits than --max-credits allows.');
  };
  return { afford, spend };
}

/** A lone surrogate cannot be encoded in a URL. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
