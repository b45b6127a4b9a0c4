import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyRecord } from '../jobs/store/keys.js';
import { formatAmount } from '../model/amount.js';
import { Failure } from '../model/failure.js';
import { keyHeader, serviceHeader } from '../wire/api.js';
import { createRateLimit } from './access/rate-limit.js';
import { queryFault } from './http/json-body.js';
import type { ServerContext } from './server-context.js';
import { webHeaders } from './web/pages.js';

/** RFC 6797: a year. Without subdomains, which may have other owners. */
const strictTransport = 'max-age=31536000';

/** Authenticates requests, applies the limits, and logs and counts every response. */
export function installGuard(app: FastifyInstance, context: ServerContext): void {
  const checkRate = createRateLimit(context.limits.requestsPerSecond);
  const inFlight = new Map<string, number>();
  /** Routes without authentication may set a caller, which is not counted. */
  const counted = new WeakSet<FastifyRequest>();
  app.decorateRequest('caller', null);
  app.decorateRequest('session', null);

  const admit = (request: FastifyRequest, caller: KeyRecord | null, session?: 'too' | 'only'): Failure | undefined => {
    if (caller === null) return session === 'only' ? notSignedIn() : hasKey(request) ? keyRefused() : keyMissing();
    request.caller = caller;
    counted.add(request);
    const others = inFlight.get(caller.id) ?? 0;
    inFlight.set(caller.id, others + 1);
    if (others >= context.limits.requestsInFlightPerKey) return tooManyInFlight(context.limits.requestsInFlightPerKey);
    return checkRate(caller.id) ?? queryFault(request.query) ?? undefined;
  };
  const release = (request: FastifyRequest): void => {
    const { caller } = request;
    if (caller === null || !counted.delete(request)) return;
    const remaining = (inFlight.get(caller.id) ?? 1) - 1;
    if (remaining > 0) inFlight.set(caller.id, remaining);
    else inFlight.delete(caller.id);
  };
  app.addHook('onRequest', (request, reply, next) => {
    // Some clients send a Content-Type without a body.
    if (request.method === 'DELETE' && !hasBody(request.headers)) delete request.raw.headers['content-type'];
    // `routeOptions` builds a new object on each read.
    const { url, config } = request.routeOptions;
    let hasEnded = false;
    beginResponse(request, reply, url ?? 'unknown', context, (ended) => {
      hasEnded = true;
      release(ended);
    });
    if (context.connections.underWay() > context.limits.requestsInFlight) {
      next(overloaded());
      return;
    }
    if (context.edge.isEncrypted(request.raw)) reply.header('strict-transport-security', strictTransport);
    if (config.isWeb === true) {
      reply.headers(webHeaders);
      const fault = context.edge.hostFault(request.raw);
      if (fault !== null) {
        next(fault);
        return;
      }
    }
    // Most keys are cached: avoid a promise for them.
    const caller = config.isOpen === true ? null : findCaller(request, context, config);
    // A request that ended during the lookup has released nothing, so it must not be counted.
    const admitOpen = (caller: KeyRecord | null) =>
      hasEnded ? new Failure('interrupted', 'The client disconnected.') : admit(request, caller, config.session);
    if (caller instanceof Promise) caller.then(admitOpen).then(next, next);
    else if (caller instanceof Failure) next(caller);
    else if (caller === null) next();
    else next(admit(request, caller));
  });
  app.addHook('preValidation', (request, _reply, next) => {
    if (request.routeOptions.config.session !== 'only' || !hasBody(request.headers)) next();
    else isStillCaller(request, context).then((isSame) => next(isSame ? undefined : notSignedIn()), next);
  });
}

/** Whether the session still stands for the caller that was found before the body was read, which may take minutes. */
async function isStillCaller(request: FastifyRequest, { findSession }: ServerContext): Promise<boolean> {
  const caller = findSession === null ? null : await findSession(request);
  return caller !== null && caller.id === request.caller?.id;
}

function hasBody({ 'transfer-encoding': coding, 'content-length': length = '0' }: IncomingHttpHeaders): boolean {
  return coding !== undefined || Number(length) > 0;
}

function findCaller(
  request: FastifyRequest,
  { keys, isReady, findSession, edge }: ServerContext,
  { session, worksWithoutStore = false }: FastifyContextConfig,
): Failure | KeyRecord | Promise<KeyRecord | null> {
  if (!isReady()) return notReady();
  if (session !== undefined && findSession !== null && (session === 'only' || !hasKey(request))) {
    if (request.headers.cookie !== undefined || edge.proxyUser(request.raw) !== null) {
      return findSession(request).then((record) => {
        // Only the callers of keys have a prefix.
        if (record !== null && record.prefix !== '') keys.markUsed(record);
        return record;
      });
    }
  }
  if (session === 'only') return notSignedIn();
  const key = request.headers[keyHeader];
  if (typeof key !== 'string' || key === '') return keyMissing();
  const record = keys.find(key, request.raw.socket);
  if (worksWithoutStore && record instanceof Promise) {
    return record.catch((error: unknown) => {
      const last = keys.lastKnown(key, request.raw.socket);
      if (last === null || Date.now() >= (last.expiresAt ?? Number.POSITIVE_INFINITY)) throw error;
      return last;
    });
  }
  return record === null ? keyRefused() : record;
}

/** Sets the common headers; logs and counts the response when it ends. */
export function beginResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  route: string,
  { metrics, log, connections, usage }: ServerContext,
  onEnd: (request: FastifyRequest) => void = () => {},
): void {
  reply.header(serviceHeader, '1');
  reply.header('x-request-id', request.id);
  reply.header('cache-control', 'no-store');
  reply.header('x-content-type-options', 'nosniff');
  const { id: reqId, method } = request;
  const { raw: response } = reply;
  const started = performance.now();
  connections.whenEnded(response, () => {
    onEnd(request);
    // Requests of the pages are not API usage. `caller` is undefined for an unreadable path.
    if (request.caller && request.session === null) usage.request(request.caller.id);
    const ms = performance.now() - started;
    // 499, as nginx logs it: the client closed the connection before the response.
    const status = response.writableFinished ? response.statusCode : 499;
    metrics.countResponse(method, route, status, ms / 1000);
    log.answered({ reqId, method, route, status, ms: Math.round(ms), keyId: request.caller?.id });
  });
}

function overloaded(): Failure {
  return new Failure('unavailable', 'The service is busy with as many requests as it can hold.', {
    hint: 'Try again in a moment.',
    retryAfterSeconds: 1,
  });
}

function tooManyInFlight(limit: number): Failure {
  return new Failure('rate_limited', `This key may have ${formatAmount(limit, 'request')} in progress at a time.`, {
    hint: 'Wait for answers before you send more, or send many addresses in one bulk request.',
    retryAfterSeconds: 1,
  });
}

function notReady(): Failure {
  return new Failure('unavailable', 'The service is starting or stopping.', { retryAfterSeconds: 5 });
}

function hasKey({ headers }: FastifyRequest): boolean {
  return (headers[keyHeader] ?? '') !== '';
}

function notSignedIn(): Failure {
  return new Failure('key_missing', 'You are not signed in.', { hint: 'Sign in, then try again.' });
}

function keyMissing(): Failure {
  return new Failure('key_missing', 'The request has no key.', { hint: 'Send it in the header X-API-Key.' });
}

function keyRefused(): Failure {
  return new Failure('key_refused', 'The key is not known, was revoked or has expired.', {
    hint: 'Ask the operator for a key.',
  });
}
