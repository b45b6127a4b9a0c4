import { PassThrough, type Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { Failure } from '../../model/failure.js';
import { NoAnswer, noAnswer, tooLarge } from './no-answer.js';

interface ExchangeOptions {
  maxAnswerBytes: number;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Stream the body of a successful response. */
  stream?: boolean | undefined;
}

/** A response: its bytes, or a stream if requested. */
export interface RawAnswer {
  status: number;
  header(name: string): string | null;
  body: Buffer | Readable;
}

type WireRequest = Pick<Dispatcher.DispatchOptions, 'origin' | 'path' | 'method'> & {
  headers: Record<string, string>;
  body: string | AsyncIterable<Uint8Array> | null;
};

/** One HTTP exchange. Rejects with NoAnswer, which tells whether the request was sent. */
export function exchange(
  dispatcher: Dispatcher,
  options: ExchangeOptions,
  { body, ...request }: WireRequest,
): Promise<RawAnswer> {
  const { timeoutMs, signal } = options;
  return new Promise((resolve, reject) => {
    let sent = false;
    let controller: Dispatcher.DispatchController | null = null;
    // Our own timer: those of undici have a resolution of a second, run during an upload, and restart with every byte.
    const timer = openTimer(timeoutMs, (what) => fail(new NoAnswer('timeout', sent, what, '')));
    const collector = openCollector(options);
    const settle = () => {
      timer.close();
      signal?.removeEventListener('abort', aborted);
    };
    const fail = (reason: NoAnswer | Failure) => {
      settle();
      reject(reason);
      collector.fail(reason);
      controller?.abort(reason);
    };
    const aborted = () => fail(new NoAnswer('aborted', sent, 'Interrupted.', ''));
    if (signal?.aborted) return aborted();
    signal?.addEventListener('abort', aborted);
    const wire = { ...request, body: wireBody(body, timer.restart), headersTimeout: 0, bodyTimeout: timeoutMs };
    dispatcher.dispatch(wire, {
      onRequestStart(started) {
        if (timer.closed()) return started.abort(new Error('too late'));
        controller = started;
        sent = true;
        timer.restart('No answer came in time.');
      },
      onResponseStart(_controller, status, headers) {
        const flowing = collector.begin(status, headers, () => controller?.abort(new Error('closed')));
        if (flowing === null) return timer.restart('The answer did not end in time.');
        timer.close();
        resolve(flowing);
      },
      onResponseData(flow, chunk) {
        if (!collector.add(chunk, flow)) fail(tooLarge(sent));
      },
      onResponseEnd() {
        controller = null;
        settle();
        resolve(collector.end());
      },
      onResponseError(_controller, error) {
        controller = null;
        // An unreadable file has a message of its own.
        fail(error instanceof Failure ? error : noAnswer(error, sent));
      },
    });
  });
}

/** A deadline that can be extended until it is closed. */
function openTimer(timeoutMs: number, late: (what: string) => void) {
  let running: NodeJS.Timeout | undefined;
  let closed = false;
  return {
    restart(what: string): void {
      clearTimeout(running);
      if (!closed) running = setTimeout(late, timeoutMs, what);
    },
    close(): void {
      closed = true;
      clearTimeout(running);
    },
    closed: () => closed,
  };
}

/** Collects a response: in memory up to a limit, or into a stream. */
function openCollector({ maxAnswerBytes, stream }: ExchangeOptions) {
  const chunks: Buffer[] = [];
  let size = 0;
  let answer: RawAnswer = { status: 0, header: () => null, body: Buffer.alloc(0) };
  let flow: PassThrough | null = null;
  return {
    /** The response at once if its body is streamed, else null. */
    begin(
      status: number,
      headers: Record<string, string | string[] | undefined>,
      closed: () => void,
    ): RawAnswer | null {
      const header = (name: string) => [headers[name] ?? []].flat()[0] ?? null;
      answer = { status, header, body: answer.body };
      if (!stream || status >= 300) return null;
      flow = new PassThrough().on('close', closed);
      return { ...answer, body: flow };
    },
    /** False above the limit. */
    add(chunk: Buffer, source: Dispatcher.DispatchController): boolean {
      size += chunk.length;
      if (flow === null) return size <= maxAnswerBytes && chunks.push(chunk) > 0;
      if (!flow.write(chunk)) {
        source.pause();
        flow.once('drain', () => source.resume());
      }
      return true;
    },
    end(): RawAnswer {
      flow?.end();
      return { ...answer, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) };
    },
    fail: (reason: Error) => flow?.destroy(reason),
  };
}

/** undici takes any iterable of bytes; its types know only streams. */
function wireBody(body: WireRequest['body'], alive: (what: string) => void): string | Readable | null {
  if (body === null || typeof body === 'string') return body;
  return watched(body, alive) as AsyncIterable<Uint8Array> as Readable;
}

/** Each chunk that the network takes extends the deadline. */
async function* watched(body: AsyncIterable<Uint8Array>, alive: (what: string) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    alive('The upload came to a halt.');
    yield piece;
  }
  alive('No answer came in time.');
}
