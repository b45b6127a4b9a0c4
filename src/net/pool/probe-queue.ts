import { fairTurns } from '../../async/fair-turns.js';
import type { SmtpSession } from '../smtp/session.js';
import type { ProbeTask } from './probe-task.js';

/** The mailboxes that wait for one host: urgent ones first, then those who ask in turn. */
export interface ProbeQueue {
  readonly length: number;
  add(task: ProbeTask): void;
  /** To its head: it was asked before. */
  requeue(task: ProbeTask): void;
  /** The first few, which stay. */
  peek(count: number): readonly ProbeTask[];
  /**
   * The next that nobody has given up, at most `room`, for a session; mailboxes of the domain that it was last asked about come first,
   * as they can caller a transaction. One that needs a fresh session gets it alone, and no other one.
   */
  take(room: number, session: SmtpSession, fresh: boolean): ProbeTask[];
  /** How many at its head need a fresh session each. */
  freshSessionsNeeded(): number;
  /** Forgets those that nobody waits for any more. */
  dropSettled(): void;
  /** All of them, which leave. */
  drain(): ProbeTask[];
}

interface ProbeQueueOptions {
  /** Takes those that a session cannot carry. */
  reject(task: ProbeTask): void;
  needsFreshSession(task: ProbeTask): boolean;
}

/** How many of a domain to look at for one of the same piece of work: others may have put thousands before it. */
const lookAhead = 500;

/** An empty queue. */
export function createProbeQueue({ reject: turnAway, needsFreshSession: needsFresh }: ProbeQueueOptions): ProbeQueue {
  let waiting: ProbeTask[] = [];
  /** A long list is rarely sorted by domain, and to look through it for each mailbox takes longer than to ask for it. */
  const byDomain = new Map<string, Set<ProbeTask>>();
  const turns = fairTurns<ProbeTask>(({ caller }) => caller);
  const noteDomain = (task: ProbeTask): void => {
    const { domain } = task.recipient;
    const same = byDomain.get(domain);
    if (same === undefined) byDomain.set(domain, new Set([task]));
    else same.add(task);
  };
  const forgetDomain = (task: ProbeTask): void => {
    const { domain } = task.recipient;
    const same = byDomain.get(domain);
    same?.delete(task);
    if (same?.size === 0) byDomain.delete(domain);
  };
  /** Of the same domain where there is one: only within one piece of work, so that nobody loses a turn by it. */
  const nextAfter = (domain: string | null): ProbeTask | undefined => {
    const head = waiting.find((task) => !needsFresh(task));
    if (head === undefined || domain === null || head.recipient.domain === domain) return head;
    let looks = lookAhead;
    for (const task of byDomain.get(domain) ?? []) {
      if (task.caller === head.caller && task.dialogue === null && !needsFresh(task)) return task;
      if (--looks === 0) break;
    }
    return head;
  };
  const remove = (task: ProbeTask): void => {
    if (task === waiting[0]) waiting.shift();
    else waiting.splice(waiting.indexOf(task), 1);
    forgetDomain(task);
  };
  return {
    get length() {
      return waiting.length;
    },
    add(task) {
      turns.insert(waiting, task);
      noteDomain(task);
    },
    requeue(task) {
      waiting.unshift(task);
      noteDomain(task);
    },
    peek: (count) => waiting.slice(0, count),
    take(room, session, fresh) {
      const taken: ProbeTask[] = [];
      let { domain } = session;
      while (taken.length < room) {
        const task = fresh && taken.length === 0 ? waiting[0] : nextAfter(domain);
        // A dialogue that is kept stands alone, so that it reads as one.
        if (task === undefined || (task.dialogue !== null && taken.length > 0)) break;
        remove(task);
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
    freshSessionsNeeded() {
      // They were put back at the head.
      const other = waiting.findIndex((task) => !needsFresh(task));
      return other === -1 ? waiting.length : other;
    },
    dropSettled() {
      for (const task of waiting) if (task.settled) forgetDomain(task);
      waiting = waiting.filter(({ settled }) => !settled);
    },
    drain() {
      const all = waiting;
      waiting = [];
      byDomain.clear();
      return all;
    },
  };
}
