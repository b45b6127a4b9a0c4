import { fairLine, type Share } from '../../async/fair-line.js';
import type { DnsStep, DnsTask } from './cancellation.js';

/** Who wants a place. */
export interface Entrant extends DnsTask {
  /** Whose question it is. */
  share: Share;
  /** A place is its own now: at once, later, or as soon as it was called off. */
  enter(): void;
}

/** A fixed number of places; who finds none free waits in line, where everybody who asks gets his turns. */
export interface Slots {
  take(entrant: Entrant): void;
  give(entrant: Entrant): void;
  /** Whoever waits has become more urgent. */
  hurry(entrant: Entrant, share: Share): void;
}

interface Waiting extends DnsStep {
  /** Null once it has left the line. */
  entrant: Entrant | null;
}

/** `count` free places. Lists leave some of them free for whoever asks for one address: a dead name server holds a place for seconds. */
export function slots(count: number): Slots {
  const places = Math.max(1, count);
  const reserve = Math.floor(places / 8);
  const most = { bulk: places - reserve, job: places - 2 * reserve };
  const held = { single: 0, bulk: 0, job: 0 };
  const line = fairLine<Waiting>();
  let free = places;
  let admitting = false;

  const mayEnter = (urgency: Share['urgency']): boolean => {
    if (urgency === 'single') return true;
    return held[urgency] < most[urgency] && held.bulk + held.job < most.bulk;
  };
  const enter = (entrant: Entrant): void => {
    free--;
    held[entrant.share.urgency]++;
    entrant.enter();
  };
  const admit = (waiting: Waiting): void => {
    const { entrant } = waiting;
    if (entrant === null) return;
    waiting.entrant = null;
    entrant.step = null;
    enter(entrant);
  };
  const admitAll = (): void => {
    // Who enters may be done at once and give back from within: the loop below sees that, and the stack stays flat.
    if (admitting) return;
    admitting = true;
    while (free > 0) {
      const next = line.next(mayEnter);
      if (next === undefined) break;
      admit(next);
    }
    admitting = false;
  };
  const wait = (entrant: Entrant): void => {
    const waiting: Waiting = { entrant, cancel: () => admit(waiting) };
    entrant.step = waiting;
    line.add(waiting, entrant.share);
    admitAll();
  };
  return {
    take: (entrant) => {
      if (free > 0 && line.size() === 0 && mayEnter(entrant.share.urgency)) enter(entrant);
      else wait(entrant);
    },
    give: ({ share }) => {
      free++;
      held[share.urgency]--;
      admitAll();
    },
    hurry: (entrant, share) => {
      const waiting = entrant.step as Waiting | null;
      if (waiting?.entrant !== entrant) return;
      waiting.entrant = null;
      entrant.share = share;
      wait(entrant);
    },
  };
}
