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

/** Hands over the reply to the recipient at an index; `shared`: it was not the first of its transaction. */
type OnReply = (index: number, reply: SmtpReply, shared: boolean) => void;

/** What a host said of itself in reply to EHLO. */
export interface Offer {
  pipelining: boolean;
  smtputf8: boolean;
  starttls: boolean;
  /** It is sendmail, by its own words. */
  sendmail: boolean;
}

/** How a session came to be. */
interface Greeted {
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
  shared: boolean;
}

/** A greeted mail host. Only MAIL, RCPT and RSET are ever said to it. */
export class SmtpSession {
  readonly target: Target;
  readonly ourName: string;
  readonly ourIp: string;
  private readonly stepMs: number;
  private offer: Offer;
  private startTls: Greeted['startTls'];
  /** The sender and the last recipient of the transaction that is open, so that another one needs RSET. */
  private open: { sender: string; last: Recipient } | null = null;

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

  /** The domain that it was last asked about; null before the first question. */
  get domain(): string | null {
    return this.open?.last.domain ?? null;
  }

  /** False once the host has hung up or spoken unasked. */
  get usable(): boolean {
    return !this.channel.closed;
  }

  /**
   * Asks for all, in order; each reply is handed over as it comes. `together`: mailboxes of a domain may share a transaction. Throws
   * an `SmtpFault` when some stay unanswered.
   */
  async ask(sender: string, recipients: readonly Recipient[], together: boolean, onReply: OnReply): Promise<void> {
    const left = new Map(recipients.entries());
    while (left.size > 0) {
      const stopped = await this.say(this.stepsFor(sender, left, together), (index, reply, shared) => {
        left.delete(index);
        onReply(index, reply, shared);
      });
      if (stopped !== null) await this.secure(stopped);
    }
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

  /** The host wants TLS before it answers; whatever else stopped the questions ends the session. */
  private async secure(stopped: SmtpReply): Promise<void> {
    const { startTls } = this;
    this.startTls = null;
    const offer = startTls !== null && this.wantsTls(stopped) ? await startTls() : null;
    if (offer === null) throw refusal(stopped);
    this.offer = offer;
    this.open = null;
  }

  /** `530 5.7.0 Must issue a STARTTLS command first`, also from hosts that did not offer it; the others say so in words. */
  private wantsTls({ code, text }: SmtpReply): boolean {
    return code === 530 || (code >= 400 && this.offer.starttls && /\b(?:start)?tls\b|\bssl\b|\bencrypt/i.test(text));
  }

  private stepsFor(sender: string, recipients: ReadonlyMap<number, Recipient>, together: boolean): Step[] {
    const steps: Step[] = [];
    for (const [index, recipient] of recipients) {
      const shared = together && this.mayJoin(sender, recipient);
      if (!shared) {
        if (this.open !== null) steps.push({ command: 'RSET', recipient: null, shared });
        const utf8 = recipient.smtputf8 ? ' SMTPUTF8' : '';
        steps.push({ command: `MAIL FROM:<${sender}>${utf8}`, recipient: null, shared });
      }
      this.open = { sender, last: recipient };
      steps.push({ command: `RCPT TO:<${recipient.address}>`, recipient: index, shared });
    }
    return steps;
  }

  /**
   * One transaction for many costs the host least: an idle Postfix holds each new one for a second (in_flow_delay). But Google takes
   * one domain a transaction, and sendmail takes whomever it is told of after one that is to be discarded.
   */
  private mayJoin(sender: string, { domain, smtputf8 }: Recipient): boolean {
    if (this.open === null || !this.offer.pipelining || this.offer.sendmail) return false;
    const { last } = this.open;
    return this.open.sender === sender && last.domain === domain && last.smtputf8 === smtputf8;
  }

  /** Says the steps, all at once where the host takes that, and gives the reply that stopped them, if one did. */
  private async say(steps: Step[], onReply: OnReply): Promise<SmtpReply | null> {
    const { channel, stepMs, pipelining } = this;
    let stopped: SmtpReply | null = null;
    let inTransaction = this.open !== null;
    if (pipelining) channel.send(steps.map(({ command }) => command));
    for (const { command, recipient, shared } of steps) {
      if (recipient !== null && !inTransaction) {
        // Pipelined behind a refused MAIL: the host answers 503, which is about nothing.
        if (pipelining) await channel.receive('rcpt', stepMs);
        continue;
      }
      if (!pipelining) channel.send([command]);
      const stage = recipient === null ? 'mail' : 'rcpt';
      const early = channel.received();
      // Most of what is said is "ok" to a sender: it need not be read in full.
      if (early !== null && early.code < 300 && recipient === null) {
        inTransaction = true;
        this.recogniseSendmail(early.lines[0] ?? '');
        continue;
      }
      const reply = early === null ? await channel.receive(stage, stepMs) : asReply(stage, early);
      if (recipient !== null) {
        if (this.startTls !== null && this.wantsTls(reply)) stopped ??= reply;
        // What sendmail says of those behind the first means nothing, so they are asked for again.
        else if (!(shared && this.offer.sendmail)) onReply(recipient, reply, shared);
      } else if (command !== 'RSET') {
        inTransaction = reply.code < 300;
        if (!inTransaction) stopped ??= reply;
        else this.recogniseSendmail(reply.text);
      }
    }
    if (!inTransaction) this.open = null;
    return stopped;
  }

  /** It says `250 2.1.0 <>... Sender ok` even where its banner was changed. */
  private recogniseSendmail(text: string): void {
    if (text.endsWith('... Sender ok')) this.offer.sendmail = true;
  }
}

/** The reply as the end of a dialogue. */
export function refusal(reply: SmtpReply): SmtpFault {
  return new SmtpFault('reply', reply.stage, `${reply.code} ${reply.text}`, reply);
}
