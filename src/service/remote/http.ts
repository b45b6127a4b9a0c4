import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { Failure } from '../../model/failure.js';
import { keyHeader, serviceHeader } from '../../wire/api.js';
import type { Route } from '../../wire/route.js';
import { isLoopback } from '../../wire/routes.js';
import { codeOf, exchange, NoResponse, type RawResponse, tooLarge } from './exchange.js';

export interface HttpRequest {
  method: Route['method'];
  /** The path with the query. */
  path: string;
  /** An absolute path from a redirect. */
  wholePath?: boolean;
  contentType?: string | undefined;
  /** A stream needs `contentLength`. */
  body?: string | AsyncIterable<Uint8Array>;
  contentLength?: number;
  accept?: string | undefined;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Stream the body of a successful response. */
  stream?: boolean | undefined;
}

/** A response, with the key masked if the service repeats it. */
export interface HttpResponse {
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
  maxResponseBytes: number;
  proxy: HttpProxy;
}

/** From HTTPS_PROXY, HTTP_PROXY and NO_PROXY; loopback hosts are never proxied. */
export interface HttpProxy {
  https?: string | undefined;
  http?: string | undefined;
  none?: string | undefined;
}

/** Keep-alive connections to one service. One call is one request: no retries, no redirects. */
export type Http = Awaited<ReturnType<typeof openHttp>>;

export async function openHttp(options: HttpOptions) {
  const dispatcher = await openDispatcher(options);
  const { origin, pathname } = options.root;
  let isMailvet: boolean | null = null;
  return {
    /** Whether a response announced our service; null before the first one. */
    isMailvet: () => isMailvet,
    async send(request: HttpRequest) {
      const { timeoutMs, signal, stream } = request;
      const limits = { maxResponseBytes: options.maxResponseBytes, timeoutMs, signal, stream };
      const exchanged = exchange(dispatcher, limits, {
        origin,
        path: request.wholePath ? request.path : pathname + request.path,
        method: request.method,
        headers: headersOf(options, request),
        body: request.body ?? null,
      });
      const answer = await exchanged.catch((error: unknown) => {
        throw nameProxy(error, options);
      });
      isMailvet ||= answer.header(serviceHeader) !== null;
      return toHttpResponse(answer, options);
    },
    async close() {
      await dispatcher.destroy();
    },
  };
}

/** The connections to one host, or to the proxy before it. */
export async function openDispatcher(
  options: Pick<HttpOptions, 'root' | 'connections' | 'connectTimeoutMs' | 'proxy'>,
): Promise<Dispatcher> {
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
    // The message would repeat the proxy's URL, which may contain a password.
    throw new Failure('usage', 'The proxy URL is not valid.', {
      hint: 'Check HTTPS_PROXY and HTTP_PROXY: http://host:port, or unset them.',
    });
  }
}

/** The error, as one of the proxy if that is what refused the connection. */
function nameProxy(error: unknown, { proxy: { https = '', http = '' }, root }: HttpOptions): unknown {
  if (!(error instanceof NoResponse) || error.kind !== 'connect') return error;
  const { host, port } = error.peer;
  const proxy = [https, http]
    .filter((url) => URL.canParse(url))
    .map((url) => new URL(url))
    .find((url) => url.host !== root.host && (url.hostname === host || url.port === String(port)));
  if (proxy === undefined) return error;
  const message = `The proxy at ${proxy.host} cannot be reached. ${error.message}`;
  return new NoResponse('setup', error.sent, message, error.systemCode);
}

function headersOf(options: HttpOptions, request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = {
    [keyHeader]: options.apiKey,
    accept: request.accept ?? 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': options.userAgent,
  };
  if (request.contentType !== undefined) headers['content-type'] = request.contentType;
  if (request.contentLength !== undefined) headers['content-length'] = String(request.contentLength);
  return headers;
}

async function toHttpResponse(raw: RawResponse, { apiKey, maxResponseBytes }: HttpOptions): Promise<HttpResponse> {
  const encoding = raw.header('content-encoding');
  const stream = raw.body instanceof Readable ? decompressStream(raw.body, encoding) : null;
  const bytes = raw.body instanceof Readable ? '' : await decompress(raw.body, encoding, maxResponseBytes);
  return {
    status: raw.status,
    contentType: raw.header('content-type') ?? '',
    retryAfter: raw.header('retry-after'),
    location: maskKey(raw.header('location') ?? '', apiKey) || null,
    text: maskKey(bytes.toString('utf8'), apiKey),
    stream,
  };
}

/** Whether a response is compressed; only what was asked for is understood. */
function isGzip(encoding: string | null): boolean {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (['', 'identity', 'gzip', 'x-gzip'].includes(name)) return name.endsWith('gzip');
  throw new NoResponse('garbled', true, 'The response has an unsupported Content-Encoding.', '');
}

/** Decompresses a response; one that exceeds the limit is refused. */
export async function decompress(bytes: Buffer, encoding: string | null, maxOutputLength: number): Promise<Buffer> {
  if (bytes.length === 0 || !isGzip(encoding)) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength });
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(true);
    throw new NoResponse('garbled', true, 'The response is compressed, and the data is corrupt.', codeOf(error));
  }
}

function decompressStream(stream: Readable, encoding: string | null): Readable {
  try {
    return isGzip(encoding) ? pipeline(stream, createGunzip(), () => {}) : stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** The key if it can be sent, otherwise a Failure. */
export function requireKey(apiKey: string): string {
  const key = apiKey.trim();
  if (key === '') {
    throw new Failure('key_missing', 'The service needs an API key, but none is set.', {
      hint: 'Run "mailvet login", or set MAILVET_API_KEY.',
    });
  }
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new Failure('key_refused', 'The API key contains characters that no key can have.', {
    hint: 'Copy it again, without spaces or line ends, and run mailvet login.',
  });
}

/** Refuses to send a key over plain http to another machine. */
export function checkTransport(root: URL, allowHttp: boolean): void {
  if (root.protocol === 'https:' || allowHttp || isLoopback(root.hostname)) return;
  throw new Failure('usage', `The key would be sent to ${root.host} unencrypted, over plain http.`, {
    hint: 'Use an https address, or add --set allow_http=true if you trust the network in between.',
  });
}

/** Masks every copy of the key. */
function maskKey(text: string, apiKey: string): string {
  // A very short key would mask half of any text.
  if (apiKey.length < 6) return text;
  const spellings = new Set([apiKey, encodeURIComponent(apiKey), JSON.stringify(apiKey).slice(1, -1)]);
  return [...spellings].reduce((clean, form) => (clean.includes(form) ? clean.replaceAll(form, '***') : clean), text);
}
