import { recent } from '../../async/bounded-map.js';
import type { ProbeTask } from './probe-task.js';

/** Which of our senders one host is asked with. */
export interface SenderChoice {
  /** Place in the list of the one to ask for this mailbox with. */
  placeFor(task: ProbeTask): number;
  /** The sender at a place in the list. */
  at(place: number): string;
  /** The host minds the sender that the mailbox was asked with; false where it has minded all. */
  another(task: ProbeTask): boolean;
  /** The host had nothing against the sender that the mailbox was asked with. */
  taken(task: ProbeTask): void;
}

const rememberedDomains = 1_000;

/** A choice among `senders` for one host. What it takes for one domain it may mind for the next: Exim has rules for each. */
export function senderChoice(senders: readonly string[]): SenderChoice {
  let usual = 0;
  const byDomain = recent<number>(rememberedDomains);

  function placeFor({ recipient, mindedSenders }: ProbeTask): number {
    const likely = byDomain.get(recipient.domain) ?? usual;
    if (!mindedSenders.includes(likely)) return likely;
    const left = senders.findIndex((_, place) => !mindedSenders.includes(place));
    return left === -1 ? likely : left;
  }

  return {
    placeFor,
    at: (place) => senders[place] ?? '',
    another(task) {
      if (!task.mindedSenders.includes(task.senderAt)) task.mindedSenders.push(task.senderAt);
      if (task.mindedSenders.length >= senders.length) return false;
      if (usual === task.senderAt) usual = (usual + 1) % senders.length;
      return true;
    },
    taken(task) {
      if (task.mindedSenders.length > 0) byDomain.set(task.recipient.domain, task.senderAt);
    },
  };
}
