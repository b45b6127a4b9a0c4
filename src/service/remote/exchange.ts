import { PassThrough, type Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { onAbort } from '../../async/on-abort.js';
import { Failure } from '../../model/failure.js';

interface ExchangeOptions {
  maxResponseBytes: number;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Stream the body of a successful response. */
  stream?: boolean | undefined;
}

/** A response: its bytes, or a stream if requested. */
export interface RawResponse {
  status: number;
  header(name: string): string | null;
  body: Buffer | Readable;
}

type WireRequest = Pick<Dispatcher.DispatchOptions, 'origin' | 'path' | 'method'> & {
  headers: Record<string, string>;
  body: string | AsyncIterable<Uint8Array> | null;
};

/** One HTTP exchange. Rejects with NoResponse, which says whether the request was sent. */
export function exchange(
  dispatcher: Dispatcher,
  options: ExchangeOptions,
  { body, ...request }: WireRequest,
): Promise<RawResponse> {
  const { timeoutMs, signal } = options;
  return new Promise((resolve, reject) => {
    let isSent = false;
    let controller: Dispatcher.DispatchController | null = null;
    let removeListener: (() => void) | null = null;
    // Our own timer: those of undici have a resolution of a second, run during an upload, and restart with every byte.
    const timer = openTimer(timeoutMs, (what) => fail(new NoResponse('timeout', isSent, what, '')));
    const collector = openCollector(options);
    const settle = () => {
      timer.close();
      removeListener?.();
    };
    const fail = (reason: NoResponse | Failure) => {
      settle();
      reject(reason);
      collector.fail(reason);
      controller?.abort(reason);
    };
    const onAborted = () => fail(new NoResponse('aborted', isSent, 'Interrupted.', ''));
    if (signal?.aborted) return onAborted();
    // `onAbort` takes any number of listeners: each request of a run adds one.
    if (signal !== undefined) removeListener = onAbort(signal, onAborted);
    const isWhole = body === null || typeof body === 'string';
    // undici takes any iterable of bytes; its types know only streams.
    const sentBody = isWhole ? body : (extendingDeadline(body, timer.restart) as AsyncIterable<Uint8Array> as Readable);
    const wire = { ...request, body: sentBody, headersTimeout: 0, bodyTimeout: timeoutMs };
    dispatcher.dispatch(wire, {
      onRequestStart(started) {
        if (timer.closed()) return started.abort(new Error('too late'));
        controller = started;
        isSent = true;
        timer.restart('The request timed out.');
      },
      onResponseStart(_controller, status, headers) {
        const flowing = collector.begin(status, headers, () => controller?.abort(new Error('closed')));
        if (flowing === null) return timer.restart('The response did not end in time.');
        timer.close();
        resolve(flowing);
      },
      onResponseData(flow, chunk) {
        if (!collector.add(chunk, flow)) fail(tooLarge(isSent));
      },
      onResponseEnd() {
        controller = null;
        settle();
        resolve(collector.end());
      },
      onResponseError(_controller, error) {
        controller = null;
        // The error of an unreadable file is a Failure already.
        fail(error instanceof Failure ? error : noResponse(error, isSent));
      },
    });
  });
}

/** A deadline that can be extended until it is closed. */
function openTimer(timeoutMs: number, onTimeout: (what: string) => void) {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  return {
    restart(what: string): void {
      clearTimeout(timer);
      if (!isClosed) timer = setTimeout(onTimeout, timeoutMs, what);
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
    closed: () => isClosed,
  };
}

/** Collects a response: in memory up to a limit, or into a stream. */
function openCollector({ maxResponseBytes, stream }: ExchangeOptions) {
  const chunks: Buffer[] = [];
  let size = 0;
  let answer: RawResponse = { status: 0, header: () => null, body: Buffer.alloc(0) };
  let flow: PassThrough | null = null;
  return {
    /** The response at once if its body is streamed, else null. */
    begin(
      status: number,
      headers: Record<string, string | string[] | undefined>,
      closed: () => void,
    ): RawResponse | null {
      const header = (name: string) => [headers[name] ?? []].flat()[0] ?? null;
      answer = { status, header, body: answer.body };
      if (!stream || status >= 300) return null;
      flow = new PassThrough().on('close', closed);
      return { ...answer, body: flow };
    },
    /** False above the limit. */
    add(chunk: Buffer, source: Dispatcher.DispatchController): boolean {
      size += chunk.length;
      if (flow === null) return size <= maxResponseBytes && chunks.push(chunk) > 0;
      if (!flow.write(chunk)) {
        source.pause();
        flow.once('drain', () => source.resume());
      }
      return true;
    },
    end(): RawResponse {
      flow?.end();
      return { ...answer, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) };
    },
    fail: (reason: Error) => flow?.destroy(reason),
  };
}

/** Each chunk that the network takes extends the deadline. */
async function* extendingDeadline(
  body: AsyncIterable<Uint8Array>,
  extendDeadline: (what: string) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    extendDeadline('The upload stalled.');
    yield piece;
  }
  extendDeadline('The request timed out.');
}

/** Why no response came. `sent`: part of the request was sent, so it may have been executed. */
export class NoResponse extends Error {
  constructor(
    /** `setup`: a wrong scheme, port or proxy. A retry does not help. */
    readonly kind: 'connect' | 'timeout' | 'dropped' | 'too_large' | 'garbled' | 'untrusted' | 'setup' | 'aborted',
    readonly sent: boolean,
    message: string,
    readonly systemCode: string,
    /** The host and port that refused the connection, if known. */
    readonly peer: { host?: string; port?: number } = {},
  ) {
    super(message);
    this.name = 'NoResponse';
  }
}

export function tooLarge(sent: boolean): NoResponse {
  return new NoResponse('too_large', sent, 'The response is too large.', '');
}

/** Converts foreign errors, which can carry sockets and requests: only their kind and code are kept. */
export function noResponse(error: unknown, sent: boolean): NoResponse {
  if (error instanceof NoResponse) return error;
  const code = codeOf(error);
  const name = error instanceof Error ? error.name : '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new NoResponse('timeout', sent, 'The request timed out.', code);
  }
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW' || name === 'HTTPParserError') {
    return new NoResponse('garbled', sent, 'The response is not HTTP: is the scheme or the port wrong?', code);
  }
  if (!sent && untrusted.test(code)) {
    const reason = certificateFaults[code] ?? 'Its certificate is not trusted';
    return new NoResponse('untrusted', false, `${reason} (${code}).`, code);
  }
  if (!sent && (code === 'EPROTO' || code.startsWith('ERR_SSL_'))) {
    return new NoResponse('setup', false, 'It does not speak TLS there: is it plain http, or another port?', code);
  }
  const refusal = /^Proxy response \((\d{3})\)/.exec(error instanceof Error ? error.message : '')?.[1];
  if (!sent && refusal !== undefined) {
    const cause = refusal === '407' ? ': it asks for a user name and password' : '';
    const message = `The proxy did not let the connection through (HTTP ${refusal})${cause}.`;
    return new NoResponse('setup', false, message, code);
  }
  const { hostname: host, port } = systemErrorIn(error);
  const peer = { ...(typeof host === 'string' && { host }), ...(typeof port === 'number' && { port }) };
  if (!sent) return new NoResponse('connect', false, reasons[code] ?? 'The connection failed.', code, peer);
  return new NoResponse('dropped', sent, 'The connection was lost before the response was complete.', code);
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'Nothing listens there: the connection was refused.',
  ENOTFOUND: 'The name of its host does not exist.',
  EAI_AGAIN: 'The name of its host could not be looked up.',
  EHOSTUNREACH: 'Its host cannot be reached from here.',
  ENETUNREACH: 'There is no network.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
  ETIMEDOUT: 'The connection timed out.',
  UND_ERR_ABORTED: 'The proxy did not let the connection through.',
};

const certificateFaults: Record<string, string> = {
  CERT_HAS_EXPIRED: 'Its certificate has expired',
  CERT_NOT_YET_VALID: 'Its certificate is not valid yet: is the clock of this machine right?',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host name',
};

const untrusted = /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)_)/;

/** The system error code of an error or its cause, else empty. */
export function codeOf(error: unknown): string {
  return systemErrorIn(error).code ?? '';
}

function systemErrorIn(error: unknown): { code?: string; hostname?: unknown; port?: unknown } {
  for (let inner: unknown = error, depth = 0; inner instanceof Error && depth < 4; inner = inner.cause, depth++) {
    const systemError = inner instanceof AggregateError ? Object(inner.errors[0]) : inner;
    const code: unknown = Reflect.get(systemError, 'code');
    if (typeof code === 'string' && code !== 'UND_ERR_SOCKET') return systemError;
  }
  return {};
}
