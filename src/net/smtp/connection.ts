import type { Socket } from 'node:net';
import type { SmtpReply, SmtpStage } from '../../model/evidence.js';
import { SmtpFault } from './fault.js';
import { createReplyReader, type RawReply, type ReplyReader, toReply } from './reply-parser.js';

/** Takes down the lines of the dialogue while it is on. */
export interface Trace {
  readonly on: boolean;
  line(from: 'us' | 'host' | 'note', text: string): void;
}

const maxQueuedReplies = 256;
const quitMs = 1500;

/** Commands out, whole replies in, over one connection. */
export class Channel {
  readonly localAddress: string;
  private readonly replies: RawReply[] = [];
  private reader: ReplyReader = createReplyReader();
  private failure: { kind: 'closed' | 'malformed'; message: string } | null = null;
  /** Replies that commands still ask for; the banner comes unasked. */
  private awaited = 1;
  private heard = false;
  private said = false;
  private waiter: (() => void) | null = null;
  private lossListener: (() => void) | null = null;

  constructor(
    private socket: Socket,
    private readonly trace: Trace,
  ) {
    this.localAddress = socket.localAddress ?? '';
    this.listen();
  }

  /** Gone, or out of step since the host spoke unasked. */
  get closed(): boolean {
    return this.failure !== null || this.replies.length > this.awaited;
  }

  /** Writes the commands at once. Text with control characters is refused, so nothing can smuggle in a command. */
  send(commands: readonly string[]): void {
    if (commands.some((command) => /[\x00-\x1f\x7f-\x9f]/.test(command))) {
      throw new SmtpFault('malformed', 'rcpt', 'a command with control characters was not sent');
    }
    this.checkInStep();
    this.said = true;
    if (this.trace.on) for (const command of commands) this.trace.line('us', command);
    this.awaited += commands.length;
    // One write: a second one would wait for the host to acknowledge the first (RFC 896).
    if (this.failure === null) this.socket.write(`${commands.join('\r\n')}\r\n`);
  }

  /** The next reply, or an `SmtpFault` once the deadline has passed or the host has gone. */
  async receive(stage: SmtpStage, timeoutMs: number): Promise<SmtpReply> {
    if (this.replies.length === 0 && this.failure === null) await this.wait(timeoutMs);
    const raw = this.received();
    if (raw !== null) return toReply(stage, raw);
    const { kind, message } = this.failure ?? {
      kind: 'timeout' as const,
      message: `no reply within ${timeoutMs} ms`,
    };
    if (this.trace.on) this.trace.line('note', message);
    const silent = stage === 'banner' && !this.heard;
    this.failure ??= { kind: 'closed', message };
    this.socket.destroy();
    throw new SmtpFault(silent && kind !== 'malformed' ? 'no_banner' : kind, stage, message);
  }

  /** The next reply where it has come already, as most of a pipelined batch have once the first is there; else null. */
  received(): RawReply | null {
    const raw = this.replies.shift();
    if (raw === undefined) return null;
    this.awaited--;
    if (this.trace.on) this.traceReply(raw);
    return raw;
  }

  /** Goes on over TLS, which `start` turns on. */
  async secure(start: (plain: Socket) => Promise<Socket>): Promise<void> {
    // What came in clear after the reply to STARTTLS was put there by someone else (RFC 3207 §6).
    if (this.replies.length > 0) throw new SmtpFault('tls', 'starttls', 'plain text came before the TLS handshake');
    this.socket.off('data', this.onData).off('error', this.onError).off('close', this.onEnd).off('end', this.onEnd);
    this.socket = await start(this.socket);
    this.reader = createReplyReader();
    this.trace.line('note', 'TLS is on');
    this.listen();
  }

  /** Called once, when the connection is gone or the host speaks unasked. */
  onLoss(listener: () => void): void {
    this.lossListener = listener;
    if (this.failure !== null) listener();
  }

  /** Says QUIT and leaves without waiting for the answer. */
  quit(): void {
    this.lossListener = null;
    if (this.failure !== null) return;
    this.failure = { kind: 'closed', message: 'we said QUIT' };
    const { socket } = this;
    socket.end('QUIT\r\n');
    // The program may end without waiting for the host's goodbye.
    socket.unref();
    const timer = setTimeout(() => socket.destroy(), quitMs).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  destroy(): void {
    this.failure ??= { kind: 'closed', message: 'interrupted' };
    this.socket.destroy();
    this.wake();
  }

  private listen(): void {
    this.socket.on('data', this.onData).on('error', this.onError).on('close', this.onEnd).on('end', this.onEnd);
  }

  private readonly onData = (chunk: Buffer): void => {
    this.heard = true;
    const found = this.reader.push(chunk);
    this.replies.push(...found.replies);
    if (found.malformed) this.fail('malformed', 'what the host sent is not SMTP');
    else if (this.replies.length > maxQueuedReplies)
      this.fail('malformed', 'the host sent replies that nobody asked for');
    else if (found.replies.length > 0) this.wake();
  };

  private readonly onError = (error: Error): void => this.fail('closed', `the connection broke: ${error.message}`);

  private readonly onEnd = (): void => this.fail('closed', 'the host closed the connection');

  private fail(kind: 'closed' | 'malformed', message: string): void {
    if (this.failure === null) {
      this.failure = { kind, message };
      this.socket.destroy();
    }
    this.wake();
  }

  /** A reply that came before its command would pass for the answer to it, and so would all after it; 421 needs no command. */
  private checkInStep(): void {
    const { replies, awaited } = this;
    if (this.failure !== null || replies.length <= awaited || replies[awaited]?.code === 421) return;
    replies.length = awaited;
    // Later it may be this session alone, so a fresh one is worth a try.
    this.fail(this.said ? 'closed' : 'malformed', 'the host spoke unasked');
  }

  private wake(): void {
    if (this.waiter !== null) this.waiter();
    else this.lossListener?.();
  }

  private wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.waiter = null;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.waiter = done;
    });
  }

  private traceReply({ code, lines }: RawReply): void {
    for (const [index, line] of lines.entries())
      this.trace.line('host', `${code}${index < lines.length - 1 ? '-' : ' '}${line}`);
  }
}
