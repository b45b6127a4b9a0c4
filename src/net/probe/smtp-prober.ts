import { type Clock, systemClock } from '../../async/clock.js';
import type { TraitsOf } from '../pool/host-traits.js';
import { SessionPool } from '../pool/pool.js';
import { createPortStatus, type PortFinding, type PortStatus } from '../pool/port25-status.js';
import type { UserRule } from '../replies/match-phrase.js';
import { chooseDial, type Dial, type OutboundRoute } from '../smtp/dial.js';
import { checkIdentity, ownEhloName, sendersFor } from '../smtp/identity.js';
import type { SmtpTimeouts } from '../smtp/open-session.js';
import type { TlsPolicy } from '../smtp/tls.js';
import { ControlMailboxes } from './control-mailboxes.js';
import { withGreylistRetry } from './greylist-retry.js';
import { InFlightProbes } from './in-flight-probes.js';
import { MailboxProbe, wireForm } from './mailbox-probe.js';
import { unprobeable } from './probe-evidence.js';
import type { ProbeAnswer, ProbeRequest, Prober } from './prober.js';

/** Sessions at a time over all hosts, by default. */
export const defaultSessions = 100;

export interface SmtpProberOptions extends OutboundRoute {
  /** Default: the full name of this machine, or the address literal of each connection. */
  ehloName?: string | null;
  /** Default: the null sender; see `sendersFor`. */
  mailFrom?: string | null;
  port?: number;
  timeouts?: Partial<SmtpTimeouts>;
  /** Connect timeout until the first connection stands. */
  firstConnectMs?: number;
  /** Sessions at a time, over all hosts. */
  concurrency?: number;
  /** How long an idle session is kept open. */
  lingerMs?: number;
  /** The first backoff after a host asked us to slow down; it doubles. */
  backoffMs?: number;
  /** When to use STARTTLS; by default where the host offers it. */
  tls?: TlsPolicy;
  traitsOf?: TraitsOf;
  extraRules?: readonly UserRule[];
  /** How long to retry greylisted addresses; 0: report at once. */
  greylistWaitMs?: number;
  /** The secret for the names of random mailboxes, read once; by default each prober makes its own. */
  mailboxSecret?: (() => Uint8Array) | null;
  /** Whether an earlier run found the port blocked on this network. */
  portFinding?: PortFinding | null;
  /** Called once, when connects show that the port is blocked. */
  onPortBlocked?: () => void;
  /** Called with each exception of our own; the mailbox is asked for once more. */
  onException?: (error: unknown) => void;
  clock?: Clock;
  dial?: Dial;
}

/** A prober that counts its connections. */
interface SmtpProber extends Prober {
  /** Connections opened so far. */
  readonly connections: number;
}

const defaultTimeouts: SmtpTimeouts = { connectMs: 8000, bannerMs: 30_000, stepMs: 20_000, totalMs: 60_000 };

/** A prober over SMTP. Bad settings are the Failure `bad_input`. */
export function smtpProber(options: SmtpProberOptions = {}): SmtpProber {
  const clock = options.clock ?? systemClock;
  const pool = openPool(options, clock);
  const asker = new MailboxProbe({
    pool,
    clock,
    controls: new ControlMailboxes(clock, options.mailboxSecret ?? undefined),
    port: options.port ?? 25,
    sourceIp: options.sourceIp ?? null,
    traitsOf: options.traitsOf ?? (() => null),
    extraRules: options.extraRules ?? [],
  });
  const shared = new InFlightProbes(clock);
  const probeTwice = async (request: ProbeRequest, signal?: AbortSignal, isRetry = false): Promise<ProbeAnswer> => {
    try {
      return await asker.probe(request, signal);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      options.onException?.(error);
      return isRetry ? unprobeable(request, 'exception') : probeTwice(request, signal, true);
    }
  };
  const prober: Prober = {
    probe(request, signal) {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      if (/\p{Cc}/u.test(wireForm(request.address))) return Promise.resolve(unprobeable(request, 'control_character'));
      const ask = () => probeTwice(request, signal);
      return request.keepDialogue === true ? ask() : shared.get(request.address.canonical, ask, signal);
    },
    async close() {
      pool.close();
    },
  };
  const patient = withGreylistRetry(prober, { waitMs: options.greylistWaitMs ?? 0, clock });
  return {
    probe: patient.probe,
    close: patient.close,
    get connections() {
      return pool.connections;
    },
  };
}

function openPool(options: SmtpProberOptions, clock: Clock): SessionPool {
  const ehloName = options.ehloName ?? ownEhloName();
  const mailFrom = options.mailFrom ?? null;
  checkIdentity(ehloName, mailFrom);
  const proxy = options.proxy ?? '';
  const watch: PortStatus =
    proxy === ''
      ? createPortStatus(options.portFinding ?? null, () => {
          options.onPortBlocked?.();
          pool.blockAll();
        })
      : portBehindProxy;
  const pool = new SessionPool({
    dial: options.dial ?? chooseDial(options),
    ehloName,
    senders: sendersFor(mailFrom, ehloName),
    tls: options.tls ?? 'offered',
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    firstConnectMs: options.firstConnectMs ?? 4000,
    concurrency: options.concurrency ?? defaultSessions,
    lingerMs: options.lingerMs ?? 1000,
    backoffMs: options.backoffMs ?? 1000,
    clock,
    watch,
    onException: options.onException ?? (() => {}),
  });
  return pool;
}

/** A proxy that cannot connect says nothing about port 25 here. */
const portBehindProxy: PortStatus = { blocked: false, proven: true, connected() {}, failed() {} };
