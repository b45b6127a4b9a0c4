/** How many go on before sockets are looked at again. */
const atATime = 8;

const waiting: (() => void)[] = [];

/**
 * Waits until sockets have been served: what is left to do for a row that is answered makes nobody wait, while a host that is
 * answered late is asked late for the next.
 */
export function leisure(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  for (const resolve of waiting.splice(0, atATime)) resolve();
  if (waiting.length > 0) setImmediate(goOn);
}
