import type { FastifyInstance } from 'fastify';
import { formatAmount } from '../../model/amount.js';
import type { AppCalls } from '../../wire/app.js';
import { defineAppRoute } from './define-app-route.js';
import type { WebContext } from './web-context.js';

const body = {
  type: 'object',
  required: ['keep_days'],
  properties: { keep_days: { type: ['integer', 'null'], minimum: 1, maximum: 36_500 } },
} as const;

/** How long lists are kept. */
export function registerRetentionRoutes(app: FastifyInstance, { store, audit }: WebContext): void {
  defineAppRoute(app, 'setRetention', {
    body,
    answer: async (request) => {
      const { keep_days: days } = request.body as AppCalls['setRetention']['body'];
      await store.setKeepDays(days);
      const subjectName = days === null ? 'until deleted' : formatAmount(days, 'day');
      await audit.record(request, { action: 'retention_changed', subjectName });
      return { keep_days: days };
    },
  });
}
