import { type Clock, systemClock } from '../../async/clock.js';
import { HostKnowledge } from '../host-knowledge.js';
import { HostScheduler, type SchedulerOptions } from '../pool/host-scheduler.js';
import { createPortStatus, type PortStatus } from '../pool/port25-status.js';
import type { PortFinding } from '../port-finding.js';
import { chooseDial, type OutboundRoute } from '../smtp/dial.js';
import { checkIdentity, ownEhloName, sendersFor } from '../smtp/identity.js';
import type { SmtpTimeouts } from '../smtp/open-session.js';
import { MailboxProbe, type MailboxProbeOptions, wireForm } from './mailbox-probe.js';
import { unprobeableAnswer } from './probe-evidence.js';
import type { ProbeAnswer, Prober } from './prober.js';

/** Sessions at a time over all hosts, by default. */
export const defaultSessions = 100;

type WithDefaults = Partial<
  Pick<MailboxProbeOptions, 'port' | 'traitsOf' | 'extraRules' | 'mailboxSecret'> &
    Omit<SchedulerOptions, 'senders' | 'timeouts' | 'portStatus'>
>;

/** All have defaults: the EHLO name is the full name of this machine, or the address literal of each connection. */
export interface SmtpProberOptions extends OutboundRoute, WithDefaults {
  /** Default: the null sender; see `sendersFor`. */
  mailFrom?: string | null;
  timeouts?: Partial<SmtpTimeouts>;
  /** Whether an earlier run found the port blocked on this network. */
  portFinding?: PortFinding | null;
  /** True for a service with several users: the hosts of one user must not stop the others. */
  isShared?: boolean;
  /** Called once, when connects show that the port is blocked. */
  onPortBlocked?: () => void;
  clock?: Clock;
}

const defaults = {
  port: 25,
  tls: 'offered',
  permits: null,
  isAlone: () => true,
  mailboxSecret: null,
  extraRules: [],
  firstConnectMs: 4000,
  concurrency: defaultSessions,
  lingerMs: 1000,
  backoffMs: 1000,
  traitsOf: () => null,
  onException: () => {},
} as const;
const defaultTimeouts = { connectMs: 8000, bannerMs: 30_000, stepMs: 20_000, listRcptMs: 40_000, totalMs: 60_000 };

/** A prober over SMTP. Bad settings are the Failure `bad_input`. */
export function smtpProber(options: SmtpProberOptions = {}): Prober & { stats: HostScheduler['stats'] } {
  const { knowledge = new HostKnowledge(options.clock ?? systemClock) } = options;
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
    ...defaults,
    ...options,
    dial: options.dial ?? chooseDial(options),
    ehloName,
    senders: sendersFor(mailFrom, ehloName),
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    knowledge,
    portStatus,
  });
  const sourceIp = options.sourceIp ?? null;
  const mailboxProbe = new MailboxProbe({ ...defaults, ...options, scheduler, knowledge, sourceIp });
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
  };
}

function isSettled({ mailbox, catchAll }: ProbeAnswer): boolean {
  return mailbox.outcome.state !== 'unknown' && catchAll.outcome !== 'inconclusive';
}

/** A proxy that cannot connect says nothing about port 25 here. */
const portBehindProxy: PortStatus = { isBlocked: false, isOpen: true, recordConnect() {}, recordFailure() {} };
