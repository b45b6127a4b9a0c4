import { recent } from '../../async/bounded-map.js';
import type { ProbeTask } from './probe-task.js';

const rememberedDomains = 1_000;

/** Which of our senders one host is asked with. What it takes for one domain it may mind for the next: Exim has rules for each. */
export class SenderChoice {
  private usual = 0;
  private readonly byDomain = recent<number>(rememberedDomains);

  constructor(private readonly senders: readonly string[]) {}

  /** Place in the list of the one to ask for this mailbox with. */
  private placeFor(task: ProbeTask): number {
    const likely = this.byDomain.get(task.recipient.domain) ?? this.usual;
    if (!task.minds(likely)) return likely;
    const left = this.senders.findIndex((_, place) => !task.minds(place));
    return left === -1 ? likely : left;
  }

  /** A transaction has one sender: those who are asked for with the first one's now, and those who need another one next. */
  shareOne(tasks: ProbeTask[]): { now: ProbeTask[]; next: ProbeTask[] } {
    const [first] = tasks;
    if (first === undefined) return { now: tasks, next: [] };
    const place = this.placeFor(first);
    const next = tasks.filter((task) => this.placeFor(task) !== place);
    const now = next.length > 0 ? tasks.filter((task) => !next.includes(task)) : tasks;
    for (const task of now) task.askWith(place);
    return { now, next };
  }

  /** The sender at a place in the list. */
  at(place: number): string {
    return this.senders[place] ?? '';
  }

  /** The host minds the sender that the mailbox was asked with; false where it has minded all. */
  another(task: ProbeTask): boolean {
    task.mindSender();
    if (task.mindedSenders >= this.senders.length) return false;
    if (this.usual === task.askedWith) this.usual = (this.usual + 1) % this.senders.length;
    return true;
  }

  /** The host had nothing against the sender that the mailbox was asked with. */
  taken(task: ProbeTask): void {
    if (task.mindedSenders > 0) this.byDomain.set(task.recipient.domain, task.askedWith);
  }
}
