import type { SmtpReply } from '../../model/evidence.js';
import { type Channel, openChannel, type Trace } from './connection.js';
import type { Dial, Target } from './dial.js';
import { SmtpFault } from './fault.js';
import { addressLiteral } from './identity.js';
import { asReply } from './reply-parser.js';

/** Deadlines: of the connect, of the whole banner, of each reply, and of all it takes until the first RCPT. */
export interface SmtpTimeouts {
  connectMs: number;
  bannerMs: number;
  stepMs: number;
  totalMs: number;
}

export interface SessionOptions {
  dial: Dial;
  /** Null: the address literal of the connection. */
  ehloName: string | null;
  tls: 'opportunistic' | 'never';
  timeouts: SmtpTimeouts;
  signal: AbortSignal;
  trace: Trace;
  /** Told as soon as the connection stands. */
  onConnected?: () => void;
}

/** One mailbox to ask for. */
export interface Recipient {
  /** As it goes on the wire, without angle brackets. */
  address: string;
  domain: string;
  smtputf8: boolean;
}

/** A greeted mail host. Only MAIL, RCPT and RSET are ever said to it. */
export interface SmtpSession {
  readonly target: Target;
  readonly ourName: string;
  readonly ourIp: string;
  readonly pipelining: boolean;
  readonly smtputf8: boolean;
  /** False once the host has hung up or spoken unasked. */
  readonly usable: boolean;
  /** Asks for all, in order; each reply is handed over as it comes. Throws an `SmtpFault` when some stay unanswered. */
  ask(
    sender: string,
    recipients: readonly Recipient[],
    onReply: (index: number, reply: SmtpReply) => void,
  ): Promise<void>;
  onLoss(listener: () => void): void;
  quit(): void;
  destroy(): void;
}

/** Node keeps a list for each duration, so few different ones are cheaper. */
const timerGrainMs = 100;

/** Connects, waits for the whole banner, says EHLO, and turns TLS on where offered; where TLS breaks, once more without it. */
export async function openSession(target: Target, options: SessionOptions): Promise<SmtpSession> {
  try {
    return await greet(target, options);
  } catch (fault) {
    if (!(fault instanceof SmtpFault) || fault.kind !== 'tls' || options.signal.aborted) throw fault;
    options.trace.line('note', `${fault.message}; trying again without TLS`);
    return greet(target, { ...options, tls: 'never' });
  }
}

async function greet(target: Target, options: SessionOptions): Promise<SmtpSession> {
  const { timeouts, signal, trace } = options;
  const endsAt = performance.now() + timeouts.totalMs;
  const within = (ms: number) =>
    Math.max(1, Math.min(ms, Math.ceil((endsAt - performance.now()) / timerGrainMs) * timerGrainMs));
  trace.line('note', `connecting to ${target.host} [${target.ip}]:${target.port}`);
  const socket = await options.dial(target, within(timeouts.connectMs), signal);
  options.onConnected?.();
  const channel = openChannel(socket, trace);
  const onAbort = () => channel.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const banner = await channel.receive('banner', within(timeouts.bannerMs));
    if (banner.code !== 220) throw refusal(banner);
    const ourName = options.ehloName ?? addressLiteral(channel.localAddress);
    let extensions = await sayHello(channel, ourName, () => within(timeouts.stepMs));
    const offered = options.tls !== 'never' && extensions.has('STARTTLS');
    const triedTls = offered || options.tls === 'never';
    if (offered && (await startTls(channel, target.host, () => within(timeouts.stepMs)))) {
      extensions = await sayHello(channel, ourName, () => within(timeouts.stepMs)).catch(brokenTls);
    }
    return sessionOver(channel, { target, ourName, extensions, triedTls, options });
  } catch (error) {
    signal.removeEventListener('abort', onAbort);
    channel.quit();
    throw error;
  }
}

async function sayHello(channel: Channel, ourName: string, stepMs: () => number): Promise<Set<string>> {
  channel.send([`EHLO ${ourName}`]);
  const ehlo = await channel.receive('ehlo', stepMs());
  // The rest of a broken banner: with it, every reply would answer the command before.
  if (ehlo.code === 220) throw new SmtpFault('malformed', 'ehlo', 'the host said a second banner');
  if (ehlo.code < 300) return extensionsIn(ehlo);
  // Hosts from before RFC 1869 know only HELO.
  if (ehlo.code < 500 || ehlo.code > 504) throw refusal(ehlo);
  channel.send([`HELO ${ourName}`]);
  const helo = await channel.receive('ehlo', stepMs());
  if (helo.code >= 300) throw refusal(helo);
  return new Set();
}

function extensionsIn(reply: SmtpReply): Set<string> {
  return new Set(
    ['PIPELINING', 'SMTPUTF8', 'STARTTLS'].filter((name) => ` ${reply.text.toUpperCase()} `.includes(` ${name} `)),
  );
}

/** False where the host offered TLS and then took it back. */
async function startTls(channel: Channel, host: string, stepMs: () => number): Promise<boolean> {
  channel.send(['STARTTLS']);
  const reply = await channel.receive('starttls', stepMs());
  if (reply.code !== 220) return false;
  await channel.secure(host, stepMs());
  return true;
}

/** With TLS 1.3 we are done with the handshake before the host is: a hang-up at our first word may be its no to it. */
function brokenTls(error: unknown): never {
  const hungUp = error instanceof SmtpFault && error.kind === 'closed';
  throw hungUp ? new SmtpFault('tls', 'starttls', `TLS failed: ${error.message}`) : error;
}

function refusal(reply: SmtpReply): SmtpFault {
  return new SmtpFault('reply', reply.stage, `${reply.code} ${reply.text}`, reply);
}

interface Step {
  command: string;
  /** Index of the recipient; null for RSET and MAIL. */
  recipient: number | null;
}

interface Greeted {
  target: Target;
  ourName: string;
  extensions: Set<string>;
  triedTls: boolean;
  options: SessionOptions;
}

function sessionOver(channel: Channel, { target, ourName, extensions, triedTls, options }: Greeted): SmtpSession {
  const { stepMs } = options.timeouts;
  let open = false;
  let pipelining = extensions.has('PIPELINING');
  let smtputf8 = extensions.has('SMTPUTF8');
  let tlsDone = triedTls;

  /**
   * Each mailbox in a transaction of its own, though that costs round trips where commands cannot be pipelined: Google takes one
   * domain a transaction, a bounce has one recipient, and sendmail takes whomever it is told of after one that is to be discarded.
   */
  function stepsFor(sender: string, recipients: readonly Recipient[]): Step[] {
    return recipients.flatMap(({ address, smtputf8: utf8 }, index) => {
      const steps: Step[] = open ? [{ command: 'RSET', recipient: null }] : [];
      open = true;
      steps.push({ command: `MAIL FROM:<${sender}>${utf8 ? ' SMTPUTF8' : ''}`, recipient: null });
      steps.push({ command: `RCPT TO:<${address}>`, recipient: index });
      return steps;
    });
  }

  /** Says the steps, all at once where the host takes that, and gives the reply that stopped them, if one did. */
  async function say(steps: Step[], onReply: (index: number, reply: SmtpReply) => void): Promise<SmtpReply | null> {
    let stopped: SmtpReply | null = null;
    let inTransaction = open;
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
        if (reply.code === 530 && !tlsDone) stopped ??= reply;
        else onReply(recipient, reply);
      } else if (command !== 'RSET') {
        inTransaction = reply.code < 300;
        if (!inTransaction) stopped ??= reply;
      }
    }
    if (!inTransaction) open = false;
    return stopped;
  }

  async function ask(
    sender: string,
    recipients: readonly Recipient[],
    onReply: (index: number, reply: SmtpReply) => void,
  ): Promise<void> {
    const answered = new Set<number>();
    const stopped = await say(stepsFor(sender, recipients), (index, reply) => {
      answered.add(index);
      onReply(index, reply);
    });
    if (stopped === null) return;
    if (stopped.code !== 530 || tlsDone) throw refusal(stopped);
    // `530 5.7.0 Must issue a STARTTLS command first` from a host that did not offer it in EHLO.
    tlsDone = true;
    if (!(await startTls(channel, target.host, () => stepMs))) throw refusal(stopped);
    const again = await sayHello(channel, ourName, () => stepMs);
    pipelining = again.has('PIPELINING');
    smtputf8 = again.has('SMTPUTF8');
    open = false;
    const rest = [...recipients.keys()].filter((index) => !answered.has(index));
    const left = rest.flatMap((index) => recipients[index] ?? []);
    await ask(sender, left, (index, reply) => onReply(rest[index] ?? 0, reply));
  }

  return {
    target,
    ourName,
    ourIp: channel.localAddress,
    get pipelining() {
      return pipelining;
    },
    get smtputf8() {
      return smtputf8;
    },
    get usable() {
      return !channel.closed;
    },
    ask,
    onLoss: (listener) => channel.onLoss(listener),
    quit: () => channel.quit(),
    destroy: () => channel.destroy(),
  };
}
