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
  private readonly faults: { fault: SmtpFault; target: Target }[] = [];
  private rejectedSenders: number[] = [];
  private hostIndex = 0;
  private disconnects = 0;
  private exceptions = 0;
  private sender = 0;
  private cutoffRefusals: number | null = null;
  /** The time for all hosts and sessions, without waits in queues. */
  readonly totalMs: number;
  private remainingMs: number;
  private deadline: number | null = null;
  private isDone = false;

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

  /** Whether the caller no longer waits: the task was answered, given up or aborted. */
  get isSettled(): boolean {
    return this.isDone;
  }

  /** The most informative fault about why there is no answer. */
  get mostInformativeFault(): { fault: SmtpFault; target: Target } | null {
    return furthestFault(this.faults);
  }

  /** Starts its deadline: a session is being opened or used for it. */
  begin(): void {
    if (this.deadline !== null || this.isDone) return;
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
    this.rejectedSenders = [];
    this.cutoffRefusals = null;
    // The queue of the next host may be long; waiting there does not count.
    this.pause();
  }

  /** Counts a session of this host that was lost while it was asked. */
  recordDisconnect(): number {
    return ++this.disconnects;
  }

  /** Counts an internal exception, and returns how many there were. */
  recordException(): number {
    return ++this.exceptions;
  }

  /** The refusals after which a session was cut off before this task was answered; null: none was. */
  get refusalsBeforeCutoff(): number | null {
    return this.cutoffRefusals;
  }

  recordCutoff(refusals: number): void {
    this.cutoffRefusals = refusals;
  }

  /** The index of the sender that was used last. */
  get senderIndex(): number {
    return this.sender;
  }

  useSender(index: number): void {
    this.sender = index;
  }

  /** How many senders the host has rejected for it. */
  get rejectedSenderCount(): number {
    return this.rejectedSenders.length;
  }

  hasRejected(senderIndex: number): boolean {
    return this.rejectedSenders.includes(senderIndex);
  }

  /** Records that the host rejected the sender that was used. */
  rejectSender(): void {
    if (!this.hasRejected(this.sender)) this.rejectedSenders.push(this.sender);
  }

  /** Ends the task without an answer. */
  drop(): void {
    if (this.isDone) return;
    this.isDone = true;
    this.owner.onSettled(this);
  }

  settle(outcome: ProbeOutcome): void {
    if (this.isDone) return;
    this.drop();
    this.answer(outcome);
  }
}
