import type { SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession } from '../smtp/session.js';
import type { HostTraits } from './host-traits.js';
import type { ProbeTask, Seat, Transcript } from './probe-task.js';
import type { SenderChoice } from './sender-choice.js';
import { blamesUs, sessionMood } from './turned-session.js';

/** What a session's worker asks of the lane it works for. */
export interface WorkerHome {
  readonly senders: SenderChoice;
  /** As adapted to what this host has shown so far. */
  readonly traits: HostTraits;
  /** The next mailboxes for this session, at most `room`; none when there is nothing to do. `fresh`: it was asked for none yet. */
  take(room: number, session: SmtpSession, fresh: boolean): ProbeTask[];
  /** Resolves true when there may be work again or `wake` was called, false when it is time to leave. */
  idle(session: SmtpSession, onWakeable: (wake: () => void) => void): Promise<boolean>;
  read(task: ProbeTask, reply: SmtpReply, session: SmtpSession): Reading;
  /** It waits its turn again. */
  requeue(task: ProbeTask): void;
  moveOn(task: ProbeTask, fault: SmtpFault): void;
  /** The host does not serve anyone: all who wait for it move on. */
  goDown(fault: SmtpFault): void;
  slowDown(): void;
  /** The host hung up on several questions at once: from now on ask one at a time, to see on which. */
  tread(): void;
  readonly careful: boolean;
  /** The host takes no more than so many recipients in a session. */
  learnLimit(recipients: number): void;
  /** The host turns on a session after so many refusals. */
  learnPatience(refusals: number): void;
  wentWell(): void;
  /** Counts sessions lost in a row; an answer ends the row. */
  lost(): number;
  /** Milliseconds, to measure by. */
  elapsed(): number;
}

/** One session at work. */
export interface Worker extends Seat {
  readonly session: SmtpSession;
  /** Mailboxes it can still take in this round trip. */
  room(): number;
  /** Ends when the session does. */
  run(): Promise<void>;
  /** Hangs up where nobody waits for what is being asked. */
  abandon(): void;
  /** Says QUIT, or hangs up where a reply is outstanding. */
  leave(): void;
}

const lossesInARow = 3;
const lossesOfOne = 2;
const batchWithoutPipelining = 3;
/** Courier keeps a session waiting 8 s after its first refusal and longer after each more; no host works that long on one. */
const tarpitMs = 3000;

/** A worker for a greeted session, whose greeting is in the transcript. */
export function sessionWorker(session: SmtpSession, home: WorkerHome, transcript: Transcript): Worker {
  const own: ProbeTask[] = [];
  const greeting = transcript.lines.length;
  const greeted = new WeakSet<object>();
  const mood = sessionMood();
  let asked = 0;
  let leaving = false;
  let batch: ProbeTask[] = [];
  let wake: (() => void) | null = null;

  const worker: Worker = {
    session,
    room() {
      if (leaving || !session.usable) return 0;
      const { maxRcptPerSession, maxRefusalsPerSession } = home.traits;
      // All in flight may be refused, so that many must be left to spare.
      const room = Math.max(0, Math.min(maxRcptPerSession - asked, maxRefusalsPerSession - mood.refused));
      if (home.careful) return Math.min(room, 1);
      return session.pipelining ? room : Math.min(room, batchWithoutPipelining);
    },
    submit(task) {
      if (worker.room() === 0) return false;
      own.push(task);
      wake?.();
      return true;
    },
    retire() {
      leaving = true;
      wake?.();
    },
    async run() {
      try {
        while (worker.room() > 0) {
          batch = next();
          if (batch.length > 0) await serve(batch);
          else if (!(await home.idle(session, wakeable))) break;
          batch = [];
        }
      } finally {
        leaving = true;
        session.quit();
        for (const task of own.splice(0)) home.requeue(task);
      }
    },
    abandon() {
      if (batch.length > 0 && batch.every(({ settled }) => settled)) session.destroy();
    },
    leave() {
      leaving = true;
      if (batch.length > 0) session.destroy();
      else session.quit();
    },
  };
  return worker;

  function wakeable(onWork: () => void): void {
    wake = onWork;
  }

  function next(): ProbeTask[] {
    const mine = own.splice(0, worker.room()).filter(({ settled }) => !settled);
    const more = mine.some(({ keepDialogue }) => keepDialogue)
      ? []
      : home.take(worker.room() - mine.length, session, asked === 0 && mine.length === 0);
    return withOneSender([...mine, ...more]);
  }

  /** A transaction has one sender; who needs another one comes next. */
  function withOneSender(tasks: ProbeTask[]): ProbeTask[] {
    const [first] = tasks;
    if (first === undefined) return tasks;
    const place = home.senders.placeFor(first);
    const others = tasks.filter((task) => home.senders.placeFor(task) !== place);
    if (others.length === 0) return tasks;
    own.unshift(...others);
    return tasks.filter((task) => !others.includes(task));
  }

  async function serve(tasks: ProbeTask[]): Promise<void> {
    const unanswered = new Set(tasks);
    transcript.on = tasks.some(({ keepDialogue }) => keepDialogue);
    const senderAt = tasks[0] === undefined ? 0 : home.senders.placeFor(tasks[0]);
    for (const task of tasks) {
      task.begin();
      task.senderAt = senderAt;
    }
    const recipients = tasks.map(({ recipient }) => recipient);
    let heardAt = home.elapsed();
    let stuck = false;
    try {
      await session.ask(home.senders.at(senderAt), recipients, (index, reply) => {
        const task = tasks[index];
        if (task === undefined) return;
        unanswered.delete(task);
        if (task.keepDialogue) record(task);
        heed(task, reply);
        const waitedMs = home.elapsed() - heardAt;
        heardAt += waitedMs;
        if (reply.code < 500 || waitedMs < tarpitMs) return;
        home.learnPatience(1);
        stuck = unanswered.size > 0;
        // QUIT would wait behind the rest.
        if (stuck) session.destroy();
      });
    } catch (error) {
      if (stuck) return giveBack([...unanswered]);
      const fault = error instanceof SmtpFault ? error : new SmtpFault('malformed', 'rcpt', String(error));
      for (const task of unanswered) if (task.keepDialogue) record(task);
      lose([...unanswered], fault);
    }
    transcript.lines.length = greeting;
  }

  /** The tarpit keeps the whole session, so those behind in it are asked for elsewhere. */
  function giveBack(tasks: ProbeTask[]): void {
    leaving = true;
    for (const task of tasks.reverse()) home.requeue(task);
  }

  /** A dialogue has this session's greeting once, and those of other hosts before it. */
  function record({ dialogue }: ProbeTask): void {
    dialogue.push(...transcript.lines.slice(greeted.has(dialogue) ? greeting : 0));
    greeted.add(dialogue);
  }

  function heed(task: ProbeTask, reply: SmtpReply): void {
    asked++;
    const reading = home.read(task, reply, session);
    const turned = mood.hear(task, reply, reading);
    if (reply.code === 421 || reading.reason === 'session_limit') {
      endOfSession(task, reply);
    } else if (turned) {
      leaving = true;
      task.turnedAfter = mood.turnedAfter();
      home.requeue(task);
    } else if (reading.reason === 'sender_rejected' && home.senders.another(task)) {
      // Exim and strict Postfix speak of the sender only at RCPT.
      own.push(task);
    } else {
      if (reading.reason !== 'sender_rejected') home.senders.taken(task);
      if (reading.reason === 'rate_limited') home.slowDown();
      else home.wentWell();
      if (task.turnedAfter !== null && !blamesUs(reading)) home.learnPatience(task.turnedAfter);
      task.settle({ state: 'answered', reply, reading, target: session.target, seat: worker });
    }
  }

  /** The host ends the session, not the mailbox: ask again in a fresh one, unless this one was fresh. */
  function endOfSession(task: ProbeTask, reply: SmtpReply): void {
    leaving = true;
    if (asked > 1) {
      home.learnLimit(asked - 1);
      home.requeue(task);
    } else {
      if (reply.code === 421) home.slowDown();
      home.moveOn(task, new SmtpFault('reply', 'rcpt', `${reply.code} ${reply.text}`, reply));
    }
  }

  function lose(tasks: ProbeTask[], fault: SmtpFault): void {
    const [suspect, ...others] = tasks;
    if (suspect === undefined) return;
    if (fault.stage === 'mail' && fault.reply !== null) {
      refusedAtMail(tasks, fault, fault.reply);
      return;
    }
    leaving = true;
    if (fault.kind === 'closed' && mood.refused > 0) {
      // Some hosts hang up after a refusal, and the next question crosses with that: nobody's fault.
      home.learnPatience(mood.refused);
      for (const task of tasks.reverse()) home.requeue(task);
      return;
    }
    if (fault.kind === 'closed' && others.length > 0) {
      // Replies to the first may have been lost with the connection, so it is not known which one broke it.
      home.tread();
      for (const task of tasks.reverse()) home.requeue(task);
      return;
    }
    suspect.losses++;
    if (fault.kind !== 'closed' || suspect.losses >= lossesOfOne) home.moveOn(suspect, fault);
    else home.requeue(suspect);
    for (const task of others.reverse()) home.requeue(task);
    if (home.lost() >= lossesInARow) home.goDown(fault);
  }

  function refusedAtMail(tasks: ProbeTask[], fault: SmtpFault, reply: SmtpReply): void {
    const [first] = tasks;
    // A sender that was good enough before is not what the host minds now.
    if (first !== undefined && asked === 0 && home.read(first, reply, session).reason === 'sender_rejected') {
      const others = tasks.filter(home.senders.another);
      own.push(...others);
      for (const task of tasks) if (!others.includes(task)) home.moveOn(task, fault);
      if (others.length === 0) home.goDown(fault);
      leaving = others.length === 0;
      return;
    }
    leaving = true;
    if (asked > 0) {
      home.learnLimit(asked);
      for (const task of tasks) home.requeue(task);
      return;
    }
    for (const task of tasks) home.moveOn(task, fault);
    home.goDown(fault);
  }
}
