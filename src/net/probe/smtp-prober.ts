import { type Clock, systemClock } from '../../async/clock.js';
import { HostKnowledge } from '../host-knowledge.js';
import type { HostPermits } from '../pool/host-permits.js';
import { HostScheduler } from '../pool/host-scheduler.js';
import type { TraitsOf } from '../pool/host-traits.js';
import { createPortStatus, type PortStatus } from '../pool/port25-status.js';
import type { PortFinding } from '../port-finding.js';
import type { UserRule } from '../replies/reading.js';
import { chooseDial, type Dial, type OutboundRoute } from '../smtp/dial.js';
import { checkIdentity, ownEhloName, sendersFor } from '../smtp/identity.js';
import type { SmtpTimeouts } from '../smtp/open-session.js';
import type { TlsPolicy } from '../smtp/tls.js';
import { MailboxProbe, wireForm } from './mailbox-probe.js';
import { unprobeableAnswer } from './probe-evidence.js';
import type { ProbeAnswer, Prober } from './prober.js';

/** Sessions at a time over all hosts, by default. */
export const defaultSessions = 100;

export interface SmtpProberOptions extends OutboundRoute {
  /** Default: the full name of this machine, or the address literal of each connection. */
  ehloName?: string | null;
  /** Default: the null sender; see `sendersFor`. */
  mailFrom?: string | null;
  port?: number;
  timeouts?: Partial<SmtpTimeouts>;
  /** Connect timeout until the first connection is established. */
  firstConnectMs?: number;
  /** Sessions at a time, over all hosts. */
  concurrency?: number;
  /** How long an idle session is kept open. */
  lingerMs?: number;
  /** The first backoff after a host asked us to slow down; it doubles. */
  backoffMs?: number;
  /** When to use STARTTLS; by default if the host offers it. */
  tls?: TlsPolicy;
  traitsOf?: TraitsOf;
  extraRules?: readonly UserRule[];
  /** The secret for the names of random mailboxes, read once; by default each prober makes its own. */
  mailboxSecret?: (() => Uint8Array) | null;
  /** Whether an earlier run found the port blocked on this network. */
  portFinding?: PortFinding | null;
  /** True for a service with several users: the hosts of one user must not stop the others. */
  isShared?: boolean;
  /** Called once, when connects show that the port is blocked. */
  onPortBlocked?: () => void;
  /** Called with each internal exception; the mailbox is probed once more. */
  onException?: (error: unknown) => void;
  clock?: Clock;
  /** What the process knows about hosts, on the same clock; by default each prober has its own. */
  knowledge?: HostKnowledge;
  dial?: Dial;
  /** Set if other processes ask the same mail hosts. */
  permits?: HostPermits | null;
}

/** A prober that counts its connections. */
interface SmtpProber extends Prober {
  /** Connections opened so far. */
  readonly connections: number;
  /** Hosts with a queue. */
  readonly hosts: number;
}

const defaultTimeouts = { connectMs: 8000, bannerMs: 30_000, stepMs: 20_000, listRcptMs: 40_000, totalMs: 60_000 };

/** A prober over SMTP. Bad settings are the Failure `bad_input`. */
export function smtpProber(options: SmtpProberOptions = {}): SmtpProber {
  const { knowledge = new HostKnowledge(options.clock ?? systemClock) } = options;
  const scheduler = openScheduler(options, knowledge);
  const mailboxProbe = new MailboxProbe({
    scheduler,
    knowledge,
    mailboxSecret: options.mailboxSecret ?? null,
    port: options.port ?? 25,
    sourceIp: options.sourceIp ?? null,
    traitsOf: options.traitsOf ?? (() => null),
    extraRules: options.extraRules ?? [],
    onException: options.onException ?? (() => {}),
  });
  const answers = knowledge.open<ProbeAnswer>('mailbox_answer');
  return {
    probe(request, caller) {
      const signal = caller?.signal;
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      // RFC 5321 §2.4: a host may take `Frank` and refuse `frank`.
      const mailbox = wireForm(request.address);
      if (/[\x00-\x1f\x7f-\x9f]/.test(mailbox)) return Promise.resolve(unprobeableAnswer(request, 'control_character'));
      const ask = () => mailboxProbe.probe(request, caller);
      if (request.keepDialogue === true) return ask();
      const cached = answers.get(mailbox);
      if (cached !== undefined) return Promise.resolve({ ...cached, mailbox: { ...cached.mailbox, cached: true } });
      return answers.learnOnce(mailbox, ask, { signal, isSettled });
    },
    async close() {
      scheduler.close();
    },
    stats: () => scheduler.stats(),
    get connections() {
      return scheduler.connections;
    },
    get hosts() {
      return scheduler.hosts;
    },
  };
}

function isSettled({ mailbox, catchAll }: ProbeAnswer): boolean {
  return mailbox.outcome.state !== 'unknown' && catchAll.outcome !== 'inconclusive';
}

function openScheduler(options: SmtpProberOptions, knowledge: HostKnowledge): HostScheduler {
  const ehloName = options.ehloName ?? ownEhloName();
  const mailFrom = options.mailFrom ?? null;
  checkIdentity(ehloName, mailFrom);
  const onBlocked = () => {
    options.onPortBlocked?.();
    scheduler.blockAll();
  };
  const portStatus: PortStatus =
    (options.proxy ?? '') === ''
      ? createPortStatus(options.portFinding ?? null, onBlocked, knowledge, options.isShared)
      : portBehindProxy;
  const scheduler = new HostScheduler({
    dial: options.dial ?? chooseDial(options),
    ehloName,
    senders: sendersFor(mailFrom, ehloName),
    tls: options.tls ?? 'offered',
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    firstConnectMs: options.firstConnectMs ?? 4000,
    concurrency: options.concurrency ?? defaultSessions,
    lingerMs: options.lingerMs ?? 1000,
    backoffMs: options.backoffMs ?? 1000,
    knowledge,
    portStatus,
    permits: options.permits ?? null,
    onException: options.onException ?? (() => {}),
  });
  return scheduler;
}

/** A proxy that cannot connect says nothing about port 25 here. */
const portBehindProxy: PortStatus = { isBlocked: false, isOpen: true, recordConnect() {}, recordFailure() {} };
