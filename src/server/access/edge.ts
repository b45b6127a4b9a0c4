import type { IncomingMessage } from 'node:http';
import { Failure } from '../../model/failure.js';
import { formatIp, parseIp } from '../../net/ip-address.js';
import { Networks } from '../../net/ip-range.js';
import { isLoopback } from '../../wire/routes.js';

declare module 'fastify' {
  interface FastifyInstance {
    edge: Edge;
  }
}

export interface EdgeOptions {
  /** The URLs of the server for browsers, such as `https://vet.example`. */
  publicUrls?: readonly string[];
  /** Networks of proxies whose X-Forwarded headers count. */
  trustedProxies?: readonly string[];
  /** The header in which these proxies name a member by email address; null: none. */
  userHeader?: string | null;
}

/** Reads the origin, address and user of a request; forwarded headers count only from trusted proxies. */
export type Edge = ReturnType<typeof createEdge>;

/** Throws the Failure `usage` for options that are not URLs or networks. */
export function createEdge({ publicUrls = [], trustedProxies = [], userHeader = null }: EdgeOptions = {}) {
  requireUserHeader(userHeader, trustedProxies);
  const userHeaderName = userHeader?.toLowerCase() ?? null;
  const origins = publicUrls.map(parsePublicUrl);
  const proxies = new Networks(trustedProxies);
  const isFromProxy = ({ socket }: IncomingMessage): boolean => proxies.contains(plainAddress(socket.remoteAddress));

  /** True if the client encrypted the request, to the server or to a trusted proxy. */
  const isEncrypted = (request: IncomingMessage): boolean => {
    if ('encrypted' in request.socket && request.socket.encrypted === true) return true;
    const scheme = lastOf(request.headers['x-forwarded-proto']);
    return scheme.toLowerCase() === 'https' && isFromProxy(request);
  };
  /** The origin that the request names; null if it is malformed. */
  const originOf = (request: IncomingMessage): URL | null => {
    // RFC 9112 §3.2.2: a target in absolute form counts instead of the Host header.
    const [, host = request.headers.host ?? ''] = /^[a-z]+:\/\/([^/?#]*)/i.exec(request.url ?? '') ?? [];
    const url = `${isEncrypted(request) ? 'https' : 'http'}://${host}`;
    return /^[\w.:[\]-]+$/.test(host) && URL.canParse(url) ? new URL(url) : null;
  };
  return {
    /** The first public URL; null if none is configured. */
    publicUrl: origins[0]?.origin ?? null,
    isEncrypted,
    /** The email address by which a trusted proxy names the member; null if there is none. */
    proxyUser: (request: IncomingMessage): string | null => {
      const value = userHeaderName === null ? undefined : request.headers[userHeaderName];
      return typeof value === 'string' && value !== '' && isFromProxy(request) ? value : null;
    },
    /** The IP address of the client. Trusted proxies are skipped from the right, since a client can send the header, too. */
    clientAddress: (request: IncomingMessage): string => {
      const forwarded = request.headers['x-forwarded-for'];
      const peer = plainAddress(request.socket.remoteAddress);
      if (typeof forwarded !== 'string' || !isFromProxy(request)) return peer;
      const hops = forwarded.split(',').map((hop) => hopAddress(hop.trim().slice(0, 64)));
      const client = hops.reverse().find((hop) => !proxies.contains(hop)) ?? '';
      return parseIp(client) === null ? peer : client;
    },
    /** Refuses names that are not this server's, so that a foreign name cannot be rebound to it. */
    hostFault: (request: IncomingMessage): Failure | null => {
      const origin = originOf(request);
      const isKnown =
        origin !== null &&
        (isLoopback(origin.hostname) ||
          origins.some(({ host }) => host === origin.host) ||
          // A rebound name is never a number.
          (origins.length === 0 && parseIp(origin.hostname.replace(/^\[|\]$/g, '')) !== null));
      return isKnown ? null : unknownHost();
    },
    /** True if a page of this server made the request: scheme, name and port are those of the request or public. */
    isOwnOrigin: (request: IncomingMessage, origin: string): boolean => {
      const ownOrigin = originOf(request);
      if (ownOrigin === null) return false;
      return (
        origin === ownOrigin.origin || origins.some((each) => each.origin === origin && each.host === ownOrigin.host)
      );
    },
  };
}

/** The network that a client can choose addresses from: an IPv6 /64, otherwise the address itself. */
export function networkOf(address: string): string {
  const bytes = parseIp(address);
  if (bytes === null || bytes.length === 4) return address;
  return `${formatIp(bytes.map((byte, index) => (index < 8 ? byte : 0)))}/64`;
}

/** Without the network of a proxy, every client could name a member. */
function requireUserHeader(name: string | null, trustedProxies: readonly string[]): void {
  if (name === null) return;
  // A token (RFC 9110 §5.6.2), and no header that has another meaning here.
  const isUsable =
    /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) && !/^(?:cookie|host|x-api-key|x-forwarded-(?:for|proto))$/i.test(name);
  if (!isUsable)
    throw new Failure('usage', `serve.user_header: "${name}" cannot be used as the header that names the user.`, {
      hint: 'Use the one that your proxy sets, e.g. X-Forwarded-Email or Remote-Email.',
    });
  if (trustedProxies.length === 0)
    throw new Failure('usage', 'serve.user_header needs --trust-proxy: only a proxy may name a member.', {
      hint: 'Add --trust-proxy with the address of the proxy.',
    });
}

function parsePublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (isOrigin && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new Failure('usage', `--public-url: "${text}" is not the URL of a site.`, {
    hint: 'Use scheme, host name and port, without a path, e.g. https://vet.example.',
  });
}

function plainAddress(address = ''): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** The address of a hop, which some proxies write with a port: `198.51.100.1:443`, `[2001:db8::1]:443`. */
function hopAddress(hop: string): string {
  const [, bracketed, dotted] = /^\[([^\]]*)\](?::\d+)?$|^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(hop) ?? [];
  return plainAddress(bracketed ?? dotted ?? hop);
}

function lastOf(header: string | string[] | undefined): string {
  const text = String(header ?? '');
  return text.slice(text.lastIndexOf(',') + 1).trim();
}

function unknownHost(): Failure {
  return new Failure('forbidden', 'The server is not configured for this host name.', {
    hint: 'The operator can add it with --public-url, e.g. --public-url https://vet.example.',
  });
}
