import type { DnsTask } from './dns-shared.js';

/** A fixed number of places; who finds none free waits in line. */
export interface Slots {
  tryTake(): boolean;
  /** Resolves when a place is ours, at once when the task is cancelled (then, too, a place is taken). */
  wait(task: DnsTask): Promise<void>;
  give(): void;
}

/** `count` free places. */
export function slots(count: number): Slots {
  let free = Math.max(1, count);
  let line: { task: DnsTask; enter: () => void }[] = [];
  let head = 0;
  return {
    tryTake: () => {
      if (free <= 0 || head < line.length) return false;
      free--;
      return true;
    },
    wait: (task) =>
      new Promise((resolve) => {
        let entered = false;
        const enter = () => {
          if (entered) return;
          entered = true;
          task.cancel = null;
          free--;
          resolve();
        };
        task.cancel = enter;
        line.push({ task, enter });
      }),
    give: () => {
      free++;
      while (free > 0 && head < line.length) {
        line[head++]?.enter();
      }
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
