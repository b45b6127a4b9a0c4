import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Caller } from '../../async/caller.js';
import { createFifoQueue, type FifoQueue } from '../../async/fifo-queue.js';
import { Failure } from '../../model/failure.js';
import { createConnectionPool, keyOf } from './connection-pool.js';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** A caller that can disconnect. */
interface RequestCaller extends Caller {
  signal: AbortSignal;
}

/** All connections and their requests in progress. */
export type Connections = ReturnType<typeof openConnections>;

interface Connection {
  /** Oldest first. Responses are sent in the order of the requests. */
  readonly responses: Map<ServerResponse, (() => void) | null>;
  /** Aborts all requests. One for the connection, since one for each request is expensive. */
  readonly controller: AbortController;
  readonly name: string;
  /** The key in the pool. */
  readonly key: string;
  /** Pipelined requests above the limit. */
  readonly waiting: FifoQueue<[response: ServerResponse, handle: Handle]>;
  /** Why nothing is read: too many requests in progress, waiting for its turn to be read, or its body is refused. */
  pausedFor: 'requests' | 'turn' | 'refusal' | null;
  /** True if a request was in progress at the previous check. */
  wasActive: boolean;
}

const connection = Symbol('connection');
type TrackedSocket = Socket & { [connection]?: Connection };

interface ConnectionLimits {
  /** Silence in the middle of a request or response. */
  stallMs: number;
  /** A connection with this many requests in progress is paused until half of them are answered. */
  requestsAtOnce: number;
  connections: number;
}

/** Delay between two reads of bodies in tiny chunks, over all connections: one read may take 40 ms. */
const slowReadMs = 150;
/** The approximate limit of waiting pipelined requests of one connection. Above it, a disconnect may be noticed late. */
const maxWaiting = 4_096;
/** How long a client whose body is refused has to read the response. */
const lingerMs = 500;

export function openConnections({ stallMs, requestsAtOnce, connections }: ConnectionLimits) {
  const pool = createConnectionPool(connections);
  const sockets = new Set<TrackedSocket>();
  /** Resumes one connection per event loop turn, since one read may contain thousands of requests. */
  const resumeQueue = createResumeQueue(setImmediate);
  const slowQueue = createResumeQueue((next) => setTimeout(next, slowReadMs));
  const requests = { underWay: 0, waiting: 0 };
  let count = 0;

  const track = (socket: TrackedSocket): Connection => {
    const state: Connection = {
      responses: new Map(),
      controller: new AbortController(),
      name: String(count++),
      key: keyOf(socket),
      waiting: createFifoQueue(),
      pausedFor: null,
      wasActive: false,
    };
    // Bulk validation adds a listener for each address.
    setMaxListeners(0, state.controller.signal);
    socket[connection] = state;
    sockets.add(socket);
    // Before Node's own listener, which creates an error for each open request.
    socket.prependOnceListener('close', () => untrack(socket, state));
    // Node resumes a socket when a request ends.
    socket.on('resume', () => {
      if (state.pausedFor !== null) socket.pause();
    });
    return state;
  };
  const untrack = (socket: TrackedSocket, state: Connection): void => {
    sockets.delete(socket);
    for (const queue of [resumeQueue, slowQueue]) queue.delete(socket);
    abort(state, 'The client disconnected.');
    for (let next = state.waiting.shift(); next !== undefined; next = state.waiting.shift()) {
      requests.waiting--;
      next[0].req.destroy();
    }
    // Node emits nothing for queued responses when the connection breaks.
    for (const response of state.responses.keys()) {
      response.req.destroy();
      end(socket, state, response);
    }
  };
  const end = (socket: TrackedSocket, state: Connection, response: ServerResponse): void => {
    const onEnd = state.responses.get(response);
    if (!state.responses.delete(response)) return;
    requests.underWay--;
    onEnd?.();
    const next = state.waiting.shift();
    if (next !== undefined) {
      requests.waiting--;
      start(state, ...next);
    } else {
      resumeLater(socket, state);
      if (state.responses.size === 0) pool.setIdle(state.key, true);
    }
  };
  const start = (state: Connection, response: ServerResponse, handle: Handle): void => {
    requests.underWay++;
    state.responses.set(response, null);
    state.wasActive = false;
    response.on('close', ended);
    handle(response.req, response);
  };
  const resumeLater = (socket: TrackedSocket, state: Connection): void => {
    if (socket.writableEnded) return;
    if (state.pausedFor !== null && state.responses.size <= requestsAtOnce / 2) resumeQueue.add(socket);
  };
  function ended(this: ServerResponse): void {
    const { socket }: { socket: TrackedSocket } = this.req;
    const state = socket[connection];
    if (state !== undefined) end(socket, state, this);
  }
  const pause = (socket: TrackedSocket, state: Connection, reason: Connection['pausedFor']): void => {
    state.pausedFor = reason;
    socket.pause();
  };
  /** Sets timers only for long requests: a timer for each is expensive. */
  const watchStalled = (): void => {
    for (const socket of sockets) {
      const state = socket[connection];
      if (state === undefined || state.responses.size === 0) continue;
      if (!state.wasActive) state.wasActive = true;
      else if (socket.timeout !== stallMs) socket.setTimeout(stallMs);
      // Node sees the end of a connection only when it reads.
      if (state.pausedFor === 'requests' && state.waiting.size() < maxWaiting) resumeQueue.add(socket);
    }
  };
  const timer = setInterval(watchStalled, Math.max(10, Math.min(500, Math.round(stallMs / 4)))).unref();
  return {
    /** Counts a new connection, and closes the one that was idle for longest where there are too many. */
    accept: pool.add,
    /** Handles a request now, or once its connection has fewer requests in progress. */
    begin: (response: ServerResponse, handle: Handle) => {
      const { socket }: { socket: TrackedSocket } = response.req;
      const state = socket[connection] ?? track(socket);
      if (state.responses.size >= requestsAtOnce) {
        requests.waiting++;
        state.waiting.push([response, handle]);
      } else {
        if (state.responses.size === 0) pool.setIdle(state.key, false);
        start(state, response, handle);
      }
      if (state.responses.size >= requestsAtOnce) pause(socket, state, 'requests');
    },
    /** Calls `onEnd` once, when the response is sent or cannot be sent any more. */
    whenEnded: (response: ServerResponse, onEnd: () => void) => {
      const { socket }: { socket: TrackedSocket } = response.req;
      if (socket[connection]?.responses.has(response)) socket[connection].responses.set(response, onEnd);
      else onEnd();
    },
    /** The caller of a request. Its signal is aborted when the client disconnects or the server stops. */
    callerFor: ({ socket }: { socket: TrackedSocket }, priority: Caller['priority'], owner: string): RequestCaller => {
      const state = socket[connection] ?? track(socket);
      if (socket.destroyed) abort(state, 'The client disconnected.');
      return { priority, owner, taskId: state.name, signal: state.controller.signal };
    },
    underWay: () => requests.underWay,
    open: () => requests.underWay + requests.waiting,
    /** Reads no more of a refused body, and closes the connection after the response. */
    refuseBody: ({ socket }: { socket: TrackedSocket }) => {
      pause(socket, socket[connection] ?? track(socket), 'refusal');
      // Unread data would reset the connection before the client has read the response.
      socket.destroySoon = () => {
        socket.end();
        setTimeout(() => socket.destroy(), lingerMs).unref();
      };
    },
    /** Pauses a body that arrives in very many chunks until its turn comes. */
    throttleBody: ({ socket }: { socket: TrackedSocket }) => {
      if (socket[connection] === undefined) return;
      pause(socket, socket[connection], 'turn');
      slowQueue.add(socket);
    },
    /** True while a response of the connection is being sent. */
    hasBegunResponse: (socket: Duplex & Pick<TrackedSocket, typeof connection>) =>
      [...(socket[connection]?.responses.keys() ?? [])].some((response) => response.headersSent),
    /** True while requests of the connection are queued. */
    isCrowded: ({ socket }: { socket: TrackedSocket }) => socket[connection]?.waiting.isEmpty() === false,
    /** The timer of the socket has expired. */
    timedOut: (socket: TrackedSocket) => {
      const responses = [...(socket[connection]?.responses.keys() ?? [])];
      const request = responses.at(-1)?.req;
      // Silence counts against the client, unless the server is working or not reading.
      const isServerBusy =
        request !== undefined && (request.complete || request.isPaused() || request.readableLength > 0);
      if (!isServerBusy || responses[0]?.headersSent) socket.destroy();
    },
    abortAll: () => {
      for (const socket of sockets) if (socket[connection]) abort(socket[connection], 'The server is stopping.');
    },
    close: () => clearInterval(timer),
  };
}

/** Resumes sockets one at a time, each in a callback of `schedule`. */
function createResumeQueue(schedule: (run: () => void) => void) {
  const waiting = new Set<TrackedSocket>();
  const resumeNext = (): void => {
    const [socket] = waiting;
    if (socket === undefined) return;
    waiting.delete(socket);
    if (socket[connection]) socket[connection].pausedFor = null;
    socket.resume();
    if (waiting.size > 0) schedule(resumeNext);
  };
  return {
    add: (socket: TrackedSocket): void => {
      if (waiting.has(socket)) return;
      waiting.add(socket);
      if (waiting.size === 1) schedule(resumeNext);
    },
    delete: (socket: TrackedSocket): void => void waiting.delete(socket),
  };
}

function abort({ controller }: Connection, reason: string): void {
  controller.abort(new Failure('interrupted', reason));
}
