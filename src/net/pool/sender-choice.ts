import { LruMap } from '../../async/lru-map.js';
import type { ProbeTask } from './probe-task.js';

const maxDomains = 1_000;

/** Which of our senders to use with a host. A sender accepted for one domain may be rejected for the next: Exim has rules for each. */
export class SenderChoice {
  private preferred = 0;
  private readonly byDomain = new LruMap<number>({ maxEntries: maxDomains });

  constructor(private readonly senders: readonly string[]) {}

  /** The index of the sender to use for a task. */
  private indexFor(task: ProbeTask): number {
    const likely = this.byDomain.get(task.recipient.domain) ?? this.preferred;
    if (!task.hasRejected(likely)) return likely;
    const left = this.senders.findIndex((_, index) => !task.hasRejected(index));
    return left === -1 ? likely : left;
  }

  /** Splits tasks into those that share the sender of the first one, and those that need another transaction. */
  groupBySender(tasks: ProbeTask[]): { now: ProbeTask[]; next: ProbeTask[] } {
    const [first] = tasks;
    if (first === undefined) return { now: tasks, next: [] };
    const index = this.indexFor(first);
    const next = tasks.filter((task) => this.indexFor(task) !== index);
    const now = next.length > 0 ? tasks.filter((task) => !next.includes(task)) : tasks;
    for (const task of now) task.useSender(index);
    return { now, next };
  }

  /** The sender at an index. */
  at(index: number): string {
    return this.senders[index] ?? '';
  }

  /** Records that the host rejected the sender that was used; false where it has rejected all. */
  rejectAndRetry(task: ProbeTask): boolean {
    task.rejectSender();
    if (task.rejectedSenderCount >= this.senders.length) return false;
    if (this.preferred === task.senderIndex) this.preferred = (this.preferred + 1) % this.senders.length;
    return true;
  }

  /** Records that the host accepted the sender that was used. */
  recordAccepted(task: ProbeTask): void {
    if (task.rejectedSenderCount > 0) this.byDomain.set(task.recipient.domain, task.senderIndex);
  }
}
