import type { FastifyInstance, RouteHandlerMethod, RouteShorthandOptions } from 'fastify';
import { Failure } from '../../model/failure.js';
import { apiPrefix, type Route, routes } from '../../wire/routes.js';
import { sendProblem } from '../http/problems.js';
import { problem } from './schemas.js';

/** How a route is offered. */
interface Offer extends Omit<RouteShorthandOptions, 'schema'> {
  /** One line for the description of the interface. */
  summary: string;
  /** The shape of the answer; a text where it is none. */
  answer: object | string;
  body?: object;
  querystring?: object;
  params?: object;
  consumes?: string[];
  handler: RouteHandlerMethod;
}

/** Offers routes, and says of every other method of their paths that it is not offered. */
export interface RouteTable {
  offer(route: Pick<Route, 'method' | 'path'>, offer: Offer): void;
  /** The same below the root of the server, for what is no part of the interface. */
  offerAtRoot(route: Pick<Route, 'method' | 'path'>, offer: Offer): void;
  close(): void;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A table for one app; `close` it when all routes are offered. */
export function openRouteTable(app: FastifyInstance): RouteTable {
  const offered = new Map<string, string[]>();
  const add = (url: string, method: Route['method'], offer: Offer): void => {
    const { summary, answer, body, querystring, params, consumes, handler, ...options } = offer;
    const shape = typeof answer === 'string' ? { type: 'string', description: answer } : answer;
    const isOpen = options.config?.isOpen === true;
    offered.set(url, [...(offered.get(url) ?? []), method]);
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
    offer: ({ method, path }, offer) => add(urlOf(path), method, offer),
    offerAtRoot: ({ method, path }, offer) => add(path, method, offer),
    close: () => {
      for (const [url, allowed] of offered) refuseOthers(app, url, allowed);
    },
  };
}

/** What a client made from the description calls it: as we do ourselves, or by its path. */
function operationOf(url: string, method: string): string {
  const isIt = ({ path, method: offered }: Pick<Route, 'method' | 'path'>): boolean =>
    method === offered && url === urlOf(path);
  const [name] = Object.entries(routes).find(([, route]) => isIt(route)) ?? [];
  return name ?? `${method.toLowerCase()}_${url.replace(/\W+/g, '_').replace(/^_|_$/g, '')}`;
}

function urlOf(path: string): string {
  return `${apiPrefix}${path.replace(/\{(\w+)\}/g, ':$1')}`;
}

function refuseOthers(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  const others = methods.filter((method) => !allowed.includes(method));
  app.route({
    method: [...others],
    url,
    schema: { hide: true },
    // Before the body is looked at: whatever it is, it has no place here.
    onRequest: (request, reply) => {
      const failure = new Failure('unsupported', `This path does not offer ${request.method}.`, {
        hint: `It offers ${allowed.join(' and ')}.`,
      });
      sendProblem(reply.header('allow', allowed.join(', ')), failure, 405);
    },
    handler: () => {},
  });
}
