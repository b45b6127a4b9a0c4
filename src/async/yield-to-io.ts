/** Waiters that are resumed before I/O is served again. */
const resumedPerTurn = 8;

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
  for (const resolve of waiting.splice(0, resumedPerTurn)) resolve();
  if (waiting.length > 0) setImmediate(resumeSome);
}
