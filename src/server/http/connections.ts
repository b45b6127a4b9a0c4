import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from '../../async/caller.js';
import { setCaller } from '../../async/caller.js';
import { createFifoQueue, type FifoQueue } from '../../async/fifo-queue.js';
import { Failure } from '../../model/failure.js';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** All connections and their requests in progress. */
export interface Connections {
  /** Handles a request now, or once its connection has fewer requests in progress. */
  begin(response: ServerResponse, handle: Handle): void;
  /** Calls `act` once, when the response is sent or never will be. */
  whenOver(response: ServerResponse, act: () => void): void;
  /**
   * Aborted when the client disconnects or the server stops. Shared by all requests of a connection with the same key
   * and priority, since a signal for each is expensive.
   */
  signalFor(request: IncomingMessage, priority: Caller['priority'], owner: string): AbortSignal;
  /** Requests in progress on all connections. */
  underWay(): number;
  /** Pauses a body that arrives in very many chunks until its turn comes. */
  slowDown(request: IncomingMessage): void;
  /** True while requests of the connection are queued. */
  isCrowded(request: IncomingMessage): boolean;
  /** The timer of the socket has expired. */
  timedOut(socket: Socket): void;
  abortAll(): void;
  close(): void;
}

interface Connection {
  /** Oldest first. Responses are sent in the order of the requests. */
  readonly responses: Map<ServerResponse, (() => void) | null>;
  /** By owner, then by priority. */
  readonly signals: Map<string, Map<Caller['priority'], AbortController>>;
  readonly name: string;
  /** Pipelined requests above the limit. */
  readonly waiting: FifoQueue<[response: ServerResponse, handle: Handle]>;
  /** Paused: too many requests in progress, or waiting for its turn. */
  full: boolean;
  /** Had a request in progress at the previous check. */
  lasts: boolean;
}

const connection = Symbol('connection');
type Known = Socket & { [connection]?: Connection };

interface ConnectionLimits {
  /** Silence in the middle of a request or response. */
  stallMs: number;
  /** A connection with this many requests in progress is paused until half of them are answered. */
  requestsAtOnce: number;
}

/** Delay between two reads of bodies in tiny chunks, over all connections: one read may take 40 ms. */
const slowReadMs = 150;

/** Begins without connections. */
export function openConnections({ stallMs, requestsAtOnce }: ConnectionLimits): Connections {
  const sockets = new Set<Known>();
  /** Resumes one connection per event loop turn, since one read may hold thousands of requests. */
  const unread = openReadLine(setImmediate);
  const slow = openReadLine((next) => setTimeout(next, slowReadMs));
  let underWay = 0;
  let count = 0;

  const meet = (socket: Known): Connection => {
    const met: Connection = {
      ...{ responses: new Map(), signals: new Map(), name: String(count++), waiting: createFifoQueue() },
      ...{ full: false, lasts: false },
    };
    socket[connection] = met;
    sockets.add(socket);
    // Before Node's own listener, which creates an error for each open request.
    socket.prependOnceListener('close', () => leave(socket, met));
    // Node resumes a socket when a request ends.
    socket.on('resume', () => {
      if (met.full) socket.pause();
    });
    return met;
  };
  const leave = (socket: Known, met: Connection): void => {
    sockets.delete(socket);
    for (const line of [unread, slow]) line.delete(socket);
    abort(met, 'The client disconnected.');
    for (let next = met.waiting.shift(); next !== undefined; next = met.waiting.shift()) {
      underWay--;
      next[0].req.destroy();
    }
    // Node emits nothing for queued responses when the connection breaks.
    for (const response of met.responses.keys()) {
      response.req.destroy();
      end(socket, met, response);
    }
  };
  const end = (socket: Known, met: Connection, response: ServerResponse): void => {
    const act = met.responses.get(response);
    if (!met.responses.delete(response)) return;
    underWay--;
    act?.();
    const next = met.waiting.shift();
    if (next !== undefined) start(met, ...next);
    else readAgain(socket, met);
  };
  const start = (met: Connection, response: ServerResponse, handle: Handle): void => {
    met.responses.set(response, null);
    met.lasts = false;
    response.on('close', ended);
    handle(response.req, response);
  };
  const readAgain = (socket: Known, met: Connection): void => {
    if (met.full && met.responses.size <= requestsAtOnce / 2) unread.add(socket);
  };
  function ended(this: ServerResponse): void {
    const { socket }: { socket: Known } = this.req;
    const met = socket[connection];
    if (met !== undefined) end(socket, met, this);
  }
  /** Sets timers only for requests that last: a timer for each is expensive. */
  const look = (): void => {
    for (const socket of sockets) {
      const met = socket[connection];
      if (met === undefined || met.responses.size === 0) continue;
      if (!met.lasts) met.lasts = true;
      else if (socket.timeout !== stallMs) socket.setTimeout(stallMs);
    }
  };
  const timer = setInterval(look, Math.max(10, Math.min(500, Math.round(stallMs / 4)))).unref();
  return {
    begin: (response, handle) => {
      const { socket }: { socket: Known } = response.req;
      const met = socket[connection] ?? meet(socket);
      underWay++;
      if (met.responses.size >= requestsAtOnce) {
        met.waiting.push([response, handle]);
        return;
      }
      start(met, response, handle);
      if (met.responses.size < requestsAtOnce) return;
      met.full = true;
      socket.pause();
    },
    whenOver: (response, act) => {
      const { socket }: { socket: Known } = response.req;
      if (socket[connection]?.responses.has(response)) socket[connection].responses.set(response, act);
      else act();
    },
    signalFor: ({ socket }: { socket: Known }, priority, owner) => {
      const met = socket[connection] ?? meet(socket);
      const ofOwner = met.signals.get(owner) ?? new Map<Caller['priority'], AbortController>();
      const known = ofOwner.get(priority);
      if (known !== undefined) return known.signal;
      const controller = new AbortController();
      // Bulk validation adds a listener for each address.
      setMaxListeners(0, controller.signal);
      setCaller(controller.signal, { priority, owner, work: met.name });
      met.signals.set(owner, ofOwner.set(priority, controller));
      if (socket.destroyed) abort(met, 'The client disconnected.');
      return controller.signal;
    },
    underWay: () => underWay,
    slowDown: ({ socket }: { socket: Known }) => {
      if (socket[connection] === undefined) return;
      socket[connection].full = true;
      socket.pause();
      slow.add(socket);
    },
    isCrowded: ({ socket }: { socket: Known }) => socket[connection]?.waiting.isEmpty() === false,
    timedOut: (socket: Known) => {
      const responses = [...(socket[connection]?.responses.keys() ?? [])];
      const request = responses.at(-1)?.req;
      // Silence counts against the client, unless the server is working or not reading.
      const isOurs = request !== undefined && (request.complete || request.isPaused() || request.readableLength > 0);
      if (!isOurs || responses[0]?.headersSent) socket.destroy();
    },
    abortAll: () => {
      for (const socket of sockets) if (socket[connection]) abort(socket[connection], 'The server is stopping.');
    },
    close: () => clearInterval(timer),
  };
}

/** Resumes sockets one at a time, each on a call of `later`. */
function openReadLine(later: (run: () => void) => void) {
  const waiting = new Set<Known>();
  const readNext = (): void => {
    const [socket] = waiting;
    if (socket === undefined) return;
    waiting.delete(socket);
    if (socket[connection]) socket[connection].full = false;
    socket.resume();
    if (waiting.size > 0) later(readNext);
  };
  return {
    add: (socket: Known): void => {
      if (waiting.has(socket)) return;
      waiting.add(socket);
      if (waiting.size === 1) later(readNext);
    },
    delete: (socket: Known): void => void waiting.delete(socket),
  };
}

function abort({ signals }: Connection, why: string): void {
  for (const ofOwner of signals.values()) {
    for (const controller of ofOwner.values()) controller.abort(new Failure('interrupted', why));
  }
}
