import { type Caller, localCaller } from '../../async/caller.js';
import type { Clock } from '../../async/clock.js';
import type { SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import type { Target } from '../smtp/dial.js';
import { furthestFault, type SmtpFault } from '../smtp/fault.js';
import type { Recipient, SmtpSession } from '../smtp/session.js';
import type { HostTraits } from './host-traits.js';
import type { Dialogue } from './transcript.js';

/** A session that can take further tasks. */
export interface SessionHandle {
  /** False: the session is over, and the task needs another one. */
  submit(task: ProbeTask): boolean;
  /** Ends the session after its current batch, so that the next task gets a fresh one. */
  closeAfterBatch(): void;
}

/** How the probe of one mailbox ended. */
export type ProbeOutcome =
  | { state: 'answered'; reply: SmtpReply; reading: Reading; target: Target; session: SessionHandle }
  | { state: 'faulted'; fault: SmtpFault; target: Target | null }
  /** An internal exception, which says nothing about the host. */
  | { state: 'exception'; target: Target | null }
  | { state: 'port_blocked' };

/** One mailbox to ask for. */
export interface ProbeQuestion {
  recipient: Recipient;
  /** In the order to try them. */
  targets: readonly Target[];
  traits: HostTraits;
  /** One of many, so that the host may take longer for its reply to RCPT. */
  isOfList: boolean;
  /** Its sessions need a permit where hosts have them. */
  isOfJob: boolean;
  /** The provider whose hosts share a limit; null if each host has its own. */
  provider: string | null;
  /** What a reply for an address means in this session. */
  read(reply: SmtpReply, session: SmtpSession, address: string): Reading;
  /** Records the dialogue; null if it is not wanted. */
  dialogue: Dialogue | null;
  /** Local parts of the domain that show what the answer means. A session that pipelines asks for them in the same batch, once for a host. */
  controls: readonly string[];
  /** The session to use if it is still open. */
  session?: SessionHandle;
}

/** What the answer for a mailbox that cannot exist means. `unclear`: the words of the refusal may mean something else. */
type ControlOutcome = 'accepted' | 'refused' | 'unclear' | 'inconclusive';

/** What the answer for a control mailbox says about the domain. */
export function controlOutcome(probeOutcome: ProbeOutcome): ControlOutcome {
  if (probeOutcome.state !== 'answered') return 'inconclusive';
  const { reading, reply } = probeOutcome;
  switch (reading.reason) {
    case 'accepted':
    case 'cannot_verify':
      return 'accepted';
    case 'mailbox_not_found':
    case 'mailbox_disabled':
    case 'does_not_accept_mail':
      return 'refused';
    case 'antispam_system':
    case 'restricted_recipient':
    case 'needs_reverse_dns':
    case 'sender_rejected':
      return reply.code >= 500 ? 'unclear' : 'inconclusive';
    default:
      return reading.saysAbsent === true ? 'unclear' : 'inconclusive';
  }
}

/** Accepted, or refused in clear words. */
export function isSettledControl(probeOutcome: ProbeOutcome): boolean {
  const outcome = controlOutcome(probeOutcome);
  return outcome === 'accepted' || outcome === 'refused';
}

/** The question for another mailbox of the domain at one host address. */
export function controlQuestion(question: ProbeQuestion, target: Target, localPart: string): ProbeQuestion {
  const { domain } = question.recipient;
  const recipient = { address: `${localPart}@${domain}`, domain, smtputf8: false };
  return { ...question, recipient, targets: [target], controls: [] };
}

/** The clock and the callbacks of a task's owner. */
export interface TaskOwner {
  readonly clock: Clock;
  readonly totalMs: number;
  /** The same for a mailbox of a list. */
  readonly listTotalMs: number;
  onBegin(task: ProbeTask): void;
  onSettled(task: ProbeTask): void;
}

/** The state of one mailbox while hosts and sessions are tried. */
export class ProbeTask {
  /** The sender that was used last, and those that the host rejected, by their indexes. */
  senderIndex = 0;
  readonly rejectedSenders = new Set<number>();
  /** Sessions of this host that were lost while it was asked. */
  disconnects = 0;
  /** The refusals after which a session was cut off before this task was answered; null: none was. */
  refusalsBeforeCutoff: number | null = null;
  /** Internal exceptions. */
  exceptions = 0;
  /** Whether the caller no longer waits: the task was answered, given up or aborted. */
  isSettled = false;
  private readonly faults: { fault: SmtpFault; target: Target }[] = [];
  private hostIndex = 0;
  /** The time for all hosts and sessions, without waits in queues. */
  readonly totalMs: number;
  private remainingMs: number;
  private deadline: number | null = null;

  constructor(
    readonly question: ProbeQuestion,
    private readonly owner: TaskOwner,
    private readonly answer: (outcome: ProbeOutcome) => void,
    readonly caller: Caller = localCaller,
  ) {
    this.totalMs = question.isOfList ? owner.listTotalMs : owner.totalMs;
    this.remainingMs = this.totalMs;
  }

  get recipient(): Recipient {
    return this.question.recipient;
  }

  get dialogue(): Dialogue | null {
    return this.question.dialogue;
  }

  /** The host being tried; undefined once there is none left. */
  get target(): Target | undefined {
    return this.question.targets[this.hostIndex];
  }

  /** The most informative fault about why there is no answer. */
  get mostInformativeFault(): { fault: SmtpFault; target: Target } | null {
    return furthestFault(this.faults);
  }

  /** Starts its deadline: a session is being opened or used for it. */
  begin(): void {
    if (this.deadline !== null || this.isSettled) return;
    this.deadline = this.owner.clock.elapsed() + this.remainingMs;
    this.owner.onBegin(this);
  }

  /** Stops its deadline while it waits in a queue. */
  pause(): void {
    if (this.deadline === null) return;
    this.remainingMs = Math.max(1, this.deadline - this.owner.clock.elapsed());
    this.deadline = null;
  }

  /** Leaves it no more time than this. */
  limitTime(ms: number): void {
    this.pause();
    this.remainingMs = Math.min(this.remainingMs, ms);
  }

  isExpired(now: number): boolean {
    return this.deadline !== null && this.deadline <= now;
  }

  /** Continues with the next host after one that gave no answer. */
  leaveHost(target: Target, fault: SmtpFault): void {
    this.faults.push({ fault, target });
    this.hostIndex++;
    this.disconnects = 0;
    this.rejectedSenders.clear();
    this.refusalsBeforeCutoff = null;
    // The queue of the next host may be long; waiting there does not count.
    this.pause();
  }

  /** Ends the task without an answer. */
  drop(): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.owner.onSettled(this);
  }

  settle(outcome: ProbeOutcome): void {
    if (this.isSettled) return;
    this.drop();
    this.answer(outcome);
  }
}
