import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../async/caller.js';
import { FairQueue } from '../../async/fair-queue.js';

interface AdmissionOptions {
  callerFor(request: IncomingMessage): Caller;
  handle(request: IncomingMessage, response: ServerResponse): void;
  defer?: (run: () => void) => void;
}

/** Requests handled between two reads of the sockets: a few milliseconds of work. */
const requestsPerTurn = 8;

/**
 * Handles requests in fair turns. Node delivers all pipelined requests of a read at once; requests of other callers are
 * handled in between.
 */
export function createAdmission({ callerFor, handle, defer = setImmediate }: AdmissionOptions) {
  const queue = new FairQueue<[IncomingMessage, ServerResponse]>();
  let handledCount = 0;
  let isScheduled = false;

  const handleTurn = (): void => {
    isScheduled = false;
    handledCount = 0;
    while (handledCount < requestsPerTurn) {
      const next = queue.next();
      if (next === undefined) return;
      handledCount++;
      // The client has disconnected.
      if (!next[0].socket.destroyed) handle(...next);
    }
    schedule();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    defer(handleTurn);
  };
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (handledCount < requestsPerTurn && queue.size === 0) {
      handledCount++;
      handle(request, response);
    } else queue.add([request, response], callerFor(request));
    schedule();
  };
}
