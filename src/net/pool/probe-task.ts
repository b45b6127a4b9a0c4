import type { DialogueLine, SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import type { Target } from '../smtp/dial.js';
import type { SmtpFault } from '../smtp/fault.js';
import type { Recipient } from '../smtp/session.js';
import type { HostTraits } from './host-traits.js';

/** The dialogue of one session, taken down while someone wants it. */
export interface Transcript {
  on: boolean;
  lines: TimedLine[];
}

/** One line of a dialogue, and when it came, by the clock to measure by. */
export interface TimedLine {
  at: number;
  from: DialogueLine['from'];
  text: string;
}

/** A session that can be asked for a second mailbox. */
export interface Seat {
  /** False where the session is over, so the task must go elsewhere. */
  submit(task: ProbeTask): boolean;
  /** Ends the session after what it is asking now, so that what comes next gets a fresh one. */
  retire(): void;
}

/** How asking for one mailbox ended. */
export type Asked =
  | { state: 'answered'; reply: SmtpReply; reading: Reading; target: Target; seat: Seat }
  | { state: 'faulted'; fault: SmtpFault; target: Target | null }
  | { state: 'port_blocked' };

/** One mailbox to ask for, on its way through hosts and sessions. */
export interface ProbeTask {
  readonly recipient: Recipient;
  /** In the order to try them. */
  readonly targets: readonly Target[];
  readonly traits: HostTraits;
  readonly provider: string | null;
  readonly firstContact: boolean;
  readonly keepDialogue: boolean;
  readonly dialogue: TimedLine[];
  /** Why each host tried so far gave no answer. */
  readonly faults: { fault: SmtpFault; target: Target }[];
  /** Index of the host being tried. */
  at: number;
  /** Sessions of that host that were lost over this mailbox. */
  losses: number;
  /** How many refusals a session had given when it refused this one for another cause; null where none did. */
  turnedAfter: number | null;
  /** The sender it was last asked with, by its place in the list. */
  senderAt: number;
  /** Those that the host refused it with, by their places. */
  readonly mindedSenders: number[];
  /** Answered, given up or interrupted: nobody waits any more. */
  settled: boolean;
  /** When it is given up, by the clock to measure by; null while it only waits its turn. */
  deadline: number | null;
  /** Work on it begins: its time runs from here. */
  begin(): void;
  /** It waits its turn again: its time stands still until work on it goes on. */
  pause(): void;
  settle(asked: Asked): void;
}
