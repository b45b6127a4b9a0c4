import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import multipart from '@fastify/multipart';
import swagger from '@fastify/swagger';
import fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { beginAnswer, installGuard } from './guard.js';
import { registerJsonParser } from './http/json-body.js';
import { failureOf, sendNotFound, sendProblem } from './http/problems.js';
import { parseQuery } from './http/query.js';
import type { CheckReady } from './observe/readiness.js';
import { openRouteTable } from './routes/define-route.js';
import { registerJobRoutes } from './routes/jobs.js';
import { description } from './routes/openapi.js';
import { registerSystemRoutes } from './routes/system.js';
import { registerUploadRoutes } from './routes/uploads.js';
import { registerValidationRoutes } from './routes/validation.js';
import type { ServerContext } from './server-context.js';
import type { Web } from './web/web.js';

/** What an app stands on. */
interface AppOptions {
  context: ServerContext;
  makeServer(handle: (request: IncomingMessage, response: ServerResponse) => void): Server;
  checkStore: CheckReady;
  /** Null: the interface alone. */
  web: Web | null;
}

/** The interface as a web application that does not listen yet. */
export async function buildApp({ context, makeServer, checkStore, web }: AppOptions): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    // The guard writes the one line of each request; the framework's own log costs every request listeners and a logger.
    logger: false,
    serverFactory: makeServer as NonNullable<FastifyServerOptions['serverFactory']>,
    bodyLimit: context.limits.smallBodyBytes,
    // A client that asks for HEAD would pay for a validation that it does not see.
    exposeHeadRoutes: false,
    // Our own hook says it in our own words.
    return503OnClosing: false,
    // When the app is closed, all requests have had their time.
    forceCloseConnections: true,
    onProtoPoisoning: 'remove',
    onConstructorPoisoning: 'ignore',
    genReqId: requestIds(),
    // No hook sees a path that cannot be read, and it is to be answered like any other.
    frameworkErrors: (error, request, reply) => {
      beginAnswer(request, reply, 'unknown', context);
      void sendProblem(reply, failureOf(error));
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: true } },
    routerOptions: {
      querystringParser: parseQuery,
      ignoreTrailingSlash: true,
      // An id of any length is one that does not exist.
      maxParamLength: context.limits.headerBytes,
    },
  });
  app.setErrorHandler((thrown, request, reply) => {
    const failure = failureOf(thrown);
    const { code, cause } = failure;
    if (code === 'internal' || code === 'storage') context.log.failed(request.id, code, cause ?? failure);
    return sendProblem(reply, failure);
  });
  app.setNotFoundHandler(sendNotFound);
  app.removeContentTypeParser('text/plain');
  registerJsonParser(app);
  await app.register(swagger, description);
  installGuard(app, context);
  const table = openRouteTable(app);
  registerValidationRoutes(table, context);
  await app.register((scope) => offerForms(scope, context));
  registerJobRoutes(table, context);
  registerSystemRoutes(table, context, app, checkStore);
  table.close();
  await web?.offer(app, context);
  return app;
}

/** Apart, since what reads forms hangs itself on every request of its scope. */
async function offerForms(scope: FastifyInstance, context: ServerContext): Promise<void> {
  await scope.register(multipart);
  const table = openRouteTable(scope);
  registerUploadRoutes(table, context);
  table.close();
}

/** A sane id of the caller's own, so that his logs and ours can be told together, else one of ours. */
function requestIds(): (request: IncomingMessage) => string {
  const start = randomBytes(4).toString('hex');
  let count = 0;
  return ({ headers }) => {
    const given = headers['x-request-id'];
    return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : `${start}-${count++}`;
  };
}
