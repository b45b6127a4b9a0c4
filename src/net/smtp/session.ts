import { afterIo } from '../../async/yield-to-io.js';
import type { SmtpReply } from '../../model/evidence.js';
import type { Channel } from './connection.js';
import type { Target } from './dial.js';
import { SmtpFault } from './fault.js';

/** One mailbox to ask for. */
export interface Recipient {
  /** As sent in RCPT, without angle brackets. */
  address: string;
  domain: string;
  smtputf8: boolean;
}

/** Which mailboxes may share a transaction. */
export type TransactionSharing = 'none' | 'own_domain' | 'all';

/** What precedes a recipient in its transaction: nothing, or a recipient of the same domain or of another. */
export type TransactionState = 'nothing' | 'own_domain' | 'other_domain';

/** The callbacks of an exchange. */
interface ExchangeHooks {
  /** Called with the reply for the recipient at an index. */
  onReply(index: number, reply: SmtpReply, preceding: TransactionState): void;
  /** Called when no further reply has arrived yet. */
  onWait(): void;
  /** How long to wait for the reply to RCPT; by default as for every command. */
  rcptMs?: number;
}

/** The capabilities that a host announced in reply to EHLO. */
export interface EhloCapabilities {
  pipelining: boolean;
  smtputf8: boolean;
  starttls: boolean;
  /** Whether the host identifies as sendmail. */
  sendmail: boolean;
}

/** The result of the greeting. */
interface GreetedHost {
  target: Target;
  ourName: string;
  capabilities: EhloCapabilities;
  stepMs: number;
  /** Starts TLS and sends EHLO again; null if that was done or failed. */
  startTls: (() => Promise<EhloCapabilities | null>) | null;
}

interface Step {
  command: string;
  /** Index of the recipient; null for RSET and MAIL. */
  recipient: number | null;
  preceding: TransactionState;
}

/** An open transaction: the next one needs RSET. */
interface Transaction {
  sender: string;
  firstDomain: string;
  /** Whether it has recipients of several domains. */
  isMixed: boolean;
  last: Recipient;
}

/** A greeted mail host. Only MAIL, RCPT and RSET are sent to it. */
export class SmtpSession {
  readonly target: Target;
  readonly ourName: string;
  readonly ourIp: string;
  private readonly stepMs: number;
  private capabilities: EhloCapabilities;
  private startTls: GreetedHost['startTls'];
  private transaction: Transaction | null = null;

  constructor(
    private readonly channel: Channel,
    { target, ourName, capabilities, stepMs, startTls }: GreetedHost,
  ) {
    this.target = target;
    this.ourName = ourName;
    this.ourIp = channel.localAddress;
    this.capabilities = capabilities;
    this.stepMs = stepMs;
    this.startTls = startTls;
  }

  get pipelining(): boolean {
    return this.capabilities.pipelining;
  }

  /** Waits for each reply from now on. */
  disablePipelining(): void {
    this.capabilities = { ...this.capabilities, pipelining: false };
  }

  get smtputf8(): boolean {
    return this.capabilities.smtputf8;
  }

  /** The domain of the last recipient; null before the first one. */
  get domain(): string | null {
    return this.transaction?.last.domain ?? null;
  }

  /** Whether the open transaction has recipients of several domains. */
  get mixesDomains(): boolean {
    return this.transaction?.isMixed === true;
  }

  /** False after a disconnect or an unsolicited reply. */
  get isUsable(): boolean {
    return !this.channel.isClosed;
  }

  /**
   * Asks for all recipients in order and calls `onReply` for each reply. Throws an `SmtpFault` when some stay unanswered.
   */
  async ask(
    sender: string,
    recipients: readonly Recipient[],
    sharing: TransactionSharing,
    hooks: ExchangeHooks,
  ): Promise<void> {
    const unanswered = new Map(recipients.entries());
    const ownHooks: ExchangeHooks = {
      ...hooks,
      onReply(index, reply, preceding) {
        unanswered.delete(index);
        hooks.onReply(index, reply, preceding);
      },
    };
    while (unanswered.size > 0) {
      const stopReply = await this.send(this.stepsFor(sender, unanswered, sharing), ownHooks);
      if (stopReply !== null) await this.startTlsAfter(stopReply);
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

  /** Starts TLS if the host requires it; any other reply that stopped the commands ends the session. */
  private async startTlsAfter(stopReply: SmtpReply): Promise<void> {
    const { startTls } = this;
    this.startTls = null;
    const capabilities = startTls !== null && this.wantsTls(stopReply) ? await startTls() : null;
    if (capabilities === null) throw refusalFault(stopReply);
    this.capabilities = capabilities;
    this.transaction = null;
  }

  /** `530 5.7.0 Must issue a STARTTLS command first`, also from hosts that did not offer it; others say so in words. */
  private wantsTls({ code, text }: SmtpReply): boolean {
    // An echoed address may contain such a word.
    const words = text.replace(/\S+@\S+/g, '');
    return (
      code === 530 || (code >= 400 && this.capabilities.starttls && /\b(?:start)?tls\b|\bssl\b|\bencrypt/i.test(words))
    );
  }

  private stepsFor(sender: string, recipients: ReadonlyMap<number, Recipient>, sharing: TransactionSharing): Step[] {
    const steps: Step[] = [];
    for (const [index, recipient] of recipients) {
      const { domain } = recipient;
      const joined = this.joinableTransaction(sender, recipient, sharing);
      if (joined === null) {
        if (this.transaction !== null) steps.push({ command: 'RSET', recipient: null, preceding: 'nothing' });
        const utf8 = recipient.smtputf8 ? ' SMTPUTF8' : '';
        steps.push({ command: `MAIL FROM:<${sender}>${utf8}`, recipient: null, preceding: 'nothing' });
        this.transaction = { sender, firstDomain: domain, isMixed: false, last: recipient };
      } else {
        this.transaction = { ...joined, isMixed: joined.isMixed || domain !== joined.firstDomain, last: recipient };
      }
      const preceding = joined === null ? 'nothing' : domain === joined.firstDomain ? 'own_domain' : 'other_domain';
      steps.push({ command: `RCPT TO:<${recipient.address}>`, recipient: index, preceding });
    }
    return steps;
  }

  /**
   * The open transaction if the recipient may join it. One transaction for many costs least: Postfix creates a queue file for each,
   * and delays each for a second when idle (in_flow_delay). But Google accepts one domain per transaction, and sendmail accepts every
   * recipient that follows one it discards.
   */
  private joinableTransaction(
    sender: string,
    { domain, smtputf8 }: Recipient,
    sharing: TransactionSharing,
  ): Transaction | null {
    const { transaction } = this;
    if (transaction === null || sharing === 'none' || !this.capabilities.pipelining || this.capabilities.sendmail)
      return null;
    if (transaction.sender !== sender || transaction.last.smtputf8 !== smtputf8) return null;
    return sharing === 'all' || (!transaction.isMixed && domain === transaction.firstDomain) ? transaction : null;
  }

  /** Sends the steps, pipelined if the host offers that; returns the reply that stopped them, if any. */
  private async send(steps: Step[], hooks: ExchangeHooks): Promise<SmtpReply | null> {
    const { onReply, onWait, rcptMs = this.stepMs } = hooks;
    const { channel, stepMs, pipelining } = this;
    let stopReply: SmtpReply | null = null;
    let inTransaction = this.transaction !== null;
    if (pipelining) channel.send(steps.map(({ command }) => command));
    for (const [index, { command, recipient, preceding }] of steps.entries()) {
      if (recipient !== null && !inTransaction) {
        // Pipelined after a refused MAIL: the host answers 503, which says nothing.
        if (pipelining) await channel.receive('rcpt', stepMs);
        continue;
      }
      if (!pipelining) channel.send([command]);
      const stage = recipient === null ? 'mail' : 'rcpt';
      if (!channel.hasReply) onWait();
      const reply = await channel.receive(stage, recipient === null ? stepMs : rcptMs);
      // Read the rest of the same packet first: an extra reply means that the host is out of step.
      if (index === steps.length - 1) await afterIo();
      if (recipient !== null) {
        channel.assertInStep(stage);
        if (this.startTls !== null && this.wantsTls(reply)) stopReply ??= reply;
        // Replies of sendmail after the first recipient mean nothing, so these recipients are probed again.
        else if (preceding === 'nothing' || !this.capabilities.sendmail) onReply(recipient, reply, preceding);
      } else if (command !== 'RSET') {
        inTransaction = reply.code < 300;
        if (!inTransaction) stopReply ??= reply;
        // Sendmail replies `250 2.1.0 <>... Sender ok` even if its banner was changed.
        else if (reply.text.endsWith('... Sender ok')) this.capabilities.sendmail = true;
      }
    }
    if (!inTransaction) this.transaction = null;
    return stopReply;
  }
}

/** The fault for a reply that ends the dialogue. */
export function refusalFault(reply: SmtpReply): SmtpFault {
  return new SmtpFault('reply', reply.stage, `${reply.code} ${reply.text}`, reply);
}
