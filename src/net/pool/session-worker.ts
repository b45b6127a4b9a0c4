import type { SmtpReply } from '../../model/evidence.js';
import type { Reading } from '../replies/reading.js';
import { SmtpFault } from '../smtp/fault.js';
import type { SmtpSession, TransactionState } from '../smtp/session.js';
import type { ProbeTask, SessionHandle } from './probe-task.js';
import { requeueAfterDisconnect, requeueAll } from './requeue-after-disconnect.js';
import { SessionState, watchForTarpit } from './session-state.js';
import type { Transcript } from './transcript.js';
import type { WorkerHost } from './worker-host.js';

const batchWithoutPipelining = 3;
/** Replies of a larger exchange are not held: they would miss their deadlines at a slow host. */
const maxHeldReplies = 4;

/** Serves tasks over one greeted session. */
export class SessionWorker implements SessionHandle {
  private readonly ownTasks: ProbeTask[] = [];
  readonly state = new SessionState();
  private isClosing = false;
  private isAbandoned = false;
  private batch: ProbeTask[] = [];
  /** Ends the wait of an idle session. */
  wake: () => void = () => {};

  constructor(
    readonly session: SmtpSession,
    readonly host: WorkerHost,
    private readonly transcript: Transcript,
  ) {
    transcript.endGreeting();
    if (host.limits.avoidsPipelining) session.disablePipelining();
  }

  /** How many recipients fit in the next round trip. */
  room(): number {
    // A fresh session is used in any case, so that a host that disconnects after every greeting is noticed.
    if (this.isClosing || (this.state.replies > 0 && !this.session.isUsable)) return 0;
    const { limits } = this.host;
    // This assumes that all recipients in flight are refused.
    const room = Math.max(
      0,
      Math.min(limits.maxRecipients - this.state.replies, limits.maxRefusals - this.state.refusals),
    );
    if (limits.pace.isCautious) return Math.min(room, 1);
    return this.session.pipelining ? room : Math.min(room, batchWithoutPipelining);
  }

  submit(task: ProbeTask): boolean {
    if (this.room() === 0) return false;
    this.ownTasks.push(task);
    this.wake();
    return true;
  }

  /** Ends the session after the batch in progress. */
  closeAfterBatch(): void {
    this.isClosing = true;
    this.wake();
  }

  /** Resolves when the session ends; never rejects. */
  async run(): Promise<void> {
    try {
      while (this.room() > 0) {
        this.batch = this.nextBatch();
        if (this.batch.length > 0) await this.serve(this.batch);
        else if (!(await this.waitForWork())) break;
        this.batch = [];
      }
    } catch (error) {
      this.host.onException(error, [...new Set([...this.batch, ...this.ownTasks.splice(0)])]);
    } finally {
      this.isClosing = true;
      this.session.quit();
      for (const task of this.ownTasks.splice(0)) this.host.requeue(task);
    }
  }

  /** Hangs up if all tasks in flight are settled. */
  closeIfSettled(): void {
    if (this.batch.length > 0 && this.batch.every(({ isSettled }) => isSettled)) this.session.destroy();
  }

  /** Sends QUIT, or hangs up while a reply is outstanding. */
  close(): void {
    this.isClosing = true;
    if (this.batch.length > 0) this.session.destroy();
    else this.session.quit();
    this.wake();
  }

  /** Hangs up; what is not answered is asked again. */
  abandon(): void {
    this.isAbandoned = true;
    this.isClosing = true;
    this.session.destroy();
    this.wake();
  }

  /** Keeps the session open for a moment. False: no work came, another host needs the slot, or the connection is lost. */
  private waitForWork(): Promise<boolean> {
    const { context, slotUser } = this.host;
    return new Promise((resolve) => {
      const end = (mayHaveWork: boolean): void => {
        cancel();
        revoke();
        this.wake = () => {};
        resolve(mayHaveWork);
      };
      this.wake = () => end(true);
      const cancel = context.clock.after(context.options.lingerMs, () => end(false));
      const revoke = context.slots.offerIdle(slotUser, () => end(false));
      this.session.onLoss(() => end(false));
    });
  }

  private nextBatch(): ProbeTask[] {
    const unsettled = this.ownTasks.splice(0).filter(({ isSettled }) => !isSettled);
    const pending = unsettled.splice(0, this.room());
    this.ownTasks.push(...unsettled);
    const isFresh = this.state.replies === 0 && pending.length === 0;
    const wantsDialogue = pending.some(({ dialogue }) => dialogue !== null);
    const added = wantsDialogue ? [] : this.host.take(this.room() - pending.length, this.session, isFresh);
    this.batch = [...pending, ...added];
    const { now, next } = this.host.senders.groupBySender(this.withControls(this.batch));
    this.ownTasks.unshift(...next);
    return now;
  }

  /** Adds the control mailboxes of each task to the batch; tasks without room are put back. */
  private withControls(tasks: ProbeTask[]): ProbeTask[] {
    if (!this.session.pipelining || this.host.limits.pace.isCautious) return tasks;
    const all = tasks.flatMap((task) =>
      task.refusalsBeforeCutoff === null ? [task, ...this.host.context.controlsFor(task, this.session.target)] : [task],
    );
    for (const task of all.splice(this.room()).reverse()) this.host.requeue(task);
    return all;
  }

  private async serve(tasks: ProbeTask[]): Promise<void> {
    const unanswered = new Set(tasks);
    const tarpit = watchForTarpit(this.host, this.session, unanswered);
    this.transcript.startExchange(tasks.some(({ dialogue }) => dialogue !== null));
    for (const task of tasks) task.pause();
    const sender = this.host.senders.at(tasks[0]?.senderIndex ?? 0);
    const recipients = tasks.map(({ recipient }) => recipient);
    const { limits } = this.host;
    // The first replies are read at the end of their exchange: the last one may show that each answers another command.
    const isHolding = !limits.isPipeliningProven && tasks.length <= maxHeldReplies;
    const held = new Map<ProbeTask, () => void>();
    try {
      await this.session.ask(sender, recipients, limits.sharing, {
        onReply: (index, reply, preceding) => {
          const task = tasks[index];
          if (task === undefined) return;
          unanswered.delete(task);
          task.pause();
          const read = () => {
            this.transcript.copyTo(task.dialogue);
            this.readReply(task, reply, preceding);
          };
          if (isHolding) held.set(task, read);
          else read();
          tarpit.onReply(reply);
        },
        onWait: () => {
          tarpit.onWait();
          beginNext(unanswered);
        },
        ...(tasks.some(({ question }) => question.isOfList) && {
          rcptMs: this.host.context.options.timeouts.listRcptMs,
        }),
      });
      limits.isPipeliningProven = true;
      for (const read of held.values()) read();
    } catch (error) {
      // A reply may be missing, so that each one held may answer another command.
      this.onInterrupted([...held.keys(), ...unanswered], tarpit.isStuck(), error);
    } finally {
      tarpit.end();
    }
  }

  private onInterrupted(unanswered: ProbeTask[], isStuck: boolean, error: unknown): void {
    if (isStuck || this.isAbandoned) {
      this.isClosing = true;
      requeueAll(this.host, unanswered);
      return;
    }
    if (unanswered.length === 0) return;
    if (unanswered.every(({ isSettled }) => isSettled)) {
      // We hung up ourselves: this says nothing about the host.
      this.isClosing = true;
      return;
    }
    if (!(error instanceof SmtpFault)) {
      // The state of the dialogue is unknown: a fresh session is needed.
      this.isClosing = true;
      this.session.destroy();
      this.host.onException(error, unanswered);
      return;
    }
    for (const task of unanswered) this.transcript.copyTo(task.dialogue);
    const retried = requeueAfterDisconnect(unanswered, error, this);
    this.ownTasks.push(...retried);
    this.isClosing = retried.length === 0;
  }

  /** An exception while a reply is read concerns its task alone: the other replies of the batch are read. */
  private readReply(task: ProbeTask, reply: SmtpReply, preceding: TransactionState): void {
    try {
      this.onReply(task, reply, preceding);
    } catch (error) {
      this.isClosing = true;
      this.host.onException(error, [task]);
    }
  }

  private onReply(task: ProbeTask, reply: SmtpReply, preceding: TransactionState): void {
    const reading = task.question.read(reply, this.session, task.recipient.address);
    switch (this.state.classifyReply(task, reply, reading, preceding !== 'nothing')) {
      case 'shared_transaction':
        this.host.limits.restrictSharing(preceding);
        this.ownTasks.push(task);
        break;
      case 'session_over':
        this.onSessionEnded(task, reply);
        break;
      case 'cut_off':
        this.isClosing = true;
        this.host.limits.pace.pause();
        task.refusalsBeforeCutoff = this.state.refusalsBeforeCutoff();
        this.host.requeue(task);
        break;
      case 'answer':
        if (this.host.limits.recordAnswer(reading.reason === 'accepted', preceding)) this.answer(task, reply, reading);
        else this.ownTasks.push(task);
    }
  }

  private answer(task: ProbeTask, reply: SmtpReply, reading: Reading): void {
    const { limits, senders } = this.host;
    const isSenderRejected = reading.reason === 'sender_rejected';
    if (isSenderRejected && senders.rejectAndRetry(task)) {
      // Exim and strict Postfix reject the sender only at RCPT.
      this.ownTasks.push(task);
      return;
    }
    if (!isSenderRejected) senders.recordAccepted(task);
    if (reading.reason !== 'rate_limited') limits.pace.recordSuccess();
    else {
      // The replies of one batch count once.
      if (!this.isClosing) limits.pace.slowDown();
      this.isClosing = true;
    }
    if (task.refusalsBeforeCutoff !== null && !reading.mayBlameSession) limits.learnRefusals(task.refusalsBeforeCutoff);
    task.settle({ state: 'answered', reply, reading, target: this.session.target, session: this });
  }

  /** Called when the host ends the session: asks again in a fresh one, unless this one was fresh. */
  private onSessionEnded(task: ProbeTask, reply: SmtpReply): void {
    this.isClosing = true;
    if (this.state.replies > 1) {
      this.host.limits.learnRecipients(this.state.replies - 1);
      this.host.limits.pace.pause();
      this.host.requeue(task);
      return;
    }
    if (reply.code === 421) this.host.limits.pace.slowDown();
    this.host.tryNextHost(task, new SmtpFault('reply', 'rcpt', `${reply.code} ${reply.text}`, reply));
  }
}

/** A host answers its recipients in order: the deadline of each one starts when those before it are answered. */
function beginNext(unanswered: ReadonlySet<ProbeTask>): void {
  const [next] = unanswered;
  next?.begin();
}
