import { fairTurns } from '../../async/fair-turns.js';
import type { SmtpSession } from '../smtp/session.js';
import type { ProbeTask } from './probe-task.js';

/** The mailboxes that wait for one host: urgent ones first, then those who ask in turn. */
export interface ProbeQueue {
  readonly length: number;
  add(task: ProbeTask): void;
  /** To its head: it was asked before. */
  putBack(task: ProbeTask): void;
  /** The first few, which stay. */
  peek(count: number): readonly ProbeTask[];
  /**
   * The next that nobody has given up, at most `room`, for a session; mailboxes of the domain that it was last asked about come first,
   * as they can share a transaction. One that needs a fresh session gets it alone, and no other one.
   */
  take(room: number, session: SmtpSession, fresh: boolean): ProbeTask[];
  /** How many at its head need a fresh session each. */
  needingFresh(): number;
  /** Forgets those that nobody waits for any more. */
  dropSettled(): void;
  /** All of them, which leave. */
  empty(): ProbeTask[];
}

export interface ProbeQueueOptions {
  /** Takes those that a session cannot carry. */
  turnAway(task: ProbeTask): void;
  needsFresh(task: ProbeTask): boolean;
}

/** How far to look for a mailbox of the same domain: lists are often sorted by name, and not by domain. */
const lookAhead = 500;

/** An empty queue. */
export function probeQueue({ turnAway, needsFresh }: ProbeQueueOptions): ProbeQueue {
  let waiting: ProbeTask[] = [];
  const turns = fairTurns<ProbeTask>(({ share }) => share);
  /** Only within one piece of work, so that nobody loses a turn by it. */
  const placeOfNext = (domain: string | null): number => {
    const first = waiting.findIndex((task) => !needsFresh(task));
    const head = waiting[first];
    if (head === undefined || domain === null || head.recipient.domain === domain) return first;
    const end = Math.min(waiting.length, first + lookAhead);
    for (let at = first + 1; at < end; at++) {
      const task = waiting[at];
      if (task?.recipient.domain !== domain || task.share !== head.share) continue;
      if (task.dialogue === null && !needsFresh(task)) return at;
    }
    return first;
  };
  return {
    get length() {
      return waiting.length;
    },
    add(task) {
      turns.insert(waiting, task);
    },
    putBack(task) {
      waiting.unshift(task);
    },
    peek: (count) => waiting.slice(0, count),
    take(room, session, fresh) {
      const taken: ProbeTask[] = [];
      let { domain } = session;
      while (taken.length < room) {
        const at = fresh && taken.length === 0 ? 0 : placeOfNext(domain);
        const task = waiting[at];
        // A dialogue that is kept stands alone, so that it reads as one.
        if (task === undefined || (task.dialogue !== null && taken.length > 0)) break;
        if (at === 0) waiting.shift();
        else waiting.splice(at, 1);
        if (task.settled) continue;
        if (task.recipient.smtputf8 && !session.smtputf8) {
          turnAway(task);
          continue;
        }
        taken.push(task);
        domain = task.recipient.domain;
        if (task.dialogue !== null || needsFresh(task)) break;
      }
      return taken;
    },
    needingFresh() {
      // They were put back at the head.
      const other = waiting.findIndex((task) => !needsFresh(task));
      return other === -1 ? waiting.length : other;
    },
    dropSettled() {
      if (waiting.some(({ settled }) => settled)) waiting = waiting.filter(({ settled }) => !settled);
    },
    empty() {
      const all = waiting;
      waiting = [];
      return all;
    },
  };
}
