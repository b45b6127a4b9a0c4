import { PassThrough, type Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { Failure } from '../../model/failure.js';
import { NoAnswer, noAnswer, tooLarge } from './no-answer.js';

export interface ExchangeOptions {
  maxAnswerBytes: number;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Hand out the body of a good answer as it comes, of any length. */
  stream?: boolean | undefined;
}

/** An answer as it came over the wire: its bytes, or a stream of them where that was asked for. */
export interface RawAnswer {
  status: number;
  header(name: string): string | null;
  body: Buffer | Readable;
}

/** One request and its answer, over the wire. Rejects with NoAnswer, which knows whether the request left this machine. */
export function exchange(
  dispatcher: Dispatcher,
  { maxAnswerBytes, timeoutMs, signal, stream }: ExchangeOptions,
  request: Dispatcher.DispatchOptions,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let sent = false;
    let size = 0;
    let answer: RawAnswer = { status: 0, header: () => null, body: Buffer.alloc(0) };
    let flow: PassThrough | null = null;
    let controller: Dispatcher.DispatchController | null = null;
    let deadline: NodeJS.Timeout | undefined;
    const chunks: Buffer[] = [];
    const settle = () => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', aborted);
    };
    const fail = (reason: NoAnswer | Failure) => {
      settle();
      reject(reason);
      flow?.destroy(reason);
      controller?.abort(reason);
    };
    const aborted = () => fail(new NoAnswer('aborted', sent, 'Interrupted.', ''));
    if (signal?.aborted) return aborted();
    signal?.addEventListener('abort', aborted);
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        if (signal?.aborted) return started.abort(new Error('aborted'));
        controller = started;
        sent = true;
      },
      onResponseStart(_controller, status, headers) {
        const header = (name: string) => [headers[name] ?? []].flat()[0] ?? null;
        answer = { status, header, body: answer.body };
        if (stream && status < 300) {
          flow = new PassThrough();
          flow.on('close', () => controller?.abort(new Error('closed')));
          resolve({ ...answer, body: flow });
          return;
        }
        // The library's own limit restarts with every byte, so a dripping answer would never end.
        const late = () => fail(new NoAnswer('timeout', sent, 'The answer did not end in time.', ''));
        clearTimeout(deadline);
        deadline = setTimeout(late, timeoutMs);
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (flow !== null) pass(flow, chunk, _controller);
        else if (size > maxAnswerBytes) fail(tooLarge(sent));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        settle();
        controller = null;
        if (flow !== null) flow.end();
        else resolve({ ...answer, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) });
      },
      onResponseError(_controller, error) {
        controller = null;
        // A file that can not be read fails in our own words.
        fail(error instanceof Failure ? error : noAnswer(error, sent));
      },
    });
  });
}

function pass(flow: PassThrough, chunk: Buffer, controller: Dispatcher.DispatchController): void {
  if (flow.write(chunk)) return;
  controller.pause();
  flow.once('drain', () => controller.resume());
}
