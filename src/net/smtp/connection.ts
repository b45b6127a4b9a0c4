import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { SmtpReply, SmtpStage } from '../../model/evidence.js';
import { SmtpFault } from './fault.js';
import { asReply, type RawReply, replyReader } from './reply-parser.js';

/** Takes down the lines of the dialogue while it is on. */
export interface Trace {
  readonly on: boolean;
  line(from: 'us' | 'host' | 'note', text: string): void;
}

/** Commands out, whole replies in, over one connection. */
export interface Channel {
  readonly localAddress: string;
  /** Gone, or out of step since the host spoke unasked. */
  readonly closed: boolean;
  /** Writes the commands at once. Text with control characters is refused, so nothing can smuggle in a command. */
  send(commands: readonly string[]): void;
  /** The next reply, or an `SmtpFault` once the deadline has passed or the host has gone. */
  receive(stage: SmtpStage, timeoutMs: number): Promise<SmtpReply>;
  /** The next reply where it has come already, as most of a pipelined batch have once the first is there; else null. */
  received(): RawReply | null;
  /** Starts TLS on the connection. */
  secure(host: string, timeoutMs: number): Promise<void>;
  /** Called once, when the connection is gone or the host speaks unasked. */
  onLoss(listener: () => void): void;
  /** Says QUIT and leaves without waiting for the answer. */
  quit(): void;
  destroy(): void;
}

const maxQueuedReplies = 256;
const quitMs = 1500;

/** A channel over a connected socket. */
export function openChannel(connected: Socket, trace: Trace): Channel {
  let socket = connected;
  let reader = replyReader();
  let heard = false;
  let said = false;
  let awaited = 1;
  let failure: { kind: 'closed' | 'malformed'; message: string } | null = null;
  let waiter: (() => void) | null = null;
  let lossListener: (() => void) | null = null;
  const replies: RawReply[] = [];
  const localAddress = connected.localAddress ?? '';

  function fail(kind: 'closed' | 'malformed', message: string): void {
    if (failure === null) {
      failure = { kind, message };
      socket.destroy();
    }
    wake();
  }

  function wake(): void {
    if (waiter !== null) waiter();
    else lossListener?.();
  }

  function onData(chunk: Buffer): void {
    heard = true;
    const found = reader.push(chunk);
    replies.push(...found.replies);
    if (found.malformed) fail('malformed', 'what the host sent is not SMTP');
    else if (replies.length > maxQueuedReplies) fail('malformed', 'the host sent replies that nobody asked for');
    else if (found.replies.length > 0) wake();
  }

  const onError = (error: Error) => fail('closed', `the connection broke: ${error.message}`);
  const onEnd = () => fail('closed', 'the host closed the connection');

  function listen(): void {
    socket.on('data', onData).on('error', onError).on('close', onEnd).on('end', onEnd);
  }

  listen();

  return {
    localAddress,
    get closed() {
      return failure !== null || replies.length > awaited;
    },
    send(commands) {
      if (commands.some((command) => /[\x00-\x1f\x7f-\x9f]/.test(command))) {
        throw new SmtpFault('malformed', 'rcpt', 'a command with control characters was not sent');
      }
      // A reply that came before its command would pass for the answer to it, and so would all after it; 421 needs no command.
      if (failure === null && replies.length > awaited && replies[awaited]?.code !== 421) {
        replies.length = awaited;
        // Later it may be this session alone, so a fresh one is worth a try.
        fail(said ? 'closed' : 'malformed', 'the host spoke unasked');
      }
      said = true;
      if (trace.on) for (const command of commands) trace.line('us', command);
      awaited += commands.length;
      if (failure === null) socket.write(`${commands.join('\r\n')}\r\n`);
    },
    async receive(stage, timeoutMs) {
      if (replies.length === 0 && failure === null) await wait(timeoutMs);
      const raw = received();
      if (raw !== null) return asReply(stage, raw);
      const { kind, message } = failure ?? { kind: 'timeout' as const, message: `no reply within ${timeoutMs} ms` };
      if (trace.on) trace.line('note', message);
      const silent = stage === 'banner' && !heard;
      failure ??= { kind: 'closed', message };
      socket.destroy();
      throw new SmtpFault(silent && kind !== 'malformed' ? 'no_banner' : kind, stage, message);
    },
    received,
    secure: async (host, timeoutMs) => {
      // What came in clear after the reply to STARTTLS was put there by someone else (RFC 3207 §6).
      if (replies.length > 0) throw new SmtpFault('tls', 'starttls', 'plain text came before the TLS handshake');
      socket.off('data', onData).off('error', onError).off('close', onEnd).off('end', onEnd);
      socket = await handshake(socket, host, timeoutMs);
      reader = replyReader();
      trace.line('note', 'TLS is on');
      listen();
    },
    onLoss(listener) {
      lossListener = listener;
      if (failure !== null) listener();
    },
    quit() {
      lossListener = null;
      if (failure !== null) return;
      failure = { kind: 'closed', message: 'we said QUIT' };
      socket.end('QUIT\r\n');
      // The program may end without waiting for the host's goodbye.
      socket.unref();
      const timer = setTimeout(() => socket.destroy(), quitMs).unref();
      socket.once('close', () => clearTimeout(timer));
    },
    destroy() {
      failure ??= { kind: 'closed', message: 'interrupted' };
      socket.destroy();
      wake();
    },
  };

  function received(): RawReply | null {
    const raw = replies.shift();
    if (raw === undefined) return null;
    awaited--;
    if (trace.on) traceReply(raw);
    return raw;
  }

  function traceReply({ code, lines }: RawReply): void {
    for (const [index, line] of lines.entries())
      trace.line('host', `${code}${index < lines.length - 1 ? '-' : ' '}${line}`);
  }

  function wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, timeoutMs);
      waiter = done;
      function done(): void {
        clearTimeout(timer);
        waiter = null;
        resolve();
      }
    });
  }
}

/**
 * The certificate is not verified: nothing secret is sent, mail hosts rarely hold one for the name that MX gives, and
 * without TLS we would say the same in clear (RFC 7435).
 */
function handshake(plain: Socket, host: string, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({
      socket: plain,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && host !== '' ? { servername: host } : {}),
    });
    const done = (problem: string | null) => {
      clearTimeout(timer);
      secured.off('secureConnect', onSecure).off('error', onError).off('close', onClose);
      plain.off('error', onError);
      if (problem === null) return resolve(secured);
      secured.on('error', () => {});
      plain.on('error', () => {});
      secured.destroy();
      plain.destroy();
      reject(new SmtpFault('tls', 'starttls', `TLS failed: ${problem}`));
    };
    const timer = setTimeout(() => done(`no handshake within ${timeoutMs} ms`), timeoutMs);
    const onSecure = () => done(null);
    const onError = (error: Error) => done(error.message);
    const onClose = () => done('the host closed the connection');
    secured.once('secureConnect', onSecure).once('error', onError).once('close', onClose);
    plain.once('error', onError);
  });
}
