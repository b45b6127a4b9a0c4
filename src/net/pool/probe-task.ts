import type { Caller } from '../../async/caller.js';
import { callerOfSignal } from '../../async/caller.js';
import type { Clock } from '../../async/clock.js';
import type { SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import type { Target } from '../smtp/dial.js';
import { furthestFault, type SmtpFault } from '../smtp/fault.js';
import type { Recipient, SmtpSession } from '../smtp/session.js';
import type { HostTraits } from './host-traits.js';
import type { Dialogue } from './transcript.js';

/** A session that can be asked for a second mailbox. */
export interface SessionHandle {
  /** False where the session is over, so the task must go elsewhere. */
  submit(task: ProbeTask): boolean;
  /** Ends the session after what it is asking now, so that what comes next gets a fresh one. */
  retire(): void;
}

/** How asking for one mailbox ended. */
export type ProbeOutcome =
  | { state: 'answered'; reply: SmtpReply; reading: Reading; target: Target; session: SessionHandle }
  | { state: 'faulted'; fault: SmtpFault; target: Target | null }
  | { state: 'port_blocked' };

/** One mailbox to ask for. */
export interface ProbeQuestion {
  recipient: Recipient;
  /** In the order to try them. */
  targets: readonly Target[];
  traits: HostTraits;
  /** The provider whose hosts caller a limit; null where each host has its own. */
  provider: string | null;
  /** What a reply in this session means. */
  read(reply: SmtpReply, session: SmtpSession): Reading;
  /** Where to keep what is said; null where nobody wants to see it. */
  dialogue: Dialogue | null;
  /** Called before it is asked for in a session that takes several questions at once: what is submitted there goes along. */
  onBatch: ((target: Target, session: SessionHandle) => void) | null;
  /** The session to use, if it still stands. */
  session?: SessionHandle;
}

/** Who keeps a task: its time, and what is to happen as it goes. */
export interface TaskOwner {
  readonly clock: Clock;
  readonly totalMs: number;
  onBegin(task: ProbeTask): void;
  onSettled(task: ProbeTask): void;
}

/** One mailbox on its way through hosts and sessions. It changes only by what its methods say. */
export class ProbeTask {
  private readonly faults: { fault: SmtpFault; target: Target }[] = [];
  private rejectedSenders: number[] = [];
  private hostAt = 0;
  private disconnects = 0;
  private sender = 0;
  private cutoffRefusals: number | null = null;
  private leftMs: number;
  private deadline: number | null = null;
  private done = false;

  constructor(
    readonly question: ProbeQuestion,
    private readonly owner: TaskOwner,
    private readonly answer: (asked: ProbeOutcome) => void,
    /** Whose mailbox it is. */
    readonly caller: Caller = callerOfSignal(undefined),
  ) {
    this.leftMs = owner.totalMs;
  }

  get recipient(): Recipient {
    return this.question.recipient;
  }

  get dialogue(): Dialogue | null {
    return this.question.dialogue;
  }

  /** The host being tried; undefined once there is none left. */
  get target(): Target | undefined {
    return this.question.targets[this.hostAt];
  }

  /** Answered, given up or interrupted: nobody waits any more. */
  get settled(): boolean {
    return this.done;
  }

  /** Of the faults so far, the one that says most. */
  get worstFault(): { fault: SmtpFault; target: Target } | null {
    return furthestFault(this.faults);
  }

  /** Work on it begins: its time runs from here. */
  begin(): void {
    if (this.deadline !== null || this.done) return;
    this.deadline = this.owner.clock.elapsed() + this.leftMs;
    this.owner.onBegin(this);
  }

  /** It waits its turn again: its time stands still until work on it goes on. */
  pause(): void {
    if (this.deadline === null) return;
    this.leftMs = Math.max(1, this.deadline - this.owner.clock.elapsed());
    this.deadline = null;
  }

  isExpired(now: number): boolean {
    return this.deadline !== null && this.deadline <= now;
  }

  /** The host gave no answer, so the next one is tried. */
  leaveHost(target: Target, fault: SmtpFault): void {
    this.faults.push({ fault, target });
    this.hostAt++;
    this.disconnects = 0;
    this.rejectedSenders = [];
    // Whoever was turned away elsewhere may find a long queue here; standing in it costs nobody's time.
    this.pause();
  }

  /** A session was lost over it; gives how many of this host were. */
  recordDisconnect(): number {
    return ++this.disconnects;
  }

  /** How many refusals a session had given when it refused this one for another cause; null where none did. */
  get refusalsBeforeCutoff(): number | null {
    return this.cutoffRefusals;
  }

  recordCutoff(refusals: number): void {
    this.cutoffRefusals = refusals;
  }

  /** The sender it was last asked with, by its place in the list. */
  get senderIndex(): number {
    return this.sender;
  }

  useSender(senderPlace: number): void {
    this.sender = senderPlace;
  }

  /** How many senders the host has minded for it. */
  get rejectedSenderCount(): number {
    return this.rejectedSenders.length;
  }

  hasRejected(senderPlace: number): boolean {
    return this.rejectedSenders.includes(senderPlace);
  }

  /** The host minds the sender it was asked with. */
  rejectSender(): void {
    if (!this.hasRejected(this.sender)) this.rejectedSenders.push(this.sender);
  }

  /** Nobody waits for it any more. */
  drop(): void {
    if (this.done) return;
    this.done = true;
    this.owner.onSettled(this);
  }

  settle(asked: ProbeOutcome): void {
    if (this.done) return;
    this.drop();
    this.answer(asked);
  }
}
