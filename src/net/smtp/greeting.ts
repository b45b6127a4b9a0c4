import type { SmtpReply } from '../../model/evidence.js';
import { Channel } from './connection.js';
import type { Dial, Target } from './dial.js';
import { SmtpFault } from './fault.js';
import { addressLiteral } from './identity.js';

/** The progress of a greeting, and the replies of the host. */
export interface Greeting {
  target: Target;
  connected: boolean;
  banner: SmtpReply | null;
  /** Null if the banner refused us, or no reply came. */
  ehlo: SmtpReply | null;
  /** Our address of the connection; null if there was none. */
  ourIp: string | null;
  /** Why it ended early; null if both replies came. */
  fault: SmtpFault | null;
  /** Milliseconds until the banner, or until the fault. */
  elapsedMs: number;
}

interface GreetingOptions {
  dial: Dial;
  /** Null: the address literal of the connection. */
  ehloName: string | null;
  /** The timeout of each step: connecting, the banner and the answer to EHLO. */
  timeoutMs: number;
  signal: AbortSignal;
}

const noTrace = { isEnabled: false, line() {} };

/** Connects, reads the banner, and sends only EHLO and QUIT. Throws only when aborted. */
export async function greetHost(target: Target, options: GreetingOptions): Promise<Greeting> {
  const { signal, timeoutMs } = options;
  const startedAt = performance.now();
  const nothing = { banner: null, ehlo: null, ourIp: null, fault: null };
  const greeting: Greeting = { target, connected: false, ...nothing, elapsedMs: 0 };
  const stopTimer = () => {
    greeting.elapsedMs = Math.round(performance.now() - startedAt);
  };
  try {
    const channel = new Channel(await options.dial(target, timeoutMs, signal), noTrace);
    greeting.connected = true;
    greeting.ourIp = channel.localAddress;
    const onAbort = () => channel.destroy();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      greeting.banner = await channel.receive('banner', timeoutMs);
      stopTimer();
      if (greeting.banner.code === 220) {
        channel.send([`EHLO ${options.ehloName ?? addressLiteral(channel.localAddress)}`]);
        greeting.ehlo = await channel.receive('ehlo', timeoutMs);
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      channel.quit();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SmtpFault)) throw error;
    greeting.fault = error;
    if (greeting.banner === null) stopTimer();
  }
  signal.throwIfAborted();
  return greeting;
}
