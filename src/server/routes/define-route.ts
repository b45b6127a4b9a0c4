import type { FastifyInstance, RouteHandlerMethod, RouteShorthandOptions } from 'fastify';
import { Failure } from '../../model/failure.js';
import { apiPrefix, type Route, routes } from '../../wire/routes.js';
import { sendProblem } from '../http/problems.js';
import { problem } from './openapi.js';

interface RouteDefinition extends Omit<RouteShorthandOptions, 'schema'> {
  summary: string;
  /** The schema of the response, or its description by content type. */
  answer: object | { description: string; types: readonly string[] };
  body?: object;
  querystring?: object;
  params?: object;
  consumes?: string[];
  handler: RouteHandlerMethod;
}

/** Defines routes, and answers every other method of their paths with `method_not_allowed`. */
export type RouteTable = ReturnType<typeof openRouteTable>;

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Close it after the last route. */
export function openRouteTable(app: FastifyInstance) {
  const methodsByUrl = new Map<string, string[]>();
  const add = (url: string, method: Route['method'], define: RouteDefinition): void => {
    const { summary, answer, body, querystring, params, consumes, handler, ...options } = define;
    const shape = 'types' in answer ? describeContent(answer.description, answer.types) : answer;
    const isOpen = options.config?.isOpen === true;
    methodsByUrl.set(url, [...(methodsByUrl.get(url) ?? []), method]);
    app.route({
      ...options,
      method,
      url,
      handler,
      schema: {
        operationId: operationOf(url, method),
        summary,
        ...(body !== undefined && { body }),
        ...(querystring !== undefined && { querystring }),
        ...(params !== undefined && { params }),
        ...(consumes !== undefined && { consumes }),
        ...(isOpen && { security: [] }),
        response: { 200: shape, '4xx': problem, '5xx': problem },
      },
    });
  };
  return {
    define: ({ method, path }: Pick<Route, 'method' | 'path'>, define: RouteDefinition) =>
      add(urlOf(path), method, define),
    /** Defines a route below the root of the server. */
    defineAtRoot: ({ method, path }: Pick<Route, 'method' | 'path'>, define: RouteDefinition) =>
      add(path, method, define),
    close: () => {
      for (const [url, allowed] of methodsByUrl) refuseOtherMethods(app, url, allowed);
    },
  };
}

/** A response that is sent as text or as a stream, in one of several types. */
function describeContent(description: string, types: readonly string[]) {
  const schemaOf = (type: string) => (type === 'application/json' ? {} : { type: 'string' });
  return { description, content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(type) }])) };
}

/** The operation id: the name in `routes`, otherwise method and path. */
function operationOf(url: string, method: string): string {
  const isSameRoute = (route: Pick<Route, 'method' | 'path'>): boolean =>
    method === route.method && url === urlOf(route.path);
  const [name] = Object.entries(routes).find(([, route]) => isSameRoute(route)) ?? [];
  return name ?? `${method.toLowerCase()}_${url.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`;
}

function urlOf(path: string): string {
  return `${apiPrefix}${path.replace(/\{(\w+)\}/g, ':$1')}`;
}

function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const others = methods.filter((method) => !allowed.includes(method));
  app.route({
    method: [...others],
    url,
    schema: { hide: true },
    // Before the body is parsed.
    onRequest: (request, reply) => {
      const failure = new Failure('unsupported', `This path does not define ${request.method}.`, {
        hint: `It offers ${allowed.join(' and ')}.`,
      });
      sendProblem(reply.header('allow', allowed.join(', ')), failure, 405);
    },
    handler: () => {},
  });
}
