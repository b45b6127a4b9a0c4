import { createHook } from 'node:async_hooks';

let held: object | null = null;

/**
 * Keeps `process.nextTick` fast, which Node calls half a dozen times for each request. V8 remembers what the objects in its queue look
 * like, and forgets it where a full garbage collection finds none of them; from then on each is built eight times slower, as long as
 * the process lives. So one of them is kept. Call it before memory fills up for the first time.
 */
export function keepTicksFast(): void {
  if (held !== null) return;
  const hook = createHook({
    init: (_id, type, _trigger, resource) => {
      if (type === 'TickObject') held = resource;
    },
  });
  hook.enable();
  process.nextTick(() => {});
  hook.disable();
}
