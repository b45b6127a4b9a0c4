import type { DnsStep, DnsTask } from './cancellable.js';

/** Who wants a place. */
export interface Entrant extends DnsTask {
  /** A place is its own now: at once, later, or as soon as it was called off. */
  enter(): void;
}

/** A fixed number of places; who finds none free waits in line. */
export interface Slots {
  take(entrant: Entrant): void;
  give(): void;
}

interface Waiting extends DnsStep {
  /** Null once it has left the line. */
  entrant: Entrant | null;
}

/** `count` free places. */
export function slots(count: number): Slots {
  let free = Math.max(1, count);
  let line: Waiting[] = [];
  let head = 0;
  let admitting = false;

  const admit = (waiting: Waiting) => {
    const { entrant } = waiting;
    if (entrant === null) return;
    waiting.entrant = null;
    entrant.step = null;
    free--;
    entrant.enter();
  };

  return {
    take: (entrant) => {
      if (free > 0 && head === line.length) {
        free--;
        entrant.enter();
        return;
      }
      const waiting: Waiting = { entrant, cancel: () => admit(waiting) };
      entrant.step = waiting;
      line.push(waiting);
    },
    give: () => {
      free++;
      // Who enters may be done at once and give back from within: the loop below sees that, and the stack stays flat.
      if (admitting) return;
      admitting = true;
      while (free > 0 && head < line.length) {
        const next = line[head++];
        if (next !== undefined) admit(next);
      }
      admitting = false;
      if (head === line.length) {
        line = [];
        head = 0;
      } else if (head > 1_024) {
        line = line.slice(head);
        head = 0;
      }
    },
  };
}
