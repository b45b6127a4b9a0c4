import type { Socket } from 'node:net';
import { type Clock, systemClock } from '../../async/clock.js';
import type { SmtpReply, SmtpStage } from '../../model/evidence.js';
import { SmtpFault } from './fault.js';
import { type RawReply, ReplyReader, toReply } from './reply-parser.js';

/** Records the lines of the dialogue while it is on. */
export interface Trace {
  readonly isEnabled: boolean;
  line(from: 'us' | 'host' | 'note', text: string): void;
}

type LossKind = 'closed' | 'malformed' | 'out_of_step';

const maxQueuedReplies = 256;
const quitMs = 1500;

/** Sends commands and receives whole replies over one connection. */
export class Channel {
  readonly localAddress: string;
  private readonly replies: RawReply[] = [];
  private reader = new ReplyReader();
  private failure: { kind: LossKind; message: string } | null = null;
  /** Replies that are outstanding; the banner needs no command. */
  private outstanding = 1;
  private hasReceived = false;
  private hasSent = false;
  private waiter: (() => void) | null = null;
  private lossListener: (() => void) | null = null;

  constructor(
    private socket: Socket,
    private readonly trace: Trace,
    private readonly clock: Clock = systemClock,
  ) {
    this.localAddress = socket.localAddress ?? '';
    this.listen();
  }

  /** Whether the connection is closed, or out of step after an unsolicited reply. */
  get isClosed(): boolean {
    return this.failure !== null || this.replies.length > this.outstanding;
  }

  /** Whether the next reply has arrived, as most of a pipelined batch have. */
  get hasReply(): boolean {
    return this.replies.length > 0;
  }

  /** Writes the commands at once. Control characters are refused, so that no command can be injected. */
  send(commands: readonly string[]): void {
    if (commands.some((command) => /[\x00-\x1f\x7f-\x9f]/.test(command))) {
      throw new SmtpFault('malformed', 'rcpt', 'a command with control characters was not sent');
    }
    this.dropUnsolicited();
    this.outstanding += commands.length;
    if (this.failure !== null) return;
    this.hasSent = true;
    if (this.trace.isEnabled) for (const command of commands) this.trace.line('us', command);
    // One write: Nagle's algorithm would hold a second one back (RFC 896).
    this.socket.write(`${commands.join('\r\n')}\r\n`);
  }

  /** The next reply, or an `SmtpFault` after the timeout or a disconnect. */
  async receive(stage: SmtpStage, timeoutMs: number): Promise<SmtpReply> {
    if (this.replies.length === 0 && this.failure === null) await this.wait(timeoutMs);
    const raw = this.replies.shift();
    if (raw !== undefined) {
      this.outstanding--;
      if (this.trace.isEnabled) this.traceReply(raw);
      return toReply(stage, raw);
    }
    const { kind, message } = this.failure ?? {
      kind: 'timeout' as const,
      message: `no reply within ${timeoutMs} ms`,
    };
    if (this.trace.isEnabled) this.trace.line('note', message);
    const isSilent = stage === 'banner' && !this.hasReceived;
    this.failure ??= { kind: 'closed', message };
    this.socket.destroy();
    throw new SmtpFault(isSilent && (kind === 'closed' || kind === 'timeout') ? 'no_banner' : kind, stage, message);
  }

  /** Throws if the host has sent more replies than there were commands: then it is unclear what each of them answers. */
  assertInStep(stage: SmtpStage): void {
    if (!this.hasUnsolicited) return;
    const message = 'the host sent more replies than there were commands';
    this.fail('out_of_step', message);
    if (this.trace.isEnabled) this.trace.line('note', message);
    throw new SmtpFault('out_of_step', stage, message);
  }

  /** Continues over TLS, which `start` negotiates. */
  async secure(start: (plain: Socket) => Promise<Socket>): Promise<void> {
    // Plaintext after the reply to STARTTLS was injected (RFC 3207 §6).
    if (this.replies.length > 0) throw new SmtpFault('tls', 'starttls', 'plain text came before the TLS handshake');
    this.socket.off('data', this.onData).off('error', this.onError).off('close', this.onEnd).off('end', this.onEnd);
    this.socket = await start(this.socket);
    this.reader = new ReplyReader();
    this.trace.line('note', 'TLS is on');
    this.listen();
    // If the host hung up at the end of the handshake, the socket emitted its events before there were listeners.
    if (this.socket.destroyed) this.onEnd();
  }

  /** Called once, when the connection is lost or the host sends an unsolicited reply. */
  onLoss(listener: () => void): void {
    this.lossListener = listener;
    if (this.failure !== null) listener();
  }

  /** Sends QUIT and does not wait for the reply. */
  quit(): void {
    this.lossListener = null;
    if (this.failure !== null) return;
    this.failure = { kind: 'closed', message: 'we said QUIT' };
    const { socket } = this;
    socket.end('QUIT\r\n');
    // The process may exit before the host replies.
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
    this.hasReceived = true;
    const parsed = this.reader.push(chunk);
    this.replies.push(...parsed.replies);
    const { rejectedText } = this.reader;
    if (parsed.malformed)
      this.fail('malformed', `what the host sent is not SMTP${rejectedText === '' ? '' : `: "${rejectedText}"`}`);
    else if (this.replies.length > maxQueuedReplies)
      this.fail('out_of_step', 'the host sent too many unsolicited replies');
    else if (parsed.replies.length > 0) this.wake();
  };

  private readonly onError = (error: Error): void => this.fail('closed', `the connection broke: ${error.message}`);

  private readonly onEnd = (): void => this.fail('closed', 'the host closed the connection');

  private fail(kind: LossKind, message: string): void {
    // Replies beyond the number of commands answer none of them.
    if (kind !== 'closed') this.replies.splice(kind === 'malformed' ? this.outstanding : 0);
    if (this.failure === null) {
      this.failure = { kind, message };
      this.socket.destroy();
    }
    this.wake();
  }

  /** Whether there are more replies than commands. 421 needs no command. */
  private get hasUnsolicited(): boolean {
    const { replies, outstanding } = this;
    return replies.length > outstanding && !(replies.length === outstanding + 1 && replies[outstanding]?.code === 421);
  }

  /** A reply that came before its command would be taken for the answer to it. */
  private dropUnsolicited(): void {
    if (!this.hasUnsolicited) return;
    this.replies.length = this.outstanding;
    // After the first command it may be this session only: a fresh one is worth a try.
    this.fail(this.hasSent ? 'closed' : 'out_of_step', 'the host sent an unsolicited reply');
  }

  private wake(): void {
    if (this.waiter !== null) this.waiter();
    else this.lossListener?.();
  }

  private wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.waiter = null;
        resolve();
      };
      const cancel = this.clock.after(timeoutMs, finish);
      this.waiter = finish;
    });
  }

  private traceReply({ code, lines, lineCodes }: RawReply): void {
    for (const [index, line] of lines.entries())
      this.trace.line('host', `${lineCodes?.[index] ?? code}${index < lines.length - 1 ? '-' : ' '}${line}`);
  }
}
