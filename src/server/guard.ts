import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyRecord } from '../jobs/store.js';
import { Failure } from '../model/failure.js';
import { keyHeader } from '../wire/routes.js';
import type { Hall } from './hall.js';
import { queryFault } from './query.js';
import { openRateLimit } from './rate-limit.js';

/** Lets in only requests with a good key and within the limits, and counts and logs every answer. */
export function installGuard(app: FastifyInstance, hall: Hall): void {
  const checkRate = openRateLimit(hall.limits.requestsPerSecond);
  app.decorateRequest('caller', null);

  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    watchEnd(request, reply, hall);
    // A form that breaks off may do so when nobody listens any more, and that would end the process.
    if (request.method === 'POST') request.raw.on('error', ignore);
    // Nearly every key is known already, and waiting for what is there takes time, too.
    const caller = request.routeOptions.config.isOpen === true ? null : findCaller(request, hall);
    if (caller instanceof Promise) caller.then((found) => next(admit(request, found, checkRate)), next);
    else if (caller instanceof Failure) next(caller);
    else next(caller === null ? undefined : admit(request, caller, checkRate));
  });
}

function ignore(): void {}

function findCaller(
  { headers }: FastifyRequest,
  { ring, isReady }: Hall,
): Failure | KeyRecord | Promise<KeyRecord | null> {
  if (!isReady()) return stopping();
  const key = headers[keyHeader];
  if (typeof key !== 'string' || key === '') return keyMissing();
  const found = ring.find(key);
  return found === null ? keyRefused() : found;
}

function admit(
  request: FastifyRequest,
  caller: KeyRecord | null,
  checkRate: (id: string) => Failure | null,
): Failure | undefined {
  if (caller === null) return keyRefused();
  request.caller = caller;
  return checkRate(caller.id) ?? queryFault(request.query) ?? undefined;
}

function watchEnd(request: FastifyRequest, reply: FastifyReply, { metrics }: Hall): void {
  metrics.underWay(1);
  reply.raw.once('close', () => {
    metrics.underWay(-1);
    // The route, never the path: a query holds an address.
    const route = request.routeOptions.url ?? 'unknown';
    // 499, as some proxies log it: the caller went away before the answer.
    const status = reply.raw.writableFinished ? reply.statusCode : 499;
    const ms = reply.elapsedTime;
    const { id: reqId, method, caller, log } = request;
    metrics.answered(method, route, status, ms / 1000);
    log.info({ reqId, method, route, status, ms: Math.round(ms), key: caller?.id }, 'answered');
  });
}

function stopping(): Failure {
  return new Failure('unavailable', 'The service is starting or stopping.', { retryAfterSeconds: 5 });
}

function keyMissing(): Failure {
  return new Failure('key_missing', 'The request has no key.', { hint: 'Send it in the header X-API-Key.' });
}

function keyRefused(): Failure {
  return new Failure('key_refused', 'The key is not known, was revoked or has expired.', {
    hint: 'Ask whoever runs the service for a key: mailvet keys create --name NAME',
  });
}
