import type { DnsTask } from './dns-shared.js';

/** A fixed number of places; who finds none free waits in line. */
export interface Slots {
  /** Calls `enter` when a place is the task's: now, later, or as soon as the task is called off. */
  take(task: DnsTask, enter: () => void): void;
  give(): void;
}

interface Waiting {
  task: DnsTask;
  enter: (() => void) | null;
}

/** `count` free places. */
export function slots(count: number): Slots {
  let free = Math.max(1, count);
  let line: Waiting[] = [];
  let head = 0;
  let admitting = false;

  const admit = (waiting: Waiting) => {
    const { task, enter } = waiting;
    if (enter === null) return;
    waiting.enter = null;
    task.cancel = null;
    free--;
    enter();
  };

  return {
    take: (task, enter) => {
      if (free > 0 && head === line.length) {
        free--;
        enter();
        return;
      }
      const waiting: Waiting = { task, enter };
      task.cancel = () => admit(waiting);
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
