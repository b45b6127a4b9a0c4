import type { SmtpReply } from '../../model/evidence.js';
import type { Channel } from './connection.js';
import type { Target } from './dial.js';
import { SmtpFault } from './fault.js';
import { asReply } from './reply-parser.js';

/** One mailbox to ask for. */
export interface Recipient {
  /** As it goes on the wire, without angle brackets. */
  address: string;
  domain: string;
  smtputf8: boolean;
}

/** Hands over the reply to the recipient at an index. */
export type OnReply = (index: number, reply: SmtpReply) => void;

/** What a host said of itself in reply to EHLO. */
export interface Offer {
  pipelining: boolean;
  smtputf8: boolean;
  starttls: boolean;
}

/** How a session came to be. */
export interface Greeted {
  target: Target;
  ourName: string;
  offer: Offer;
  stepMs: number;
  /** Turns TLS on and says EHLO again; null where that was done, or tried in vain. */
  startTls: (() => Promise<Offer | null>) | null;
}

interface Step {
  command: string;
  /** Index of the recipient; null for RSET and MAIL. */
  recipient: number | null;
}

/** A greeted mail host. Only MAIL, RCPT and RSET are ever said to it. */
export class SmtpSession {
  readonly target: Target;
  readonly ourName: string;
  readonly ourIp: string;
  private readonly stepMs: number;
  private offer: Offer;
  private startTls: Greeted['startTls'];
  /** A transaction is open, so that the next one needs RSET. */
  private open = false;

  constructor(
    private readonly channel: Channel,
    { target, ourName, offer, stepMs, startTls }: Greeted,
  ) {
    this.target = target;
    this.ourName = ourName;
    this.ourIp = channel.localAddress;
    this.offer = offer;
    this.stepMs = stepMs;
    this.startTls = startTls;
  }

  get pipelining(): boolean {
    return this.offer.pipelining;
  }

  get smtputf8(): boolean {
    return this.offer.smtputf8;
  }

  /** False once the host has hung up or spoken unasked. */
  get usable(): boolean {
    return !this.channel.closed;
  }

  /** Asks for all, in order; each reply is handed over as it comes. Throws an `SmtpFault` when some stay unanswered. */
  async ask(sender: string, recipients: readonly Recipient[], onReply: OnReply): Promise<void> {
    const answered = new Set<number>();
    const stopped = await this.say(this.stepsFor(sender, recipients), (index, reply) => {
      answered.add(index);
      onReply(index, reply);
    });
    if (stopped === null) return;
    if (stopped.code !== 530 || this.startTls === null) throw refusal(stopped);
    // `530 5.7.0 Must issue a STARTTLS command first`
    const { startTls } = this;
    this.startTls = null;
    const offer = await startTls();
    if (offer === null) throw refusal(stopped);
    this.offer = offer;
    this.open = false;
    const rest = [...recipients.keys()].filter((index) => !answered.has(index));
    const left = rest.flatMap((index) => recipients[index] ?? []);
    await this.ask(sender, left, (index, reply) => onReply(rest[index] ?? 0, reply));
  }

  onLoss(listener: () => void): void {
    this.channel.onLoss(listener);
  }

  quit(): void {
    this.channel.quit();
  }

  destroy(): void {
    this.channel.destroy();
  }

  /**
   * Each mailbox in a transaction of its own, though that costs round trips where commands cannot be pipelined: Google takes one
   * domain a transaction, a bounce has one recipient, and sendmail takes whomever it is told of after one that is to be discarded.
   */
  private stepsFor(sender: string, recipients: readonly Recipient[]): Step[] {
    return recipients.flatMap(({ address, smtputf8: utf8 }, index) => {
      const steps: Step[] = this.open ? [{ command: 'RSET', recipient: null }] : [];
      this.open = true;
      steps.push({ command: `MAIL FROM:<${sender}>${utf8 ? ' SMTPUTF8' : ''}`, recipient: null });
      steps.push({ command: `RCPT TO:<${address}>`, recipient: index });
      return steps;
    });
  }

  /** Says the steps, all at once where the host takes that, and gives the reply that stopped them, if one did. */
  private async say(steps: Step[], onReply: OnReply): Promise<SmtpReply | null> {
    const { channel, stepMs, pipelining } = this;
    let stopped: SmtpReply | null = null;
    let inTransaction = this.open;
    if (pipelining) channel.send(steps.map(({ command }) => command));
    for (const { command, recipient } of steps) {
      if (recipient !== null && !inTransaction) {
        // Pipelined behind a refused MAIL: the host answers 503, which is about nothing.
        if (pipelining) await channel.receive('rcpt', stepMs);
        continue;
      }
      if (!pipelining) channel.send([command]);
      const stage = recipient === null ? 'mail' : 'rcpt';
      const early = channel.received();
      if (early !== null && early.code < 300 && recipient === null) {
        inTransaction = true;
        continue;
      }
      const reply = early === null ? await channel.receive(stage, stepMs) : asReply(stage, early);
      if (recipient !== null) {
        if (reply.code === 530 && this.startTls !== null) stopped ??= reply;
        else onReply(recipient, reply);
      } else if (command !== 'RSET') {
        inTransaction = reply.code < 300;
        if (!inTransaction) stopped ??= reply;
      }
    }
    if (!inTransaction) this.open = false;
    return stopped;
  }
}

/** The reply as the end of a dialogue. */
export function refusal(reply: SmtpReply): SmtpFault {
  return new SmtpFault('reply', reply.stage, `${reply.code} ${reply.text}`, reply);
}
