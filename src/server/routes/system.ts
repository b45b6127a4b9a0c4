import type { FastifyInstance } from 'fastify';
import { Failure } from '../../model/failure.js';
import type { CheckReady } from '../observe/readiness.js';
import type { ServerContext } from '../server-context.js';
import type { RouteTable } from './define-route.js';

const state = { type: 'object', required: ['status'], properties: { status: { type: 'string' } } };

/** Health, metrics and the OpenAPI description. */
export function registerSystemRoutes(
  table: RouteTable,
  context: ServerContext,
  app: FastifyInstance,
  checkStore: CheckReady,
): void {
  for (const method of ['GET', 'HEAD'] as const) {
    table.defineAtRoot(
      { method: method as 'GET', path: '/healthz' },
      {
        summary: 'The process is alive',
        answer: state,
        config: { isOpen: true },
        handler: async () => ({ status: 'ok' }),
      },
    );
    table.defineAtRoot(
      { method: method as 'GET', path: '/readyz' },
      {
        summary: 'Requests are accepted and the store is writable',
        answer: state,
        config: { isOpen: true },
        handler: async () => {
          if (!context.isReady() || context.isDraining())
            throw new Failure('unavailable', 'The service is starting or stopping.');
          await checkStore();
          return { status: 'ready' };
        },
      },
    );
  }
  table.defineAtRoot(
    { method: 'GET', path: '/metrics' },
    {
      summary: 'Metrics for Prometheus',
      answer: { description: 'Prometheus text format 0.0.4', types: ['text/plain'] },
      config: { worksWithoutStore: true },
      handler: async (_request, reply) => {
        // Without the store the metrics are still served; `/readyz` reports the store.
        const startedAt = performance.now();
        const cluster = context.clusterMetrics();
        const jobs = await context.countJobs().catch((error) => {
          context.log.error(error);
          return null;
        });
        const storeSeconds = jobs === null ? null : (performance.now() - startedAt) / 1000;
        const metricsText = context.metrics.render(jobs ?? {}, storeSeconds) + (await context.hostMetrics());
        return reply.type('text/plain; version=0.0.4; charset=utf-8').send(metricsText + (await cluster));
      },
    },
  );
  let description: string | null = null;
  table.defineAtRoot(
    { method: 'GET', path: '/openapi.json' },
    {
      summary: 'This description',
      answer: { description: 'An OpenAPI 3.1 document', types: ['application/json'] },
      config: { session: 'too' },
      handler: async (_request, reply) => {
        description ??= JSON.stringify(app.swagger());
        return reply.type('application/json; charset=utf-8').send(description);
      },
    },
  );
}
