/** How many go on before sockets are looked at again. */
const resumedPerTurn = 8;

const waiting: (() => void)[] = [];

/**
 * Waits until sockets have been served: what is left to do for a row that is answered makes nobody wait, while a host that is
 * answered late is asked late for the next.
 */
export function yieldToIo(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeSome);
  });
}

function resumeSome(): void {
  for (const resolve of waiting.splice(0, resumedPerTurn)) resolve();
  if (waiting.length > 0) setImmediate(resumeSome);
}
