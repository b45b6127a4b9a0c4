import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import multipart from '@fastify/multipart';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { beginResponse, installGuard } from './guard.js';
import { parseQuery, registerJsonParser } from './http/json-body.js';
import { failureOf, isMissingModule, sendNotFound, sendProblem } from './http/problems.js';
import type { CheckReady } from './observe/readiness.js';
import { jobHandlers, uploadHandlers } from './routes/jobs.js';
import { refuseOtherMethods, registerRoutes } from './routes/router.js';
import { systemHandlers } from './routes/system.js';
import { validationHandlers } from './routes/validation.js';
import type { ServerContext } from './server-context.js';
import type { Web } from './web/web.js';

interface AppOptions {
  context: ServerContext;
  makeServer(handle: (request: IncomingMessage, response: ServerResponse) => void): Server;
  checkStore: CheckReady;
  /** Null: the API only. */
  web: Web | null;
}

/** The API as a Fastify app that does not listen yet. */
export async function buildApp({ context, makeServer, checkStore, web }: AppOptions): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    // The guard logs each request.
    logger: false,
    serverFactory: makeServer as NonNullable<FastifyServerOptions['serverFactory']>,
    bodyLimit: context.limits.smallBodyBytes,
    // A HEAD request would pay for a validation it does not see.
    exposeHeadRoutes: false,
    // The guard answers in the shape of all errors.
    return503OnClosing: false,
    // All requests have had their grace period by now.
    forceCloseConnections: true,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'ignore',
    genReqId: createRequestIds(),
    // No hook runs for an unreadable path.
    frameworkErrors: (error, request, reply) => {
      beginResponse(request, reply, 'unknown', context);
      void sendProblem(reply, failureOf(error));
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true } },
    routerOptions: {
      querystringParser: parseQuery,
      ignoreTrailingSlash: true,
      // An id of any length is answered with `not_found`.
      maxParamLength: context.limits.headerBytes,
    },
  });
  app.setErrorHandler((thrown, request, reply) => {
    const failure = failureOf(thrown);
    const { code, cause } = failure;
    if (code === 'internal' || code === 'storage' || isMissingModule(thrown))
      context.log.requestFailed(request.id, code, cause ?? failure);
    if (!request.raw.complete && (code === 'too_large' || 'transfer-encoding' in request.headers)) {
      context.connections.refuseBody(request.raw);
      reply.header('connection', 'close');
    }
    return sendProblem(reply, failure);
  });
  app.setNotFoundHandler(sendNotFound);
  app.removeContentTypeParser('text/plain');
  registerJsonParser(app);
  app.decorate('edge', context.edge);
  installGuard(app, context);
  const { bulkBodyBytes, fileBytes } = context.limits;
  registerRoutes(app, validationHandlers(context), { validateMany: bulkBodyBytes });
  registerRoutes(app, jobHandlers(context));
  registerRoutes(app, systemHandlers(context, checkStore));
  // A separate scope: the multipart plugin decorates every request of its scope.
  await app.register(async (scope) => {
    await scope.register(multipart);
    registerRoutes(scope, uploadHandlers(context), { previewUpload: fileBytes });
  });
  refuseOtherMethods(app);
  await web?.register(app, context);
  return app;
}

/** The caller's X-Request-Id if it is well-formed, otherwise a new one. */
function createRequestIds(): (request: IncomingMessage) => string {
  const start = randomBytes(4).toString('hex');
  let count = 0;
  return ({ headers }) => {
    const callerId = headers['x-request-id'];
    return typeof callerId === 'string' && /^[\w.:-]{1,64}$/.test(callerId) ? callerId : `${start}-${count++}`;
  };
}
