import type { Socket } from 'node:net';
import type { Clock } from '../../async/clock.js';
import type { SmtpReply } from '../../model/evidence.js';
import { Channel, type Trace } from './connection.js';
import type { Dial, Target } from './dial.js';
import { SmtpFault } from './fault.js';
import { addressLiteral } from './identity.js';
import { type EhloCapabilities, refusalFault, SmtpSession } from './session.js';
import type { Tls } from './tls.js';

/** Timeouts of the connect, the whole banner, each reply, the reply to RCPT for a list, and everything up to the first RCPT. */
export interface SmtpTimeouts {
  connectMs: number;
  bannerMs: number;
  stepMs: number;
  listRcptMs: number;
  totalMs: number;
}

/** The callbacks of the session's owner. */
export interface SessionHooks {
  signal: AbortSignal;
  trace: Trace;
  /** Called when the connection is established; the promise resolves when it is closed. */
  onConnected?: (closed: Promise<void>) => void;
}

interface SessionOptions extends SessionHooks {
  dial: Dial;
  /** Null: the address literal of the connection. */
  ehloName: string | null;
  /** Null: never. */
  tls: Tls | null;
  timeouts: SmtpTimeouts;
  clock: Clock;
}

/** Node keeps one timer list for each duration: few different ones are cheaper. */
const timerGrainMs = 100;

/** Connects, reads the whole banner, sends EHLO, and starts TLS if wanted; retries without TLS if the handshake fails. */
export async function openSession(target: Target, options: SessionOptions): Promise<SmtpSession> {
  let closed: Promise<void> | undefined;
  const onConnected = (closedPromise: Promise<void>): void => {
    closed = closedPromise;
    options.onConnected?.(closedPromise);
  };
  try {
    return await greet(target, { ...options, onConnected });
  } catch (fault) {
    if (!(fault instanceof SmtpFault) || fault.kind !== 'tls' || options.signal.aborted) throw fault;
    options.trace.line('note', `${fault.message}; trying again without TLS`);
    // Wait until the first connection is closed: the host would count two.
    await closed;
    return greet(target, { ...options, tls: null });
  }
}

async function greet(target: Target, options: SessionOptions): Promise<SmtpSession> {
  const { timeouts, signal, trace, tls, clock } = options;
  const deadline = clock.elapsed() + timeouts.totalMs;
  const boundedMs = (ms: number) =>
    Math.max(1, Math.min(ms, Math.ceil((deadline - clock.elapsed()) / timerGrainMs) * timerGrainMs));
  trace.line('note', `connecting to ${target.host} [${target.ip}]:${target.port}`);
  const socket = await options.dial(target, boundedMs(timeouts.connectMs), signal);
  options.onConnected?.(whenClosed(socket));
  const channel = new Channel(socket, trace, clock);
  const onAbort = () => channel.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (tls?.isWantedFor(target)) tls.prepare(target);
    const banner = await channel.receive('banner', boundedMs(timeouts.bannerMs));
    if (banner.code !== 220) throw refusalFault(banner);
    const ourName = options.ehloName ?? addressLiteral(channel.localAddress);
    const stepMs = () => boundedMs(timeouts.stepMs);
    let capabilities = await sendEhlo(channel, ourName, stepMs);
    const sendmail = isSendmail(banner) || capabilities.sendmail;
    const usesTls = tls !== null && capabilities.starttls && tls.isWantedFor(target);
    if (usesTls) capabilities = (await startTls(channel, target, tls, ourName, stepMs)) ?? capabilities;
    // For hosts that require TLS only at RCPT.
    const startTlsOnDemand = async (onDemand: Tls) => {
      const secured = await startTls(channel, target, onDemand, ourName, () => timeouts.stepMs);
      if (secured !== null) onDemand.requireFor(target);
      return secured;
    };
    return new SmtpSession(channel, {
      target,
      ourName,
      capabilities: { ...capabilities, sendmail },
      stepMs: timeouts.stepMs,
      startTls: usesTls || tls === null ? null : () => startTlsOnDemand(tls),
    });
  } catch (error) {
    signal.removeEventListener('abort', onAbort);
    channel.quit();
    throw error;
  }
}

function whenClosed(socket: Socket): Promise<void> {
  return socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()));
}

async function sendEhlo(channel: Channel, ourName: string, stepMs: () => number): Promise<EhloCapabilities> {
  channel.send([`EHLO ${ourName}`]);
  const ehlo = await channel.receive('ehlo', stepMs());
  // A second banner would shift every reply by one.
  if (ehlo.code === 220) throw new SmtpFault('malformed', 'ehlo', 'the host sent a second banner');
  if (ehlo.code < 300) return parseCapabilities(ehlo);
  // Hosts older than RFC 1869 know only HELO.
  if (ehlo.code < 500 || ehlo.code > 504) throw refusalFault(ehlo);
  channel.send([`HELO ${ourName}`]);
  const helo = await channel.receive('ehlo', stepMs());
  if (helo.code >= 300) throw refusalFault(helo);
  return { pipelining: false, smtputf8: false, starttls: false, sendmail: false };
}

function parseCapabilities(reply: SmtpReply): EhloCapabilities {
  const keywords = ` ${reply.text.toUpperCase()} `;
  const has = (name: string) => keywords.includes(` ${name} `);
  return {
    pipelining: has('PIPELINING'),
    smtputf8: has('SMTPUTF8'),
    starttls: has('STARTTLS'),
    sendmail: isSendmail(reply),
  };
}

/** `220 mx.example.com ESMTP Sendmail 8.17.1/8.17.1; …`, `250-mx.example.com Hello … [192.0.2.1], pleased to meet you` */
function isSendmail({ text }: SmtpReply): boolean {
  return /\bsendmail\b|pleased to meet you/i.test(text);
}

/** The capabilities over TLS; null if the host offered STARTTLS and then refused it. */
async function startTls(
  channel: Channel,
  target: Target,
  tls: Tls,
  ourName: string,
  stepMs: () => number,
): Promise<EhloCapabilities | null> {
  channel.send(['STARTTLS']);
  const reply = await channel.receive('starttls', stepMs());
  if (reply.code !== 220) return null;
  await channel.secure((plain) => tls.start(plain, target, stepMs()));
  return sendEhlo(channel, ourName, stepMs).catch(asTlsFault);
}

/** With TLS 1.3 our side finishes the handshake first: a disconnect at our first command may mean that the host rejected it. */
function asTlsFault(error: unknown): never {
  const isDisconnect = error instanceof SmtpFault && error.kind === 'closed';
  throw isDisconnect ? new SmtpFault('tls', 'starttls', `TLS failed: ${error.message}`) : error;
}
