import { Failure } from '../../model/failure.js';
import type { CheckReady } from '../observe/readiness.js';
import type { ServerContext } from '../server-context.js';
import { describeInterface } from './openapi.js';
import type { Handlers } from './router.js';

/** Health, metrics and the OpenAPI description. */
export function systemHandlers(context: ServerContext, checkStore: CheckReady) {
  let description: string | null = null;
  return {
    health: () => ({ status: 'ok' }),
    readiness: async () => {
      if (!context.isReady() || context.isDraining())
        throw new Failure('unavailable', 'The service is starting or stopping.');
      await checkStore();
      return { status: 'ready' };
    },
    metrics: async ({ reply }) => {
      // Without the store the metrics are still served; `/readyz` reports the store.
      const startedAt = performance.now();
      const cluster = context.clusterMetrics();
      const jobs = await context.countJobs().catch((error) => {
        context.log.error(error);
        return null;
      });
      const storeSeconds = jobs === null ? null : (performance.now() - startedAt) / 1000;
      const text = context.metrics.render(context.connections.underWay(), jobs ?? {}, storeSeconds);
      return reply
        .type('text/plain; version=0.0.4; charset=utf-8')
        .send(text + (await context.hostMetrics()) + (await cluster));
    },
    openApi: ({ reply }) => {
      description ??= JSON.stringify(describeInterface());
      return reply.type('application/json; charset=utf-8').send(description);
    },
  } satisfies Partial<Handlers>;
}
