import type { SmtpReply } from '../../model/evidence.js';
import type { Channel } from './connection.js';
import type { Target } from './dial.js';
import { SmtpFault } from './fault.js';
import { toReply } from './reply-parser.js';

/** One mailbox to ask for. */
export interface Recipient {
  /** As it goes on the wire, without angle brackets. */
  address: string;
  domain: string;
  smtputf8: boolean;
}

/** Which mailboxes may share a transaction. */
export type TransactionSharing = 'none' | 'own_domain' | 'all';

/** What stood first in the transaction of a mailbox: nothing before itself, or a mailbox of its own domain or of another. */
export type TransactionState = 'nothing' | 'own_domain' | 'other_domain';

/** Hands over the reply to the recipient at an index. */
type OnReply = (index: number, reply: SmtpReply, before: TransactionState) => void;

/** What a host said of itself in reply to EHLO. */
export interface EhloCapabilities {
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
  offer: EhloCapabilities;
  stepMs: number;
  /** Turns TLS on and says EHLO again; null where that was done, or tried in vain. */
  startTls: (() => Promise<EhloCapabilities | null>) | null;
}

interface Step {
  command: string;
  /** Index of the recipient; null for RSET and MAIL. */
  recipient: number | null;
  before: TransactionState;
}

/** A transaction that has begun, so that another one needs RSET. */
interface Transaction {
  sender: string;
  firstDomain: string;
  /** It holds mailboxes of several domains. */
  mixed: boolean;
  last: Recipient;
}

/** A greeted mail host. Only MAIL, RCPT and RSET are ever said to it. */
export class SmtpSession {
  readonly target: Target;
  readonly ourName: string;
  readonly ourIp: string;
  private readonly stepMs: number;
  private offer: EhloCapabilities;
  private startTls: Greeted['startTls'];
  private open: Transaction | null = null;

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

  /** Its transaction holds mailboxes of several domains. */
  get mixesDomains(): boolean {
    return this.open?.mixed === true;
  }

  /** False once the host has hung up or spoken unasked. */
  get usable(): boolean {
    return !this.channel.closed;
  }

  /**
   * Asks for all, in order; each reply is handed over as it comes. Throws an `SmtpFault` when some stay unanswered.
   */
  async ask(
    sender: string,
    recipients: readonly Recipient[],
    sharing: TransactionSharing,
    onReply: OnReply,
  ): Promise<void> {
    const left = new Map(recipients.entries());
    while (left.size > 0) {
      const stopped = await this.say(this.stepsFor(sender, left, sharing), (index, reply, before) => {
        left.delete(index);
        onReply(index, reply, before);
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
    if (offer === null) throw refusalFault(stopped);
    this.offer = offer;
    this.open = null;
  }

  /** `530 5.7.0 Must issue a STARTTLS command first`, also from hosts that did not offer it; the others say so in words. */
  private wantsTls({ code, text }: SmtpReply): boolean {
    return code === 530 || (code >= 400 && this.offer.starttls && /\b(?:start)?tls\b|\bssl\b|\bencrypt/i.test(text));
  }

  private stepsFor(sender: string, recipients: ReadonlyMap<number, Recipient>, sharing: TransactionSharing): Step[] {
    const steps: Step[] = [];
    for (const [index, recipient] of recipients) {
      const { domain } = recipient;
      const joined = this.openTo(sender, recipient, sharing);
      if (joined === null) {
        if (this.open !== null) steps.push({ command: 'RSET', recipient: null, before: 'nothing' });
        const utf8 = recipient.smtputf8 ? ' SMTPUTF8' : '';
        steps.push({ command: `MAIL FROM:<${sender}>${utf8}`, recipient: null, before: 'nothing' });
        this.open = { sender, firstDomain: domain, mixed: false, last: recipient };
      } else {
        this.open = { ...joined, mixed: joined.mixed || domain !== joined.firstDomain, last: recipient };
      }
      const before = joined === null ? 'nothing' : domain === joined.firstDomain ? 'own_domain' : 'other_domain';
      steps.push({ command: `RCPT TO:<${recipient.address}>`, recipient: index, before });
    }
    return steps;
  }

  /**
   * The open transaction where the mailbox may join it. One for many costs the host least: Postfix makes a file for each, and an idle
   * one holds each for a second (in_flow_delay). But Google takes one domain a transaction, and sendmail takes whomever it is told of
   * after one that is to be discarded.
   */
  private openTo(sender: string, { domain, smtputf8 }: Recipient, sharing: TransactionSharing): Transaction | null {
    const { open } = this;
    if (open === null || sharing === 'none' || !this.offer.pipelining || this.offer.sendmail) return null;
    if (open.sender !== sender || open.last.smtputf8 !== smtputf8) return null;
    return sharing === 'all' || (!open.mixed && domain === open.firstDomain) ? open : null;
  }

  /** Says the steps, all at once where the host takes that, and gives the reply that stopped them, if one did. */
  private async say(steps: Step[], onReply: OnReply): Promise<SmtpReply | null> {
    const { channel, stepMs, pipelining } = this;
    let stopped: SmtpReply | null = null;
    let inTransaction = this.open !== null;
    if (pipelining) channel.send(steps.map(({ command }) => command));
    for (const { command, recipient, before } of steps) {
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
      const reply = early === null ? await channel.receive(stage, stepMs) : toReply(stage, early);
      if (recipient !== null) {
        if (this.startTls !== null && this.wantsTls(reply)) stopped ??= reply;
        // What sendmail says of those behind the first means nothing, so they are asked for again.
        else if (before === 'nothing' || !this.offer.sendmail) onReply(recipient, reply, before);
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
export function refusalFault(reply: SmtpReply): SmtpFault {
  return new SmtpFault('reply', reply.stage, `${reply.code} ${reply.text}`, reply);
}
