import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Clock } from '../../src/async/clock.js';
import type { Dial, Target } from '../../src/net/smtp/dial.js';
import { SmtpFault } from '../../src/net/smtp/fault.js';

/** How a mail host behaves at one moment. */
export interface HostBehavior {
  /** How a connection fails; null: it succeeds. */
  connect: 'refused' | 'timeout' | null;
  /** Without CR LF. */
  banner: string;
  bannerDelayMs?: number;
  /** The reply and its delay; null: the host disconnects. */
  rcpt(address: string, nth: number): { reply: string | null; delayMs?: number };
  /** More connections than that are refused with 421. */
  maxConnections?: number;
}

const latencyMs = 30;

/** Dials hosts that are functions: there is no socket, and all time is that of the clock. */
export function scriptedDial(clock: Clock, behaviorOf: (target: Target) => HostBehavior): Dial {
  const open = new Map<string, number>();
  return (target, timeoutMs, signal) =>
    new Promise((resolve, reject) => {
      const behavior = behaviorOf(target);
      const { connect } = behavior;
      const failed = connect === 'timeout' ? 'connect_timeout' : 'refused';
      const onAbort = () => {
        cancel();
        reject(new SmtpFault('closed', 'connect', 'interrupted'));
      };
      const cancel = clock.after(connect === 'timeout' ? timeoutMs : latencyMs, () => {
        signal.removeEventListener('abort', onAbort);
        if (connect !== null) return reject(new SmtpFault(failed, 'connect', connect));
        const count = (open.get(target.ip) ?? 0) + 1;
        open.set(target.ip, count);
        const isFull = count > (behavior.maxConnections ?? Number.POSITIVE_INFINITY);
        const socket = new ScriptedSocket(clock, isFull ? { ...behavior, banner: '421 4.7.0 too many' } : behavior);
        socket.once('close', () => {
          const remaining = (open.get(target.ip) ?? 1) - 1;
          if (remaining > 0) open.set(target.ip, remaining);
          else open.delete(target.ip);
        });
        resolve(socket as unknown as Socket);
      });
      signal.addEventListener('abort', onAbort, { once: true });
    });
}

/** The part of a socket that a session uses. */
class ScriptedSocket extends EventEmitter {
  readonly localAddress = '192.0.2.99';
  closed = false;
  private asked = 0;
  private readyAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly behavior: HostBehavior,
  ) {
    super();
    this.readyAt = clock.elapsed();
    this.say(`${behavior.banner}\r\n`, latencyMs + (behavior.bannerDelayMs ?? 0));
  }

  write(text: string): void {
    let replies = '';
    let delayMs = latencyMs;
    for (const command of text.split('\r\n')) {
      const { reply, delayMs: more = 0 } = this.answer(command);
      if (reply === null) {
        this.say(replies, delayMs, true);
        return;
      }
      if (more > 0 && replies !== '') {
        this.say(replies, delayMs);
        replies = '';
        delayMs = 0;
      }
      delayMs += more;
      if (reply !== '') replies += `${reply}\r\n`;
    }
    this.say(replies, delayMs);
  }

  end(text: string): void {
    this.say(text === 'QUIT\r\n' ? '221 bye\r\n' : '', latencyMs, true);
  }

  destroy(): void {
    if (this.closed) return;
    this.closed = true;
    queueMicrotask(() => this.emit('close'));
  }

  unref(): void {}

  private answer(command: string): { reply: string | null; delayMs?: number } {
    if (command === '') return { reply: '' };
    if (command.startsWith('EHLO')) return { reply: '250-mx\r\n250 PIPELINING' };
    if (!command.startsWith('RCPT')) return { reply: '250 2.0.0 ok' };
    return this.behavior.rcpt(command.slice('RCPT TO:<'.length, -1), ++this.asked);
  }

  /** Replies in order, whatever the delay of each. */
  private say(text: string, delayMs: number, hangsUp = false): void {
    this.readyAt = Math.max(this.readyAt, this.clock.elapsed()) + delayMs;
    this.clock.after(this.readyAt - this.clock.elapsed(), () => {
      if (this.closed) return;
      if (text !== '') this.emit('data', Buffer.from(text));
      if (hangsUp) this.destroy();
    });
  }
}
