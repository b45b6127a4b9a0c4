import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../model/failure.js';
import { components } from '../../wire/components.js';
import type { Route } from '../../wire/route.js';
import { type AnswerOf, type BodyOf, type FilledQueryOf, type RouteName, routes } from '../../wire/routes.js';
import type { Edge } from '../access/edge.js';
import { readIntegers } from '../http/json-body.js';
import { sendProblem } from '../http/problems.js';
import { isAdmin, isKey } from '../server-context.js';

/** What a handler needs of a request. */
interface Input<Name extends RouteName> {
  request: FastifyRequest;
  reply: FastifyReply;
  /** The parameter of the path. */
  id: string;
  query: FilledQueryOf<Name>;
  body: BodyOf<Name>;
}

/** An answer of the type that clients and pages expect. One that is sent as text or as a stream is not checked. */
export type Handlers = {
  [Name in RouteName]: (input: Input<Name>) => AnswerOf<Name> | FastifyReply | Promise<AnswerOf<Name> | FastifyReply>;
};

/** The limits of bodies that are not small. */
type BodyLimits = Partial<Record<RouteName, number>>;

/** Registers handlers of requests, with the checks that the table of routes says. */
export function registerRoutes(app: FastifyInstance, handlers: Partial<Handlers>, bodyLimits: BodyLimits = {}): void {
  for (const [name, handle] of Object.entries(handlers)) {
    const route: Route = routes[name as RouteName];
    const isWeb = isForPages(route);
    const bodyLimit = bodyLimits[name as RouteName];
    app.route({
      method: methodsOf(route),
      url: urlOf(route),
      ...(bodyLimit !== undefined && { bodyLimit }),
      schema: {
        ...(route.body && { body: route.body }),
        ...(route.query && { querystring: route.query }),
        // The answers of the pages are not filtered.
        ...(!isWeb && 'type' in route.answer && { response: { 200: route.answer, '4xx': problem, '5xx': problem } }),
      },
      config: {
        isWeb,
        isOpen: route.may === 'public',
        worksWithoutStore: name === ('metrics' satisfies RouteName),
        ...(route.may === 'key or session' && { session: 'too' as const }),
        ...(isWeb && route.may !== 'public' && { session: 'only' as const }),
      },
      // Before sign-in, too: another site must not sign a browser in.
      onRequest: (request, _reply, next) => next((isWeb && crossSiteFault(request.raw, app.edge)) || undefined),
      preValidation: (request, _reply, next) => {
        readIntegers(route.query, request.query);
        next(permissionFault(request, route) ?? undefined);
      },
      handler: async (request, reply) => {
        const { params, query, body } = request;
        const [id = ''] = Object.values(params as Record<string, string>);
        return handle({ request, reply, id, query, body } as never);
      },
    });
  }
}

/** Answers every other method of the paths of the interface with `method_not_allowed`. */
export function refuseOtherMethods(app: FastifyInstance): void {
  const byUrl = new Map<string, string[]>();
  for (const route of Object.values<Route>(routes)) {
    if (!isForPages(route)) byUrl.set(urlOf(route), [...(byUrl.get(urlOf(route)) ?? []), ...methodsOf(route)]);
  }
  for (const [url, allowed] of byUrl) {
    app.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((each) => !allowed.includes(each)),
      url,
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
}

const problem = components.Problem;

function isForPages({ path }: Route): boolean {
  return path.startsWith('/app/');
}

/** The state of the server can be asked for without a body. */
function methodsOf({ method, answer }: Route): string[] {
  return answer === components.State ? [method, 'HEAD'] : [method];
}

function urlOf({ path }: Route): string {
  return path.replace(/\{(\w+)\}/, ':$1');
}

function permissionFault(request: FastifyRequest, { may }: Route): Failure | null {
  if (may === 'administrator' && !isAdmin(request)) {
    return new Failure('forbidden', 'Administrators only.', { hint: 'Sign in as an administrator.' });
  }
  if (may === 'member' && isKey(request)) {
    return new Failure('forbidden', 'Members and administrators only.', { hint: 'Sign in with a password.' });
  }
  return null;
}

/**
 * The Failure for a cross-site request. Without Sec-Fetch-Site (plain http to another machine), a request that changes
 * something needs the Origin of this server.
 */
export function crossSiteFault(request: IncomingMessage, edge: Pick<Edge, 'isOwnOrigin'>): Failure | null {
  const { method = 'GET', headers } = request;
  const changes = method !== 'GET' && method !== 'HEAD';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) {
    // `none`: a typed address or a bookmark.
    return site === 'same-origin' || (site === 'none' && !changes) ? null : crossSite();
  }
  if (headers.origin === undefined) return changes ? crossSite() : null;
  return edge.isOwnOrigin(request, headers.origin) ? null : crossSite();
}

function crossSite(): Failure {
  return new Failure('forbidden', 'The request comes from another site.', {
    hint: 'Open the pages of this server directly. Behind a proxy: it must pass on the Host header unchanged.',
  });
}
