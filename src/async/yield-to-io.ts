/** Waiters that are resumed before I/O is served again, or an eighth of them if they are many: while I/O is busy, none waits for long. */
const leastPerTurn = 8;

const waiting: (() => void)[] = [];

/** Resolves after pending I/O was served. */
export function afterIo(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Like `afterIo`, for work on answered rows: it can wait, while a late command to a mail host delays all its next answers. */
export function yieldToIo(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeSome);
  });
}

function resumeSome(): void {
  for (const resolve of waiting.splice(0, Math.max(leastPerTurn, waiting.length / 8))) resolve();
  if (waiting.length > 0) setImmediate(resumeSome);
}
