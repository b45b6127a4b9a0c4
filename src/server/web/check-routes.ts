import type { FastifyInstance } from 'fastify';
import type { ValidationResult } from '../../model/result.js';
import { explainReason, explainSubStatus } from '../../model/text/sentences.js';
import { whyNot } from '../../model/text/why-not.js';
import type { CheckAnswer } from '../../wire/app-jobs.js';
import { validateOne } from '../routes/validation.js';
import { defineAppRoute } from './define-app-route.js';
import type { WebContext } from './web-context.js';

const body = { type: 'object', required: ['email'], properties: { email: { type: 'string', maxLength: 10_000 } } };

/** The Check page: one address, with its evidence. */
export function registerCheckRoutes(app: FastifyInstance, context: WebContext): void {
  defineAppRoute(app, 'check', {
    body,
    answer: async (request) => {
      const { email } = request.body as { email: string };
      return toCheckAnswer(await validateOne(context, request, email.trim(), { explain: true }));
    },
  });
}

function toCheckAnswer({ evidence, ...result }: ValidationResult): CheckAnswer {
  const { status, reasons } = result;
  const leadCode = result.sub_status;
  return {
    result,
    verdict: { code: leadCode, ...explainSubStatus(leadCode, status, 'service') },
    reasons: reasons
      .filter((code) => code !== leadCode)
      .map((code) => ({ code, means: explainReason(code), advice: '' })),
    evidence: evidence ?? null,
    why_not: evidence === undefined ? [] : whyNot(result, evidence),
  };
}
