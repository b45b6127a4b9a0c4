import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readBundledFile } from '../../disk/bundled-file.js';
import { Failure } from '../../model/failure.js';
import { keyHeader } from '../../wire/api.js';
import { pages as pageTable } from '../../wire/app.js';

/** A built file: plain, and in both encodings. */
interface BuiltFile {
  type: string;
  etag: string;
  bodies: Record<'br' | 'gzip' | 'identity', Buffer>;
}

interface Pages {
  page: BuiltFile;
  /** By path. */
  assets: ReadonlyMap<string, BuiltFile>;
}

/** Reads the built pages; null if there are none. */
export function readPages(folder: string): Pages | null {
  let text: string;
  try {
    text = readBundledFile(join(folder, 'files.json')).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const list = JSON.parse(text) as {
    page: { file: string; type: string };
    assets: { path: string; file: string; type: string }[];
  };
  const assets = list.assets.map((asset) => [asset.path, readBuiltFile(folder, asset)] as const);
  return { page: readBuiltFile(folder, list.page), assets: new Map(assets) };
}

function readBuiltFile(folder: string, { file, type }: { file: string; type: string }): BuiltFile {
  const read = (end: string): Buffer => readBundledFile(join(folder, file + end));
  const [identity, br, gzip] = [read(''), read('.br'), read('.gz')];
  const etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 27)}"`;
  return { type, etag, bodies: { identity, br, gzip } };
}

/** Serves the page under all of its paths, and its assets. */
export function registerPageRoutes(app: FastifyInstance, pages: Pages | null): void {
  const serve = (
    url: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
    constraints = {},
  ): void => {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      constraints,
      config: { isOpen: true, isWeb: true },
      // Fastify expects a promise or `done`.
      handler: async (request, reply) => handler(request, reply),
    });
  };
  for (const { path } of pageTable) {
    serve(path.replace(/\{(\w+)\}/, ':$1'), (request, reply) => {
      if (pages === null) throw pagesNotBuilt();
      // It changes with the version; its assets are named by content.
      return send(request, reply.header('cache-control', 'no-cache'), pages.page);
    });
  }
  if (pages !== null) {
    app.addConstraintStrategy(browserNavigation);
    const sendNotFoundPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
      send(request, reply.code(404).header('cache-control', 'no-store'), pages.page);
    serve('/*', sendNotFoundPage, { [browserNavigation.name]: 'yes' });
    // Names contain a hash, so an unknown one is from a page of another version.
    serve('/assets/*', () => {
      throw new Failure('not_found', 'This file belongs to another version of the pages.', {
        hint: 'Reload the page.',
      });
    });
  }
  for (const [path, asset] of pages?.assets ?? []) {
    serve(path, (request, reply) =>
      send(request, reply.header('cache-control', 'public, max-age=31536000, immutable'), asset),
    );
  }
}

/** Unknown paths opened in a browser: the page says that they do not exist. Programs get JSON. */
const browserNavigation: Parameters<FastifyInstance['addConstraintStrategy']>[0] = {
  name: 'browserNavigation',
  storage: () => {
    const handlers = new Map();
    return { get: (value) => handlers.get(value) ?? null, set: (value, handler) => void handlers.set(value, handler) };
  },
  deriveConstraint: ({ url = '', headers }) =>
    headers.accept?.includes('text/html') && !headers[keyHeader] && !/^\/(api|app)(?![^/?])/.test(url)
      ? 'yes'
      : undefined,
  validate: () => true,
};

function send(
  { headers, method }: FastifyRequest,
  reply: FastifyReply,
  { type, etag, bodies }: BuiltFile,
): FastifyReply {
  const coding = chooseCoding(headers['accept-encoding'] ?? '');
  reply.header('etag', etag).header('vary', 'accept-encoding');
  if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send();
  const body = bodies[coding];
  if (coding !== 'identity') reply.header('content-encoding', coding);
  reply.type(type).header('content-length', body.length);
  return method === 'HEAD' ? reply.send() : reply.send(body);
}

function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) === true;
}

function chooseCoding(accept: string): keyof BuiltFile['bodies'] {
  const accepted = accept.split(',').map((entry) => entry.trim().toLowerCase());
  const accepts = (name: string): boolean =>
    accepted.some((entry) => entry.split(';')[0]?.trim() === name && !/;\s*q=0(\.0*)?$/.test(entry));
  return accepts('br') ? 'br' : accepts('gzip') ? 'gzip' : 'identity';
}

function pagesNotBuilt(): Failure {
  return new Failure('unavailable', 'This installation does not include the web application.', {
    hint: 'In a checkout, build them first: npm run build. The API under /api/v1 works without them.',
  });
}

/** No foreign or inline content, no frames, no markup from text. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Headers of every response of the web application. */
export const webHeaders = {
  'content-security-policy': contentPolicy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
} as const;
