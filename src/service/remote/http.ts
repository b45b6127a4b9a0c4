import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { Failure } from '../../model/failure.js';
import { isLoopback } from '../../wire/loopback.js';
import { keyHeader } from '../../wire/routes.js';
import { unpacked, unpackedStream } from './decompress.js';
import { exchange, type RawAnswer } from './exchange.js';
import { withoutKey } from './key-safety.js';

/** One request below the service root. */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** With the query. */
  path: string;
  /** An absolute path from a redirect. */
  wholePath?: boolean;
  contentType?: string;
  /** A stream needs `contentLength`. */
  body?: string | AsyncIterable<Uint8Array>;
  contentLength?: number;
  accept?: string;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Stream the body of a successful response. */
  stream?: boolean;
}

/** A response, with the key masked if the service repeats it. */
export interface HttpAnswer {
  status: number;
  contentType: string;
  retryAfter: string | null;
  location: string | null;
  text: string;
  stream: Readable | null;
}

interface HttpOptions {
  root: URL;
  apiKey: string;
  userAgent: string;
  connections: number;
  connectTimeoutMs: number;
  maxAnswerBytes: number;
  /** From HTTPS_PROXY, HTTP_PROXY and NO_PROXY; loopback hosts are never proxied. */
  proxy: { https?: string | undefined; http?: string | undefined; none?: string | undefined };
}

/** Keep-alive connections to one service. One call is one request: no retries, no redirects. */
export interface Http {
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

export async function openHttp(options: HttpOptions): Promise<Http> {
  const dispatcher = await openDispatcher(options);
  const { origin, pathname } = options.root;
  return {
    async send(request) {
      const { timeoutMs, signal, stream } = request;
      const limits = { maxAnswerBytes: options.maxAnswerBytes, timeoutMs, signal, stream };
      const answer = await exchange(dispatcher, limits, {
        origin,
        path: request.wholePath ? request.path : pathname + request.path,
        method: request.method,
        headers: headersOf(options, request),
        body: request.body ?? null,
      });
      return readable(answer, options);
    },
    async close() {
      await dispatcher.destroy();
    },
  };
}

async function openDispatcher(options: HttpOptions): Promise<Dispatcher> {
  const settings = { connections: options.connections, connect: { timeout: options.connectTimeoutMs } };
  const { https = '', http = '', none = '' } = options.proxy;
  // The bundle has CommonJS packages only under `default`.
  const { default: undici } = await import('undici');
  if ((https === '' && http === '') || isLoopback(options.root.hostname)) return new undici.Agent(settings);
  try {
    return new undici.EnvHttpProxyAgent({
      ...settings,
      httpsProxy: https || http,
      httpProxy: http || https,
      noProxy: none,
    });
  } catch {
    // The message would repeat the proxy's URL, which may hold a password.
    throw new Failure('usage', 'The proxy address is not one that can be used.', {
      hint: 'Check HTTPS_PROXY and HTTP_PROXY: http://host:port, or unset them.',
    });
  }
}

function headersOf(options: HttpOptions, request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = {
    [keyHeader]: options.apiKey,
    accept: request.accept ?? 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': options.userAgent,
  };
  if (request.contentType !== undefined) headers['content-type'] = request.contentType;
  if (request.contentLength !== undefined) headers['content-length'] = String(request.contentLength);
  return headers;
}

async function readable(raw: RawAnswer, { apiKey, maxAnswerBytes }: HttpOptions): Promise<HttpAnswer> {
  const encoding = raw.header('content-encoding');
  const stream = raw.body instanceof Readable ? unpackedStream(raw.body, encoding) : null;
  const bytes = raw.body instanceof Readable ? '' : await unpacked(raw.body, encoding, maxAnswerBytes);
  return {
    status: raw.status,
    contentType: raw.header('content-type') ?? '',
    retryAfter: raw.header('retry-after'),
    location: withoutKey(raw.header('location') ?? '', apiKey) || null,
    text: withoutKey(bytes.toString('utf8'), apiKey),
    stream,
  };
}
