import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../model/failure.js';
import { type AppCall, type AppCalls, type AppRoute, appDownloads, appPrefix, appRoutes } from '../../wire/app.js';
import type { Edge } from '../access/edge.js';
import { readIntegers } from '../http/json-body.js';
import { type Permission, permissions } from './permissions.js';
import { isAdmin, isKey } from './web-context.js';

interface AppRouteDefinition<Answer> {
  body?: object;
  query?: object;
  answer(request: FastifyRequest, reply: FastifyReply): Promise<Answer>;
}

/** Defines a route of the private API; its response has the type that the pages expect. */
export function defineAppRoute<Call extends AppCall>(
  app: FastifyInstance,
  name: Call,
  definition: AppRouteDefinition<AppCalls[Call]['answer']>,
): void {
  defineRouteAt(app, appRoutes[name], permissions[name], definition);
}

/** Defines a download of the private API. */
export function defineDownload(
  app: FastifyInstance,
  name: keyof typeof appDownloads,
  definition: AppRouteDefinition<unknown>,
): void {
  defineRouteAt(app, appDownloads[name], permissions[name], definition);
}

function defineRouteAt(
  app: FastifyInstance,
  { method, path }: AppRoute,
  permission: Permission,
  { body, query, answer }: AppRouteDefinition<unknown>,
): void {
  const isOpen = permission === 'public';
  app.route({
    method,
    url: urlOf(path),
    schema: { hide: true, ...(body && { body }), ...(query && { querystring: query }) },
    config: { isWeb: true, isOpen, ...(!isOpen && { session: 'only' as const }) },
    // Before sign-in, too: another site must not sign a browser in.
    onRequest: (request, _reply, next) => next(crossSiteFault(request.raw, app.edge) ?? undefined),
    preValidation: (request, _reply, next) => {
      readIntegers(query, request.query);
      next(isOpen ? undefined : (permissionFault(request, permission) ?? undefined));
    },
    handler: async (request, reply) => answer(request, reply),
  });
}

function urlOf(path: string): string {
  return `${appPrefix}${path.replace('{id}', ':id')}`;
}

export function idOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}

function permissionFault(request: FastifyRequest, permission: Permission): Failure | null {
  if (permission === 'administrator' && !isAdmin(request)) {
    return new Failure('forbidden', 'Administrators only.', { hint: 'Sign in as an administrator.' });
  }
  if (permission === 'member' && isKey(request)) {
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
