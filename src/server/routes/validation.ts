import type { FastifyRequest } from 'fastify';
import { Failure } from '../../model/failure.js';
import { suppressedVerdict } from '../../model/job.js';
import {
  type BulkAnswer,
  type BulkItem,
  type BulkSummary,
  countWords,
  type ValidationResult,
} from '../../model/result.js';
import { isSandboxAddress, requireSandbox } from '../../model/sandbox.js';
import type { ValidateOptions } from '../../model/service.js';
import { countAnswer, emptySummary } from '../../report/run-stats.js';
import { fullResultsType } from '../../wire/api.js';
import { callerOf, type ServerContext } from '../server-context.js';
import type { Handlers } from './router.js';

/** Single and bulk validation. */
export function validationHandlers(context: ServerContext) {
  const limitAddresses = createAddressLimit(context.limits.addressesInFlight);
  return {
    validateOne: ({ request, body: { email, timeout_ms: timeoutMs, level, explain } }) =>
      validateOne(context, request, email, {
        ...(timeoutMs !== undefined && { timeoutMs }),
        ...(level !== undefined && { level }),
        ...(explain !== undefined && { explain }),
      }),
    validateOneByQuery: ({ request, query }) => validateOne(context, request, query.email),
    validateMany: async ({ request, reply, body: { emails } }) => {
      const summary = await limitAddresses(emails.length, () => validateMany(context, request, emails));
      if (!wantsFullResults(request)) return summary;
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(summary));
    },
  } satisfies Partial<Handlers>;
}

/** Replaces the plan of the engine by that of the caller. */
function setPlan<Result extends BulkItem | ValidationResult>(result: Result, plan: string): Result {
  if ('metadata' in result) result.metadata.plan_tier = plan;
  return result;
}

/** Validates and charges one address. */
export function validateOne(
  { validation, canonical, billing, charged, connections, metrics, usage }: ServerContext,
  request: FastifyRequest,
  email: string,
  options: Pick<ValidateOptions, 'explain' | 'timeoutMs' | 'level'> = {},
): Promise<ValidationResult> {
  const key = callerOf(request);
  requireSandbox(key, [email]);
  const caller = connections.callerFor(request.raw, 'single', key.id);
  const work = async (): Promise<ValidationResult> => {
    const result = await validation.validate(email, { caller, signal: caller.signal, ...options });
    const isCharged = charged.chargeOnce(key.id, canonical(email), result.cached === true);
    const answer = setPlan(isCharged ? withoutCached(result) : result, key.plan);
    metrics.countVerdicts(answer.status);
    usage.verdict(key.id, answer.status, answer.sub_status, answer.details.domain);
    return answer;
  };
  const costsNothing = ({ cached, status }: ValidationResult): boolean =>
    cached === true || status === suppressedVerdict.status;
  return billing.charge(key, isSandboxAddress(email) ? 0 : 1, work, (result) => (costsNothing(result) ? 0 : 1));
}

/** Hides whether an answer was cached: a key must not learn that another key asked before. */
function withoutCached<Result extends object>(result: Result): Result {
  return 'cached' in result ? { ...result, cached: undefined } : result;
}

function validateMany(
  { validation, canonical, billing, charged, connections, metrics, limits, usage }: ServerContext,
  request: FastifyRequest,
  emails: readonly string[],
): Promise<BulkSummary> {
  const key = callerOf(request);
  requireSandbox(key, emails);
  const caller = connections.callerFor(request.raw, 'bulk', key.id);
  const unique = new Set(emails.filter((email) => !isSandboxAddress(email)).map(canonical)).size;
  const work = async (): Promise<BulkSummary> => {
    const answers: BulkAnswer[] = [];
    for await (const chunk of validation.validateMany([emails], {
      caller,
      signal: caller.signal,
      deadlineMs: limits.bulkMs,
    }))
      answers.push(...chunk);
    const summary = emptySummary();
    for (const answer of answers) {
      const { result, duplicate } = answer;
      const isCached = 'cached' in result && result.cached === true;
      // A duplicate is counted with the charge of the first address.
      const isCharged =
        !isSandboxAddress(result.email) && (duplicate || charged.chargeOnce(key.id, canonical(result.email), isCached));
      if (isCharged) answer.result = withoutCached(result);
      if (!countAnswer(summary, isCharged ? answer : { ...answer, charged: false }) || !('details' in result)) continue;
      usage.verdict(key.id, result.status, result.sub_status, result.details.domain);
    }
    for (const status of countWords) metrics.countVerdicts(status, summary[`${status}_count`]);
    return { ...summary, results: answers.map(({ result }) => setPlan(result, key.plan)) };
  };
  return billing.charge(key, unique, work, ({ credits_used }) => credits_used);
}

/** Items have only the documented fields, unless the caller asks for all. */
function wantsFullResults({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.toLowerCase().includes(fullResultsType) === true;
}

/** Bounds the addresses in progress, which are held in memory. */
function createAddressLimit(max: number) {
  let inFlight = 0;
  return async <Answer>(count: number, work: () => Promise<Answer>): Promise<Answer> => {
    if (inFlight > 0 && inFlight + count > max) {
      throw new Failure('unavailable', 'The service is busy with as many addresses as it can hold.', {
        hint: 'Try again in a moment.',
        retryAfterSeconds: 2,
      });
    }
    inFlight += count;
    try {
      return await work();
    } finally {
      inFlight -= count;
    }
  };
}
