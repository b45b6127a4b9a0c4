import type { Facts } from '../host-knowledge.js';
import type { ProbeTask } from './probe-task.js';

/** Which of our senders to use with a host. A sender accepted for one domain may be rejected for the next: Exim has rules for each. */
export class SenderChoice {
  /** `accepted` has the index of the sender that the host, or the host for a domain, accepted. */
  constructor(
    private readonly senders: readonly string[],
    private readonly accepted: Facts<number>,
    private readonly hostKey: string,
  ) {}

  private get preferred(): number {
    return this.accepted.get(this.hostKey) ?? 0;
  }

  /** The index of the sender to use for a task. */
  private indexFor(task: ProbeTask): number {
    const preferred = this.accepted.get(this.keyFor(task)) ?? this.preferred;
    if (!task.rejectedSenders.has(preferred)) return preferred;
    const untried = this.senders.findIndex((_, index) => !task.rejectedSenders.has(index));
    return untried === -1 ? preferred : untried;
  }

  /** Splits tasks into those that share the sender of the first one, and those that need another transaction. */
  groupBySender(tasks: ProbeTask[]): { now: ProbeTask[]; next: ProbeTask[] } {
    const [first] = tasks;
    if (first === undefined) return { now: tasks, next: [] };
    const index = this.indexFor(first);
    const next = tasks.filter((task) => this.indexFor(task) !== index);
    const now = next.length > 0 ? tasks.filter((task) => !next.includes(task)) : tasks;
    for (const task of now) task.senderIndex = index;
    return { now, next };
  }

  /** The sender at an index. */
  at(index: number): string {
    return this.senders[index] ?? '';
  }

  /** Records that the host rejected the sender that was used; false if it has rejected all. */
  rejectAndRetry(task: ProbeTask): boolean {
    task.rejectedSenders.add(task.senderIndex);
    if (task.rejectedSenders.size >= this.senders.length) return false;
    const { preferred } = this;
    if (preferred === task.senderIndex) this.accepted.set(this.hostKey, (preferred + 1) % this.senders.length);
    return true;
  }

  /** Records that the host accepted the sender that was used. */
  recordAccepted(task: ProbeTask): void {
    if (task.rejectedSenders.size > 0) this.accepted.set(this.keyFor(task), task.senderIndex);
  }

  private keyFor({ recipient }: ProbeTask): string {
    return `${this.hostKey} ${recipient.domain}`;
  }
}
