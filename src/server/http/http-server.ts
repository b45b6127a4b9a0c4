import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { Failure } from '../../model/failure.js';
import { encodeProblem } from '../../wire/problem.js';
import type { Limits } from '../access/limits.js';
import type { Connections } from './connections.js';

/** PEM. */
export interface TlsFiles {
  cert: string | Buffer;
  key: string | Buffer;
}

/** An HTTP server that closes slow and oversized connections. */
export function createHttpServer(
  limits: Limits,
  tls: TlsFiles | null,
  connections: Connections,
  handler: RequestListener,
): Server {
  const options: ServerOptions<typeof IncomingMessage> = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: Math.min(limits.headersMs, limits.requestMs),
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(5_000, Math.max(100, Math.round(limits.headersMs / 3))),
    noDelay: true,
    // The listener answers with our error body.
    requireHostHeader: false,
  };
  const listener: RequestListener = (request, response) => {
    const { hosts, coding } = scanHeaders(request);
    if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) refuse(response, badHost);
    else if (coding !== null && coding !== 'chunked') refuse(response, badCoding);
    // Refusing each request would cost memory, too. Clients that wait for responses never get here.
    else if (connections.open() >= 2 * limits.requestsInFlight && connections.isCrowded(request))
      request.socket.destroy();
    else {
      if (coding !== null) joinChunks(response, connections.throttleBody);
      connections.begin(response, handler);
    }
  };
  const server: Server = tls === null ? createServer(options, listener) : createSecureServer(options, tls, listener);
  server.on('timeout', connections.timedOut);
  server.on('close', connections.close);
  server.on('connection', connections.accept);
  server.on('checkExpectation', (_request, response) => refuse(response, badExpectation));
  server.maxRequestsPerSocket = limits.requestsPerConnection;
  server.on('clientError', (error, socket) => {
    // In the middle of a response, another one would be read as its body.
    if (connections.hasBegunResponse(socket)) socket.destroy();
    else answerClientError(error, socket);
  });
  return server;
}

/** Reads raw headers: parsing all headers of pipelined requests can wait. Node keeps the first of several Host headers. */
function scanHeaders({ rawHeaders }: IncomingMessage): { hosts: number; coding: string | null } {
  let hosts = 0;
  let coding: string | null = null;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      const value = (rawHeaders[index + 1] ?? '').trim().toLowerCase();
      coding = coding === null ? value : `${coding}, ${value}`;
    }
  }
  return { hosts, coding };
}

const badHost = { status: 400, message: 'A request needs one Host header.' };
/** RFC 9112 §6.1: a coding that is not understood. Some proxies read such a body differently. */
const badCoding = { status: 501, message: 'The only transfer coding that is supported is chunked.' };
const badExpectation = { status: 417, message: 'The only expectation that can be met is 100-continue.' };

/** Answers a request that no route sees. */
function refuse(response: ServerResponse, { status, message }: typeof badHost): void {
  const body = JSON.stringify(encodeProblem(new Failure('usage', message)));
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', connection: 'close' }).end(body);
}

function createSecureServer(
  options: ServerOptions<typeof IncomingMessage>,
  tls: TlsFiles,
  handler: RequestListener,
): Server {
  try {
    return createTlsServer({ ...options, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 }, handler);
  } catch (error) {
    throw new Failure('bad_input', 'The certificate and key cannot be used together for TLS.', {
      hint: 'Set serve.tls_cert to the certificate chain and serve.tls_key to its private key without a passphrase, both as PEM.',
      cause: error,
    });
  }
}

/** Answers what could not be parsed as a request. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, failure] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? (['431 Request Header Fields Too Large', new Failure('too_large', 'The headers are too large.')] as const)
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? (['408 Request Timeout', new Failure('usage', 'The request took too long to arrive.')] as const)
        : (['400 Bad Request', new Failure('usage', 'This is not an HTTP request.')] as const);
  const body = JSON.stringify(encodeProblem(failure));
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Chunks in one read of 64 kB that count as hostile. */
const maxChunks = 1_000;

/**
 * Joins the chunks of a body (RFC 9112 §7.1) that arrive in one read: a chunk per byte would cost as much as a large
 * one each. `onMany` is called when there are very many.
 */
export function joinChunks(response: ServerResponse, onMany: (request: IncomingMessage) => void): void {
  const { req: request } = response;
  const push = request.push.bind(request);
  let chunks: Buffer[] = [];
  const pushJoined = (): void => {
    const joined = Buffer.concat(chunks);
    chunks = [];
    // Backpressure as in Node; reading resumes the socket.
    if (joined.length > 0 && !request.destroyed && !push(joined)) request.socket.pause();
  };
  request.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) {
      pushJoined();
      return push(null);
    }
    const count = chunks.push(chunk);
    if (count === 1) setImmediate(pushJoined);
    if (count === maxChunks) onMany(request);
    return true;
  };
  // Node would read the rest of the body chunk by chunk after the response.
  response.prependListener('finish', () => {
    if (request.complete) return;
    request.read(0);
    request.resume();
  });
}
