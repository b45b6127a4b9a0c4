import type { SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import { SmtpFault } from '../smtp/fault.js';
import type { Before, SmtpSession } from '../smtp/session.js';
import type { Rest } from './idle-sessions.js';
import type { ProbeTask, Seat } from './probe-task.js';
import { afterLoss, askElsewhere } from './session-loss.js';
import { SessionMood } from './session-mood.js';
import type { Transcript } from './transcript.js';
import type { WorkerLane } from './worker-lane.js';

const batchWithoutPipelining = 3;
/** Courier keeps a session waiting 8 s after its first refusal and longer after each more; no host works that long on one. */
const tarpitMs = 3000;

/** One greeted session at work, whose greeting is in the transcript. */
export class SessionWorker implements Seat {
  private readonly own: ProbeTask[] = [];
  private readonly mood = new SessionMood();
  private asked = 0;
  private leaving = false;
  private batch: ProbeTask[] = [];
  private nap: Rest | null = null;

  constructor(
    private readonly session: SmtpSession,
    private readonly lane: WorkerLane,
    private readonly transcript: Transcript,
  ) {
    transcript.endGreeting();
  }

  /** Mailboxes it can still take in this round trip. */
  room(): number {
    // A fresh one is asked in any case, so that a host that hangs up on every greeting is seen to do so.
    if (this.leaving || (this.asked > 0 && !this.session.usable)) return 0;
    const { limits, pace } = this.lane;
    // All in flight may be refused, so that many must be left to spare.
    const room = Math.max(0, Math.min(limits.maxRecipients - this.asked, limits.maxRefusals - this.mood.refused));
    if (pace.careful) return Math.min(room, 1);
    return this.session.pipelining ? room : Math.min(room, batchWithoutPipelining);
  }

  submit(task: ProbeTask): boolean {
    if (this.room() === 0) return false;
    this.own.push(task);
    this.nap?.wake();
    return true;
  }

  retire(): void {
    this.leaving = true;
    this.nap?.wake();
  }

  /** Ends when the session does. */
  async run(): Promise<void> {
    try {
      while (this.room() > 0) {
        this.batch = this.next();
        if (this.batch.length > 0) await this.serve(this.batch);
        else if (!(await this.rest())) break;
        this.batch = [];
      }
    } finally {
      this.leaving = true;
      this.session.quit();
      for (const task of this.own.splice(0)) this.lane.requeue(task);
    }
  }

  /** Hangs up where nobody waits for what is being asked. */
  abandon(): void {
    if (this.batch.length > 0 && this.batch.every(({ settled }) => settled)) this.session.destroy();
  }

  /** Says QUIT, or hangs up where a reply is outstanding. */
  leave(): void {
    this.leaving = true;
    if (this.batch.length > 0) this.session.destroy();
    else this.session.quit();
  }

  private async rest(): Promise<boolean> {
    this.nap = this.lane.rest(this.session);
    const work = await this.nap.ended;
    this.nap = null;
    return work;
  }

  private next(): ProbeTask[] {
    const mine = this.own.splice(0, this.room()).filter(({ settled }) => !settled);
    const fresh = this.asked === 0 && mine.length === 0;
    const alone = mine.some(({ dialogue }) => dialogue !== null);
    const more = alone ? [] : this.lane.take(this.room() - mine.length, this.session, fresh);
    const { now, next } = this.lane.senders.shareOne(this.withOthersAlong([...mine, ...more]));
    this.own.unshift(...next);
    return now;
  }

  /** With each of them, what is worth asking for in the same breath; those that have no room left come next. */
  private withOthersAlong(tasks: ProbeTask[]): ProbeTask[] {
    if (!this.session.pipelining || this.lane.pace.careful) return tasks;
    const { own } = this;
    const waiting = own.length;
    const all = tasks.flatMap((task) => {
      if (task.turnedAfter === null) task.question.alongside?.(this.session.target, this);
      return [task, ...own.splice(waiting)];
    });
    for (const task of all.splice(this.room()).reverse()) this.lane.requeue(task);
    return all;
  }

  private async serve(tasks: ProbeTask[]): Promise<void> {
    const unanswered = new Set(tasks);
    this.transcript.begin(tasks.some(({ dialogue }) => dialogue !== null));
    for (const task of tasks) task.begin();
    const sender = this.lane.senders.at(tasks[0]?.askedWith ?? 0);
    const recipients = tasks.map(({ recipient }) => recipient);
    let heardAt = this.lane.elapsed();
    let stuck = false;
    try {
      await this.session.ask(sender, recipients, this.lane.limits.sharing, (index, reply, before) => {
        const task = tasks[index];
        if (task === undefined) return;
        unanswered.delete(task);
        this.transcript.copyTo(task.dialogue);
        this.observe(task, reply, before);
        const waitedMs = this.lane.elapsed() - heardAt;
        heardAt += waitedMs;
        if (reply.code < 500 || waitedMs < tarpitMs) return;
        this.lane.limits.learnRefusals(1);
        stuck = unanswered.size > 0;
        // QUIT would wait behind the rest.
        if (stuck) this.session.destroy();
      });
    } catch (error) {
      if (stuck) {
        this.leaving = true;
        askElsewhere(this.lane, [...unanswered]);
        return;
      }
      if (unanswered.size > 0 && [...unanswered].every(({ settled }) => settled)) {
        // Nobody waits any more, so that it was we who hung up: nothing is learnt about the host.
        this.leaving = true;
        return;
      }
      const fault = error instanceof SmtpFault ? error : new SmtpFault('malformed', 'rcpt', String(error));
      for (const task of unanswered) this.transcript.copyTo(task.dialogue);
      if (unanswered.size > 0) this.lose([...unanswered], fault);
    }
  }

  private observe(task: ProbeTask, reply: SmtpReply, before: Before): void {
    this.asked++;
    const reading = task.question.read(reply, this.session);
    switch (this.mood.hear(task, reply, reading, before !== 'nothing')) {
      case 'minds_sharing':
        this.lane.limits.askApart(before);
        this.own.push(task);
        break;
      case 'over':
        this.endOfSession(task, reply);
        break;
      case 'turned':
        this.leaving = true;
        task.turnAfter(this.mood.turnedAfter());
        this.lane.requeue(task);
        break;
      case 'answer':
        if (this.lane.limits.believes(reading.reason === 'accepted', before)) this.answer(task, reply, reading);
        else this.own.push(task);
    }
  }

  private answer(task: ProbeTask, reply: SmtpReply, reading: Reading): void {
    const { limits, pace, senders } = this.lane;
    const mindsSender = reading.reason === 'sender_rejected';
    if (mindsSender && senders.another(task)) {
      // Exim and strict Postfix speak of the sender only at RCPT.
      this.own.push(task);
      return;
    }
    if (!mindsSender) senders.taken(task);
    if (reading.reason === 'rate_limited') pace.slowDown();
    else pace.wentWell();
    if (task.turnedAfter !== null && !reading.mayBlameSession) limits.learnRefusals(task.turnedAfter);
    task.settle({ state: 'answered', reply, reading, target: this.session.target, seat: this });
  }

  /** The host ends the session, not the mailbox: ask again in a fresh one, unless this one was fresh. */
  private endOfSession(task: ProbeTask, reply: SmtpReply): void {
    this.leaving = true;
    if (this.asked > 1) {
      this.lane.limits.learnRecipients(this.asked - 1);
      this.lane.requeue(task);
      return;
    }
    if (reply.code === 421) this.lane.pace.slowDown();
    this.lane.moveOn(task, new SmtpFault('reply', 'rcpt', `${reply.code} ${reply.text}`, reply));
  }

  private lose(tasks: ProbeTask[], fault: SmtpFault): void {
    const { session, lane, mood, asked } = this;
    const again = afterLoss(tasks, fault, { session, lane, refused: mood.refused, asked });
    this.own.push(...again);
    this.leaving = again.length === 0;
  }
}
