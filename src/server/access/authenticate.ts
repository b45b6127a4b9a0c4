import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyRecord } from '../../jobs/store/store.js';
import { Failure } from '../../model/failure.js';
import { keyHeader } from '../../wire/routes.js';
import { queryFault } from '../http/query.js';
import type { ServerContext } from '../server-context.js';
import { openRateLimit } from './rate-limit.js';

/** Lets in only requests with a good key and within the limits, and counts and logs every answer. */
export function installGuard(app: FastifyInstance, context: ServerContext): void {
  const checkRate = openRateLimit(context.limits.requestsPerSecond);
  app.decorateRequest('caller', null);

  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    // Made anew each time it is read.
    const { url, config } = request.routeOptions;
    watchEnd(request, reply, url ?? 'unknown', context);
    // Nearly every key is known already, and waiting for what is there takes time, too.
    const caller = config.isOpen === true ? null : findCaller(request, context);
    if (caller instanceof Promise) caller.then((found) => next(admit(request, found, checkRate)), next);
    else if (caller instanceof Failure) next(caller);
    else next(caller === null ? undefined : admit(request, caller, checkRate));
  });
}

function findCaller(
  { headers }: FastifyRequest,
  { keys, isReady }: ServerContext,
): Failure | KeyRecord | Promise<KeyRecord | null> {
  if (!isReady()) return stopping();
  const key = headers[keyHeader];
  if (typeof key !== 'string' || key === '') return keyMissing();
  const found = keys.find(key);
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

function watchEnd(request: FastifyRequest, reply: FastifyReply, route: string, { metrics, log }: ServerContext): void {
  const { id: reqId, method } = request;
  const { raw: response } = reply;
  const started = performance.now();
  metrics.underWay(1);
  whenOver(response, () => {
    metrics.underWay(-1);
    const ms = performance.now() - started;
    // 499, as some proxies log it: the caller went away before the answer.
    const status = response.writableFinished ? response.statusCode : 499;
    metrics.answered(method, route, status, ms / 1000);
    log.answered({ reqId, method, route, status, ms: Math.round(ms), keyId: request.caller?.id });
  });
}

/** Calls when the response is sent, or never will be. */
function whenOver(response: ServerResponse, act: () => void): void {
  if (response.socket !== null) {
    response.on('close', act);
    return;
  }
  // It waits for the one before it on the same connection, and where that breaks, Node says nothing of those that wait.
  const { socket } = response.req;
  const over = (): void => {
    socket.off('close', over);
    response.off('close', over);
    act();
  };
  socket.setMaxListeners(0);
  socket.on('close', over);
  response.on('close', over);
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
