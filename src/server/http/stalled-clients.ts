import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Cuts off callers who stop sending or reading in the middle of a request. */
export interface StallWatch {
  /** A request has begun. */
  watch(response: ServerResponse): void;
  /** Nothing has moved on the connection for as long as its timer was set. */
  timedOut(socket: Socket): void;
  close(): void;
}

const current = Symbol('current response');
const lasts = Symbol('was under way at the last look');

interface Watched extends Socket {
  [current]?: ServerResponse | null;
  [lasts]?: boolean;
}

/**
 * Sets the timer of a connection only where a request lasts, and that within a second of its start: nearly all are answered before,
 * and a timer for each costs more than the whole watch.
 */
export function openStallWatch(stallMs: number): StallWatch {
  const sockets = new Set<Watched>();
  const look = (): void => {
    for (const socket of sockets) {
      if (socket[current] == null) continue;
      if (socket[lasts] !== true) socket[lasts] = true;
      else if (socket.timeout !== stallMs) socket.setTimeout(stallMs);
    }
  };
  const timer = setInterval(look, Math.max(10, Math.min(500, Math.round(stallMs / 4)))).unref();
  return {
    watch: (response) => {
      const socket: Watched = response.req.socket;
      if (socket[current] === undefined) {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
      }
      socket[current] = response;
      socket[lasts] = false;
      response.on('close', forget);
    },
    timedOut: (socket: Watched) => {
      const response = socket[current];
      // Silence is a caller who stopped sending or reading, unless it is us who are at work.
      if (response?.req.complete !== true || response.headersSent) socket.destroy();
    },
    close: () => clearInterval(timer),
  };
}

/** All that a request has made would else be kept while its connection waits for the next one. */
function forget(this: ServerResponse): void {
  const socket: Watched = this.req.socket;
  if (socket[current] === this) socket[current] = null;
}
