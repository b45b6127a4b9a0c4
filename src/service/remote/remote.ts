import { createHash } from 'node:crypto';
import { localCallerWith } from '../../async/caller.js';
import { type Clock, systemClock } from '../../async/clock.js';
import { keyOfAddress } from '../../lists/mailbox-key.js';
import type { Asker, ListService } from '../../lists/pipeline.js';
import { formatAmount } from '../../model/amount.js';
import type { Level } from '../../model/evidence.js';
import { Failure, type FailureCode } from '../../model/failure.js';
import type { CallOptions } from '../../model/service.js';
import { defaultConcurrency, defaultTimeoutsMs } from '../../settings/definitions.js';
import { apiPrefix, fullResultsType, maxEmailsPerRequest } from '../../wire/api.js';
import { parseJson } from '../../wire/fields.js';
import { decodeAccount, decodeJob, decodeJobPage, decodePreview } from '../../wire/job-codec.js';
import { resultLinesType } from '../../wire/results-codec.js';
import type { Route } from '../../wire/route.js';
import { pathOf as fullPathOf, routes, serviceRoot } from '../../wire/routes.js';
import { decodeBulk, decodeCreditsUsed, decodeResult } from '../../wire/validation-codec.js';
import { askService, type BatchRequests } from './asker.js';
import { createBatchSender, createCreditLimit, decodeCharged, isJobOf } from './billable.js';
import { checkTransport, type Http, openHttp, requireKey } from './http.js';
import { readJobResults } from './job-results.js';
import { joinJobs } from './joined-jobs.js';
import { openMultipart } from './multipart.js';
import { type Call, createRetries } from './retries.js';

export interface RemoteOptions {
  baseUrl: string;
  apiKey: string;
  /** The limit of each phase: connecting, waiting for the response header, reading the body. Each operation has a default. */
  timeoutMs?: number | undefined;
  retries?: number | undefined;
  concurrency?: number | undefined;
  /** Allow plain http to other machines. */
  allowHttp?: boolean | undefined;
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  proxy?: { https?: string | undefined; http?: string | undefined; none?: string | undefined } | undefined;
  /** Single validation by GET. */
  useGet?: boolean | undefined;
  maxCredits?: number | undefined;
  maxResponseBytes?: number | undefined;
  /** Grace period for open requests after an interruption. */
  drainMs?: number | undefined;
  /** Check no deeper than this; our own service only. */
  level?: Level | undefined;
  onNote?: ((text: string) => void) | undefined;
  /** One line per request, without addresses. */
  onTrace?: ((text: string) => void) | undefined;
  clock?: Clock | undefined;
  random?: (() => number) | undefined;
}

/** The path below the root of the service. */
const pathOf: typeof fullPathOf = (route, fill) => fullPathOf(route, fill).slice(apiPrefix.length);

const defaultMaxResponseBytes = 64 * 1_024 * 1_024;

/** A client of the service; connects on first use. Refuses an unsafe base URL or key. */
export async function openRemoteService(options: RemoteOptions): Promise<ListService> {
  const root = serviceRoot(options.baseUrl);
  checkTransport(root, options.allowHttp ?? false);
  const apiKey = requireKey(options.apiKey);
  const connections = Math.max(1, options.concurrency ?? defaultConcurrency.requests);
  const http = await openHttp({
    root,
    apiKey,
    userAgent: `mailvet/${__VERSION__}`,
    connections,
    connectTimeoutMs: Math.min(options.timeoutMs ?? 10_000, 10_000),
    maxResponseBytes: options.maxResponseBytes ?? defaultMaxResponseBytes,
    proxy: options.proxy ?? {},
  });
  return createRemote(http, root, connections, options);
}

function createRemote(http: Http, root: URL, concurrency: number, options: RemoteOptions): ListService {
  const { apiKey } = options;
  const clock = options.clock ?? systemClock;
  const note = options.onNote ?? (() => {});
  const { retries = 3 } = options;
  const sendWithRetries = createRetries(http, {
    retries,
    clock,
    random: options.random ?? Math.random,
    root,
    note,
    trace: options.onTrace ?? (() => {}),
  });
  const credits = createCreditLimit(options.maxCredits);
  const timeoutMs = (kind: keyof typeof defaultTimeoutsMs) => options.timeoutMs ?? defaultTimeoutsMs[kind];
  const requestJson = async (call: Call) => parseJson((await sendWithRetries(call)).text);
  const jobCall = (route: Route, path: string, { signal, retries }: CallOptions): Call => ({
    route,
    path,
    timeoutMs: timeoutMs('jobs'),
    credits: 0,
    signal,
    retries,
  });
  const getJob = async (id: string, call: CallOptions = {}) =>
    decodeJob(await requestJson(jobCall(routes.getJob, pathOf(routes.getJob, { id }), call)));
  const listJobs = async (page: { skip: number; limit: number }, call: CallOptions = {}) => {
    const path = pathOf(routes.listJobs, { query: { skip: page.skip, limit: page.limit } });
    return decodeJobPage(await requestJson(jobCall(routes.listJobs, path, call)), page);
  };
  /** Whether the service has more than the documented API. A response tells. */
  const isMailvet = async (call: CallOptions = {}) => {
    if (http.isMailvet() === null) await listJobs({ skip: 0, limit: 1 }, call);
    return http.isMailvet() === true;
  };
  const account = async (call: CallOptions = {}) => {
    if (!(await isMailvet(call))) return null;
    return decodeAccount(await requestJson(jobCall(routes.credits, pathOf(routes.credits), call)));
  };
  /** Options beyond the documented interface, for a service that has them. */
  const extrasFor = async (explain: boolean, { signal }: CallOptions) => {
    const level = options.level === 'smtp' ? undefined : options.level;
    if (!explain && level === undefined) return {};
    if (await isMailvet({ ...(signal && { signal }) })) return { ...(explain && { explain }), ...(level && { level }) };
    note('The service offers neither --explain nor --level, so it was asked without them.');
    return {};
  };
  /** Nothing beyond the documented API is asked of a service that does not say that it has more. */
  const mustOffer = async (what: string, call: CallOptions) => {
    if (!(await isMailvet(call))) throw new Failure('unsupported', `The service does not support: ${what}.`);
  };
  const jobResults = async (id: string, call: CallOptions = {}) => {
    await mustOffer('fetch the rows of a job', call);
    const results = jobCall(routes.jobResults, pathOf(routes.jobResults, { id }), call);
    return readJobResults(await sendWithRetries({ ...results, accept: resultLinesType, stream: true }));
  };
  const changeJob = async (route: Route, what: string, id: string, call: CallOptions = {}) => {
    await mustOffer(what, call);
    return decodeJob(await requestJson(jobCall(route, pathOf(route, { id }), call)));
  };
  const cancelJob = (id: string, call?: CallOptions) => changeJob(routes.cancelJob, 'cancel a job', id, call);
  const deleteJob = (id: string, call?: CallOptions) => changeJob(routes.deleteJob, 'delete a job', id, call);
  const resumeJob = (id: string, call?: CallOptions) => changeJob(routes.resumeJob, 'resume a job', id, call);
  /** The file names of uploads. */
  const filenames = new Map<string, string>();
  const json = (body: string) => ({ contentType: 'application/json', body: () => ({ body }) });

  const sendBatch = (free: WeakSet<object>) => {
    let asking: ReturnType<typeof extrasFor> | null = null;
    return createBatchSender(async (batch, signal, hardSignal) => {
      asking ??= extrasFor(false, { signal });
      const body = json(JSON.stringify({ emails: batch, ...(await asking) }));
      const route = routes.validateMany;
      const accept = `${fullResultsType}, application/json;q=0.9`;
      const call = { route, path: pathOf(route), accept, timeoutMs: timeoutMs('bulk'), credits: batch.length };
      const { text } = await sendWithRetries({ ...call, ...body, signal, hardSignal });
      const { items, creditsUsed } = decodeCharged(text, batch.length, (value) => ({
        items: decodeBulk(value, batch, keyOfAddress),
        creditsUsed: decodeCreditsUsed(value),
      }));
      // Which of them were free does not matter: only their number is shown.
      const answered = items.filter((item) => item !== null);
      for (const item of answered.slice(creditsUsed ?? answered.length)) free.add(item);
      const missing = items.length - answered.length;
      if (missing > 0)
        note(
          `The service left out ${missing} of ${formatAmount(batch.length, 'address', 'addresses')} of one request.`,
        );
      return items;
    });
  };
  const createAsker = (): Asker => {
    const free = new WeakSet<object>();
    const requests: BatchRequests = {
      concurrency,
      drainMs: options.drainMs ?? 10_000,
      clock,
      afford: credits.afford,
      balance: async (signal) => (await account({ signal }).catch(() => null))?.credits ?? null,
      isFree: (item) => free.has(item),
      send: sendBatch(free),
    };
    return {
      scope: `remote:${createHash('sha256')
        .update(`${root.href}\n${apiKey}\n${options.level ?? ''}`)
        .digest('base64url')}`,
      isPaid: true,
      capacity: 2 * concurrency * maxEmailsPerRequest,
      greylistWaitMs: 0,
      ask: (questions, call) => askService(questions, call, requests),
    };
  };

  return {
    async validate(email, { signal, explain = false } = {}) {
      const route = options.useGet ? routes.validateOneByQuery : routes.validateOne;
      const extras = options.useGet ? {} : await extrasFor(explain, { ...(signal && { signal }) });
      const call = { route, timeoutMs: timeoutMs('single'), credits: 1, signal };
      credits.spend(1);
      const answer = await sendWithRetries(
        options.useGet
          ? // A lone surrogate cannot be encoded in a URL.
            { ...call, path: pathOf(route, { query: { email: email.replace(/\p{Surrogate}/gu, '\ufffd') } }) }
          : { ...call, path: pathOf(route), ...json(JSON.stringify({ email, ...extras })) },
      );
      return decodeCharged(answer.text, 1, (value) => decodeResult(value, email));
    },

    async *validateMany(emails, { signal } = {}) {
      const { answerList } = await import('../../lists/answer-list.js');
      yield* answerList(emails, { asker: createAsker(), caller: localCallerWith(signal) });
    },

    asker: async () => createAsker(),

    async previewUpload(file, { signal } = {}) {
      const route = routes.previewUpload;
      const form = await openMultipart(file);
      const call = { route, path: pathOf(route), timeoutMs: timeoutMs('upload'), credits: 0, signal };
      const answer = await requestJson({ ...call, contentType: form.contentType, body: form.body });
      const preview = decodePreview(answer, file.filename);
      filenames.set(preview.upload_id, preview.filename);
      return preview;
    },

    async confirmUpload(uploadId, emailColumn, { signal } = {}) {
      const route = routes.confirmUpload;
      const body = json(JSON.stringify({ upload_id: uploadId, email_column: emailColumn }));
      const startedAt = clock.now();
      try {
        const call = jobCall(route, pathOf(route), { ...(signal && { signal }) });
        return decodeCharged((await sendWithRetries({ ...call, ...body })).text, 0, decodeJob);
      } catch (error) {
        if (!(error instanceof Failure && codesOfPossibleConfirmation.has(error.code))) throw error;
        // The job may exist although its answer was lost.
        const page = await listJobs({ skip: 0, limit: 100 }, { ...(signal && { signal }) }).catch(() => null);
        const job = page?.jobs.find((each) => isJobOf(each, uploadId, filenames.get(uploadId), startedAt));
        if (job === undefined) throw error;
        return job;
      }
    },

    listJobs,
    ...joinJobs({ getJob, jobResults, cancelJob, deleteJob, resumeJob }),

    sendsResults: isMailvet,
    account,

    close: () => http.close(),
  };
}

/** After these failures of a confirmation, the job may exist. */
const codesOfPossibleConfirmation = new Set<FailureCode>(['billed_perhaps', 'bad_answer']);
