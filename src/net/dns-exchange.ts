import { createSocket, type Socket } from 'node:dgram';
import { answersQuery, decodeReply, encodeQuery, type Query, type Reply, randomId, replyCodes } from './dns-message.js';
import type { ResolverAddress } from './dns-resolver.js';
import type { DnsTask } from './dns-shared.js';
import { askByTcp } from './dns-tcp.js';

/** Why there is no reply to read. */
export type NoReply = 'timeout' | 'servfail' | 'refused' | 'malformed';

/** Until when to wait, on the clock of `performance.now()`. */
export interface ExchangeOptions {
  dueAt: number;
  /** A packet may be lost, so the same question is sent once more; the reply to either counts. */
  resendAt: number;
  task: DnsTask;
}

/** Told once what came of a question, perhaps before the call that asked it returns. */
export type OnReply<R> = (reply: Reply<R> | NoReply) => void;

/** One resolver: a question out, its reply in. Never throws. */
export interface DnsExchange {
  ask<R>(query: Query<R>, options: ExchangeOptions, done: OnReply<R>): void;
  close(): void;
}

/** A question that was sent, or is about to be. */
class Pending {
  readonly id: number;
  resent = false;
  settled = false;

  constructor(
    readonly bytes: Buffer,
    readonly options: ExchangeOptions,
    readonly done: (received: Buffer | NoReply) => void,
  ) {
    this.id = bytes.readUInt16BE(0);
  }
}

/** Several source ports are harder to guess than one (RFC 5452 §9.2), and share the load on the sockets' buffers. */
const socketCount = 4;
const receiveBufferBytes = 1 << 20;
/** One look at all open questions so often costs less than a timer for each. */
const lookEveryMs = 20;

/** Talks to the resolver at this address; sockets open with the first question. */
export function dnsExchange(address: ResolverAddress): DnsExchange {
  const channels: UdpChannel[] = [];
  let turn = 0;
  let edns = true;
  let closed = false;

  const channel = (): UdpChannel => {
    turn = (turn + 1) % socketCount;
    const open = channels[turn];
    if (open !== undefined && !open.closed) return open;
    const fresh = udpChannel(address);
    channels[turn] = fresh;
    return fresh;
  };

  const ask = <R>(query: Query<R>, options: ExchangeOptions, done: OnReply<R>, withEdns = edns): void => {
    const udp = closed ? null : channel();
    const sent = udp && encodeQuery(udp.freeId(), query, withEdns);
    if (udp === null) done('timeout');
    else if (sent === null) done('malformed');
    else {
      udp.ask(sent, options, (received) => {
        const reply = readReceived(received, query);
        if (typeof reply === 'string') done(reply);
        else if (reply.truncated) askAgainByTcp(query, sent, options, done);
        else if (withEdns && refusesEdns(reply)) askWithoutEdns(query, options, done);
        else done(reply);
      });
    }
  };

  const askAgainByTcp = <R>(query: Query<R>, sent: Buffer, options: ExchangeOptions, done: OnReply<R>): void => {
    const leftMs = Math.max(1, options.dueAt - performance.now());
    askByTcp(address, sent, { timeoutMs: leftMs, task: options.task }, (received) => {
      const reply = readReceived(received, query);
      done(typeof reply !== 'string' && reply.truncated ? 'malformed' : reply);
    });
  };

  const askWithoutEdns = <R>(query: Query<R>, options: ExchangeOptions, done: OnReply<R>): void => {
    const resendAt = (performance.now() + options.dueAt) / 2;
    const learn: OnReply<R> = (reply) => {
      if (typeof reply !== 'string' && !refusesEdns(reply)) edns = false;
      done(reply);
    };
    ask(query, { ...options, resendAt }, learn, false);
  };

  return {
    ask,
    close: () => {
      closed = true;
      for (const each of channels) each?.close();
    },
  };
}

function readReceived<R>(received: Buffer | NoReply, query: Query<R>): Reply<R> | NoReply {
  return typeof received === 'string' ? received : (decodeReply(received, query) ?? 'malformed');
}

/** RFC 6891 §7: so answers a server that does not know EDNS. */
function refusesEdns({ code }: Reply<unknown>): boolean {
  return code === replyCodes.formatError || code === replyCodes.notImplemented;
}

interface UdpChannel {
  readonly closed: boolean;
  freeId(): number;
  ask(bytes: Buffer, options: ExchangeOptions, done: (received: Buffer | NoReply) => void): void;
  close(): void;
}

function udpChannel(address: ResolverAddress): UdpChannel {
  // Few at a time, so looking through them costs less than a Map, whose tables the garbage collector would carry around.
  const pending: Pending[] = [];
  let outbox: Pending[] = [];
  let connected = false;
  let closed = false;
  let watch: NodeJS.Timeout | null = null;

  const withId = (id: number) => pending.find((question) => question.id === id);
  const settle = (question: Pending, received: Buffer | NoReply) => {
    if (question.settled) return;
    question.settled = true;
    pending.splice(pending.indexOf(question), 1);
    if (pending.length === 0 && watch !== null) {
      clearTimeout(watch);
      watch = null;
    }
    question.options.task.cancel = null;
    question.done(received);
  };
  const shut = (why: NoReply) => {
    if (closed) return;
    closed = true;
    socket.close();
    for (const question of [...pending]) settle(question, why);
  };
  const sendAll = () => {
    const waiting = outbox.filter(({ settled }) => !settled);
    const last = waiting.at(-1);
    outbox = [];
    // The system tells that nobody listens when we next turn to it, be it to send; without a callback for the last of them that
    // word might be lost. One for each would only cost time.
    for (const question of waiting) socket.send(question.bytes, question === last ? onSent : undefined);
  };
  const onSent = (error: NodeJS.ErrnoException | null) => {
    // A full queue passes: the question is sent once more.
    if (error !== null && error.code !== 'ENOBUFS') shut(reasonOf(error));
  };
  // Questions that arise from one round of replies leave together: to wake the other side for each costs more than the packet.
  const send = (question: Pending) => {
    if (outbox.push(question) === 1 && connected) setImmediate(sendAll);
  };
  const look = () => {
    watch = null;
    const now = performance.now();
    for (const question of [...pending]) {
      if (question.options.dueAt <= now) settle(question, 'timeout');
      else if (!question.resent && question.options.resendAt <= now) {
        question.resent = true;
        send(question);
      }
    }
    if (pending.length > 0) watch ??= setTimeout(look, lookEveryMs);
  };

  const socket = openSocket(address, shut);
  socket.on('message', (bytes) => {
    if (bytes.length < 2) return;
    const question = withId(bytes.readUInt16BE(0));
    if (question !== undefined && answersQuery(bytes, question.bytes)) settle(question, bytes);
  });
  socket.on('connect', () => {
    connected = true;
    sendAll();
  });

  return {
    get closed() {
      return closed;
    },
    freeId: () => {
      let id = randomId();
      while (withId(id) !== undefined) id = randomId();
      return id;
    },
    ask: (bytes, options, done) => {
      const question = new Pending(bytes, options, done);
      pending.push(question);
      options.task.cancel = () => settle(question, 'timeout');
      watch ??= setTimeout(look, lookEveryMs);
      send(question);
    },
    close: () => shut('timeout'),
  };
}

function reasonOf(error: NodeJS.ErrnoException): NoReply {
  return error.code === 'ECONNREFUSED' ? 'refused' : 'timeout';
}

/** Connected, so that the system itself drops packets from anyone else and tells us when nobody listens. */
function openSocket({ ip, family, port }: ResolverAddress, fail: (why: NoReply) => void): Socket {
  const socket = createSocket({
    type: family === 4 ? 'udp4' : 'udp6',
    recvBufferSize: receiveBufferBytes,
    lookup: (host, _options, done) => done(null, host, family),
  });
  socket.on('error', (error) => fail(reasonOf(error)));
  socket.connect(port, ip);
  // An idle socket keeps no process alive; the watch over open questions does.
  socket.unref();
  return socket;
}
