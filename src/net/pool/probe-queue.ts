import { isSameCaller } from '../../async/caller.js';
import { FairQueue } from '../../async/fair-queue.js';
import type { SmtpSession } from '../smtp/session.js';
import type { ProbeTask } from './probe-task.js';

interface ProbeQueueOptions {
  /** Takes tasks that a session cannot carry. */
  reject(task: ProbeTask): void;
  needsFreshSession(task: ProbeTask): boolean;
}

type MayTake = (task: ProbeTask) => boolean;

const anyTask: MayTake = () => true;

/** How many tasks of a domain to search for one of the same caller: others may have queued thousands before it. */
const maxDomainSearch = 500;

/** The tasks that wait for one host: callers get their turns by priority and owner. */
export class ProbeQueue {
  private readonly waiting = new FairQueue<ProbeTask>();
  /** Tasks that were asked before, or need a fresh session: they go first. */
  private retries: ProbeTask[] = [];
  /** A list is rarely sorted by domain. Searching it for each mailbox takes longer than asking. */
  private readonly byDomain = new Map<string, Set<ProbeTask>>();

  constructor(private readonly options: ProbeQueueOptions) {}

  get length(): number {
    return this.retries.length + this.waiting.size;
  }

  firstOf(mayTake: MayTake = anyTask): ProbeTask | undefined {
    return this.retries.find(mayTake) ?? this.waiting.peek(mayTake);
  }

  add(task: ProbeTask): void {
    if (this.options.needsFreshSession(task)) this.retries.push(task);
    else this.waiting.add(task, task.caller);
    this.indexByDomain(task);
  }

  /** Puts a task that was asked before at the head. */
  requeue(task: ProbeTask): void {
    this.retries.unshift(task);
    this.indexByDomain(task);
  }

  /** At most `count` tasks from the head, which stay. */
  peek(count: number): readonly ProbeTask[] {
    const tasks = this.retries.slice(0, count);
    for (const task of this.waiting) {
      if (tasks.length >= count) break;
      tasks.push(task);
    }
    return tasks;
  }

  /**
   * Takes at most `room` tasks for a session. Mailboxes of the domain that it was last asked about come first, as they can share a
   * transaction. A task that needs a fresh session gets that session alone.
   */
  take(room: number, session: SmtpSession, isFresh: boolean, mayTake: MayTake = anyTask): ProbeTask[] {
    const { needsFreshSession, reject } = this.options;
    const taken: ProbeTask[] = [];
    let { domain } = session;
    while (taken.length < room) {
      const task = isFresh && taken.length === 0 ? this.firstOf(mayTake) : this.nextAfter(domain, mayTake);
      // A task with a recorded dialogue gets its own batch, so that the dialogue is only about it.
      if (task === undefined || (task.dialogue !== null && taken.length > 0)) break;
      this.remove(task);
      if (task.isSettled) continue;
      if (task.recipient.smtputf8 && !session.smtputf8) {
        reject(task);
        continue;
      }
      taken.push(task);
      domain = task.recipient.domain;
      if (task.dialogue !== null || needsFreshSession(task)) break;
    }
    return taken;
  }

  freshSessionsNeeded(): number {
    return this.retries.filter(this.options.needsFreshSession).length;
  }

  /** Takes the given tasks that wait in the queue. */
  extract(tasks: readonly ProbeTask[]): ProbeTask[] {
    const waiting = tasks.filter((task) => this.byDomain.get(task.recipient.domain)?.has(task) === true);
    for (const task of waiting) this.remove(task);
    return waiting;
  }

  /** Takes all tasks. */
  drain(): ProbeTask[] {
    const all = [...this.peek(this.length)];
    for (const task of all) this.remove(task);
    return all;
  }

  /** The next task, or one of the given domain and the same caller, so that no other caller loses a turn. */
  private nextAfter(domain: string | null, mayTake: MayTake): ProbeTask | undefined {
    const { needsFreshSession } = this.options;
    const head = this.retries.find((task) => !needsFreshSession(task) && mayTake(task)) ?? this.waiting.peek(mayTake);
    if (head === undefined || domain === null || head.recipient.domain === domain) return head;
    let searchesLeft = maxDomainSearch;
    for (const task of this.byDomain.get(domain) ?? []) {
      if (isSameCaller(task.caller, head.caller) && task.dialogue === null && !needsFreshSession(task)) return task;
      if (--searchesLeft === 0) break;
    }
    return head;
  }

  private remove(task: ProbeTask): void {
    const index = this.retries.indexOf(task);
    if (index === -1) this.waiting.take(task);
    else this.retries.splice(index, 1);
    const { domain } = task.recipient;
    const tasks = this.byDomain.get(domain);
    tasks?.delete(task);
    if (tasks?.size === 0) this.byDomain.delete(domain);
  }

  private indexByDomain(task: ProbeTask): void {
    const { domain } = task.recipient;
    const tasks = this.byDomain.get(domain);
    if (tasks === undefined) this.byDomain.set(domain, new Set([task]));
    else tasks.add(task);
  }
}
