import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from '../../async/caller.js';
import { setCaller } from '../../async/caller.js';
import { createFifoQueue, type FifoQueue } from '../../async/fifo-queue.js';
import { Failure } from '../../model/failure.js';

/** Handles one request. */
type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** Every connection, and what is under way on it. */
export interface Connections {
  /** A request has come. It is handled now or, of a connection that has as many under way as it may, when its turn comes. */
  begin(response: ServerResponse, handle: Handle): void;
  /** Calls `act` once, when the answer is sent or never will be. */
  whenOver(response: ServerResponse, act: () => void): void;
  /**
   * Aborted when the caller goes away, or when the server must stop. Shared by all requests of a connection for the same key and of
   * the same priority, since making one for each is dear.
   */
  signalFor(request: IncomingMessage, priority: Caller['priority'], owner: string): AbortSignal;
  /** Requests that have come and are not answered, on all connections together. */
  underWay(): number;
  /** Stops reading a body that came in very many pieces, and reads on when it is its turn among all such. */
  slowDown(request: IncomingMessage): void;
  /** Requests of the connection wait for others of it to be answered. */
  isCrowded(request: IncomingMessage): boolean;
  /** Nothing has moved on the connection for as long as its timer was set. */
  timedOut(socket: Socket): void;
  /** Calls off all that is under way. */
  abortAll(): void;
  close(): void;
}

/** One connection. */
interface Connection {
  /** Oldest first: only that one is being sent, since answers go out in the order of the requests. */
  readonly responses: Map<ServerResponse, (() => void) | null>;
  /** By the owner, and then by the priority. */
  readonly signals: Map<string, Map<Caller['priority'], AbortController>>;
  readonly name: string;
  /** One piece of what came in may hold thousands of requests; they wait here for next to nothing. */
  readonly waiting: FifoQueue<[response: ServerResponse, handle: Handle]>;
  /** Not read from while so many requests of it are under way, or until its turn comes. */
  full: boolean;
  /** Something was under way at the last look. */
  lasts: boolean;
}

const connection = Symbol('connection');
type Known = Socket & { [connection]?: Connection };

interface ConnectionLimits {
  /** Silence in the middle of a request, or of an answer that nobody reads. */
  stallMs: number;
  /** A connection with so many requests under way is read again when half of them are answered. */
  requestsAtOnce: number;
}

/** Between two reads of bodies in tiny pieces, however many connections send such: each read may take 40 ms. */
const slowReadMs = 150;

/** None yet. */
export function openConnections({ stallMs, requestsAtOnce }: ConnectionLimits): Connections {
  const sockets = new Set<Known>();
  /** Full, and to be read again: one connection between two looks at what has arrived, since a single piece may hold thousands of requests. */
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
    // Before Node, which makes an error for each request that is not over, with all that led to it.
    socket.prependOnceListener('close', () => leave(socket, met));
    // Node reads on where a request is done with, whoever stopped it.
    socket.on('resume', () => {
      if (met.full) socket.pause();
    });
    return met;
  };
  const leave = (socket: Known, met: Connection): void => {
    sockets.delete(socket);
    for (const line of [unread, slow]) line.delete(socket);
    abort(met, 'The caller went away.');
    for (let next = met.waiting.shift(); next !== undefined; next = met.waiting.shift()) {
      underWay--;
      next[0].req.destroy();
    }
    // Node says nothing of answers that wait for the one before them when the connection breaks.
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
  /** Sets timers only where a request lasts: nearly all are answered before, and a timer for each costs more than the whole watch. */
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
      // Bulk validation waits for a thousand addresses with the same signal.
      setMaxListeners(0, controller.signal);
      setCaller(controller.signal, { priority, owner, work: met.name });
      met.signals.set(owner, ofOwner.set(priority, controller));
      if (socket.destroyed) abort(met, 'The caller went away.');
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
      // Silence is a caller who stopped sending or reading, unless it is us who are at work, or who do not take what was sent.
      const isOurs = request !== undefined && (request.complete || request.isPaused() || request.readableLength > 0);
      if (!isOurs || responses[0]?.headersSent) socket.destroy();
    },
    abortAll: () => {
      for (const socket of sockets) if (socket[connection]) abort(socket[connection], 'The server stops.');
    },
    close: () => clearInterval(timer),
  };
}

/** Reads connections again, one each time that `later` runs what it is given. */
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
