import type { SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession, TransactionState } from '../smtp/session.js';
import type { IdleWait } from './idle-sessions.js';
import type { ProbeTask, SessionHandle } from './probe-task.js';
import { requeueAfterDisconnect, requeueAll } from './requeue-after-disconnect.js';
import { SessionState } from './session-state.js';
import type { Transcript } from './transcript.js';
import type { WorkerHost } from './worker-host.js';

const batchWithoutPipelining = 3;
/** Courier keeps a session waiting 8 s after its first refusal and longer after each more; no host works that long on one. */
const tarpitMs = 3000;

/** One greeted session at work, whose greeting is in the transcript. */
export class SessionWorker implements SessionHandle {
  private readonly own: ProbeTask[] = [];
  private readonly state = new SessionState();
  private asked = 0;
  private leaving = false;
  private batch: ProbeTask[] = [];
  private idleWait: IdleWait | null = null;

  constructor(
    private readonly session: SmtpSession,
    private readonly host: WorkerHost,
    private readonly transcript: Transcript,
  ) {
    transcript.endGreeting();
  }

  /** Mailboxes it can still take in this round trip. */
  room(): number {
    // A fresh one is asked in any case, so that a host that hangs up on every greeting is seen to do so.
    if (this.leaving || (this.asked > 0 && !this.session.usable)) return 0;
    const { limits, pace } = this.host;
    // All in flight may be refused, so that many must be left to spare.
    const room = Math.max(0, Math.min(limits.maxRecipients - this.asked, limits.maxRefusals - this.state.refused));
    if (pace.isCautious) return Math.min(room, 1);
    return this.session.pipelining ? room : Math.min(room, batchWithoutPipelining);
  }

  submit(task: ProbeTask): boolean {
    if (this.room() === 0) return false;
    this.own.push(task);
    this.idleWait?.wake();
    return true;
  }

  retire(): void {
    this.leaving = true;
    this.idleWait?.wake();
  }

  /** Ends when the session does. */
  async run(): Promise<void> {
    try {
      while (this.room() > 0) {
        this.batch = this.nextBatch();
        if (this.batch.length > 0) await this.serve(this.batch);
        else if (!(await this.waitForWork())) break;
        this.batch = [];
      }
    } finally {
      this.leaving = true;
      this.session.quit();
      for (const task of this.own.splice(0)) this.host.requeue(task);
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

  private async waitForWork(): Promise<boolean> {
    this.idleWait = this.host.waitIdle(this.session);
    const work = await this.idleWait.ended;
    this.idleWait = null;
    return work;
  }

  private nextBatch(): ProbeTask[] {
    const mine = this.own.splice(0, this.room()).filter(({ settled }) => !settled);
    const fresh = this.asked === 0 && mine.length === 0;
    const alone = mine.some(({ dialogue }) => dialogue !== null);
    const more = alone ? [] : this.host.take(this.room() - mine.length, this.session, fresh);
    const { now, next } = this.host.senders.groupBySender(this.withControls([...mine, ...more]));
    this.own.unshift(...next);
    return now;
  }

  /** With each of them, what is worth asking for in the same breath; those that have no room left come next. */
  private withControls(tasks: ProbeTask[]): ProbeTask[] {
    if (!this.session.pipelining || this.host.pace.isCautious) return tasks;
    const { own } = this;
    const waiting = own.length;
    const all = tasks.flatMap((task) => {
      if (task.refusalsBeforeCutoff === null) task.question.onBatch?.(this.session.target, this);
      return [task, ...own.splice(waiting)];
    });
    for (const task of all.splice(this.room()).reverse()) this.host.requeue(task);
    return all;
  }

  private async serve(tasks: ProbeTask[]): Promise<void> {
    const unanswered = new Set(tasks);
    this.transcript.startExchange(tasks.some(({ dialogue }) => dialogue !== null));
    for (const task of tasks) task.begin();
    const sender = this.host.senders.at(tasks[0]?.senderIndex ?? 0);
    const recipients = tasks.map(({ recipient }) => recipient);
    let heardAt = this.host.elapsed();
    let stuck = false;
    try {
      await this.session.ask(sender, recipients, this.host.limits.sharing, (index, reply, before) => {
        const task = tasks[index];
        if (task === undefined) return;
        unanswered.delete(task);
        this.transcript.copyTo(task.dialogue);
        this.onReply(task, reply, before);
        const waitedMs = this.host.elapsed() - heardAt;
        heardAt += waitedMs;
        if (reply.code < 500 || waitedMs < tarpitMs) return;
        this.host.limits.learnRefusals(1);
        stuck = unanswered.size > 0;
        // QUIT would wait behind the rest.
        if (stuck) this.session.destroy();
      });
    } catch (error) {
      if (stuck) {
        this.leaving = true;
        requeueAll(this.host, [...unanswered]);
        return;
      }
      if (unanswered.size > 0 && [...unanswered].every(({ settled }) => settled)) {
        // Nobody waits any more, so that it was we who hung up: nothing is learnt about the host.
        this.leaving = true;
        return;
      }
      const fault = error instanceof SmtpFault ? error : new SmtpFault('malformed', 'rcpt', String(error));
      for (const task of unanswered) this.transcript.copyTo(task.dialogue);
      if (unanswered.size > 0) this.onDisconnect([...unanswered], fault);
    }
  }

  private onReply(task: ProbeTask, reply: SmtpReply, before: TransactionState): void {
    this.asked++;
    const reading = task.question.read(reply, this.session);
    switch (this.state.classifyReply(task, reply, reading, before !== 'nothing')) {
      case 'minds_sharing':
        this.host.limits.separate(before);
        this.own.push(task);
        break;
      case 'over':
        this.onSessionEnded(task, reply);
        break;
      case 'turned':
        this.leaving = true;
        task.recordCutoff(this.state.refusalsBeforeCutoff());
        this.host.requeue(task);
        break;
      case 'answer':
        if (this.host.limits.isReliable(reading.reason === 'accepted', before)) this.answer(task, reply, reading);
        else this.own.push(task);
    }
  }

  private answer(task: ProbeTask, reply: SmtpReply, reading: Reading): void {
    const { limits, pace, senders } = this.host;
    const mindsSender = reading.reason === 'sender_rejected';
    if (mindsSender && senders.rejectAndRetry(task)) {
      // Exim and strict Postfix speak of the sender only at RCPT.
      this.own.push(task);
      return;
    }
    if (!mindsSender) senders.recordAccepted(task);
    if (reading.reason === 'rate_limited') pace.slowDown();
    else pace.recordSuccess();
    if (task.refusalsBeforeCutoff !== null && !reading.mayBlameSession) limits.learnRefusals(task.refusalsBeforeCutoff);
    task.settle({ state: 'answered', reply, reading, target: this.session.target, session: this });
  }

  /** The host ends the session, not the mailbox: ask again in a fresh one, unless this one was fresh. */
  private onSessionEnded(task: ProbeTask, reply: SmtpReply): void {
    this.leaving = true;
    if (this.asked > 1) {
      this.host.limits.learnRecipients(this.asked - 1);
      this.host.requeue(task);
      return;
    }
    if (reply.code === 421) this.host.pace.slowDown();
    this.host.tryNextHost(task, new SmtpFault('reply', 'rcpt', `${reply.code} ${reply.text}`, reply));
  }

  private onDisconnect(tasks: ProbeTask[], fault: SmtpFault): void {
    const { session, host: lane, state: mood, asked } = this;
    const again = requeueAfterDisconnect(tasks, fault, { session, lane, refused: mood.refused, asked });
    this.own.push(...again);
    this.leaving = again.length === 0;
  }
}
