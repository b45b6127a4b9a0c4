import { LruMap } from '../../async/lru-map.js';
import type { ProbeTask } from './probe-task.js';

const rememberedDomains = 1_000;

/** Which of our senders one host is asked with. What it takes for one domain it may mind for the next: Exim has rules for each. */
export class SenderChoice {
  private preferred = 0;
  private readonly byDomain = new LruMap<number>({ maxEntries: rememberedDomains });

  constructor(private readonly senders: readonly string[]) {}

  /** Place in the list of the one to ask for this mailbox with. */
  private indexFor(task: ProbeTask): number {
    const likely = this.byDomain.get(task.recipient.domain) ?? this.preferred;
    if (!task.hasRejected(likely)) return likely;
    const left = this.senders.findIndex((_, place) => !task.hasRejected(place));
    return left === -1 ? likely : left;
  }

  /** A transaction has one sender: those who are asked for with the first one's now, and those who need another one next. */
  groupBySender(tasks: ProbeTask[]): { now: ProbeTask[]; next: ProbeTask[] } {
    const [first] = tasks;
    if (first === undefined) return { now: tasks, next: [] };
    const place = this.indexFor(first);
    const next = tasks.filter((task) => this.indexFor(task) !== place);
    const now = next.length > 0 ? tasks.filter((task) => !next.includes(task)) : tasks;
    for (const task of now) task.useSender(place);
    return { now, next };
  }

  /** The sender at a place in the list. */
  at(place: number): string {
    return this.senders[place] ?? '';
  }

  /** The host minds the sender that the mailbox was asked with; false where it has minded all. */
  rejectAndRetry(task: ProbeTask): boolean {
    task.rejectSender();
    if (task.rejectedSenderCount >= this.senders.length) return false;
    if (this.preferred === task.senderIndex) this.preferred = (this.preferred + 1) % this.senders.length;
    return true;
  }

  /** The host had nothing against the sender that the mailbox was asked with. */
  recordAccepted(task: ProbeTask): void {
    if (task.rejectedSenderCount > 0) this.byDomain.set(task.recipient.domain, task.senderIndex);
  }
}
