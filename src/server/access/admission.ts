import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../async/caller.js';
import { FairQueue } from '../../async/fair-queue.js';

interface AdmissionOptions {
  /** Whose request it is. */
  shareOf(request: IncomingMessage): Caller;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Runs later, after what has arrived meanwhile was looked at. */
  later?: (run: () => void) => void;
}

/** Requests that are handled between two looks at what has arrived: a few milliseconds' worth. */
const requestsPerTurn = 8;

/**
 * Handles requests in fair turns. Node hands over all that came in one piece, a thousand requests where somebody sends them without
 * waiting for answers; whoever sends one at a time gets in between.
 */
export function openAdmission({ shareOf, handle, later = setImmediate }: AdmissionOptions) {
  const line = new FairQueue<[IncomingMessage, ServerResponse]>();
  let handled = 0;
  let scheduled = false;

  const turn = (): void => {
    scheduled = false;
    handled = 0;
    while (handled < requestsPerTurn) {
      const next = line.next();
      if (next === undefined) return;
      handled++;
      // Nobody waits for the answer any more.
      if (!next[0].socket.destroyed) handle(...next);
    }
    schedule();
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    later(turn);
  };
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (handled < requestsPerTurn && line.size === 0) {
      handled++;
      handle(request, response);
    } else line.add([request, response], shareOf(request));
    schedule();
  };
}
