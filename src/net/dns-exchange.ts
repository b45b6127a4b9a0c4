import { createSocket, type Socket } from 'node:dgram';
import { answersQuery, decodeReply, encodeQuery, type Query, type Reply, randomId, replyCodes } from './dns-message.js';
import type { ResolverAddress } from './dns-resolver.js';
import type { DnsTask } from './dns-shared.js';
import { askByTcp } from './dns-tcp.js';

/** Why there is no reply to read. */
export type NoReply = 'timeout' | 'servfail' | 'refused' | 'malformed';

export interface ExchangeOptions {
  timeoutMs: number;
  /** A packet may be lost, so the same question is sent once more; the reply to either counts. */
  resendAfterMs: number;
  task: DnsTask;
}

/** One resolver: a question out, its reply in. Never throws. */
export interface DnsExchange {
  ask<R>(query: Query<R>, options: ExchangeOptions): Promise<Reply<R> | NoReply>;
  close(): void;
}

interface Pending {
  bytes: Buffer;
  resolve(received: Buffer | NoReply): void;
  task: DnsTask;
  resendAt: number;
  dueAt: number;
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

  // Chained by hand: an async function of this size keeps a kilobyte for each question that is under way.
  const ask = <R>(query: Query<R>, options: ExchangeOptions, withEdns = edns): Promise<Reply<R> | NoReply> => {
    if (closed) return Promise.resolve('timeout');
    const start = performance.now();
    const udp = channel();
    const sent = encodeQuery(udp.freeId(), query, withEdns);
    if (sent === null) return Promise.resolve('malformed');
    return udp.ask(sent, options).then((received) => {
      if (typeof received === 'string') return received;
      const reply = decodeReply(received, query);
      if (reply === null) return 'malformed';
      const leftMs = Math.max(1, options.timeoutMs - (performance.now() - start));
      if (reply.truncated) return askAgainByTcp(query, sent, leftMs, options.task);
      if (!withEdns || !refusesEdns(reply)) return reply;
      return askWithoutEdns(query, { ...options, timeoutMs: leftMs, resendAfterMs: leftMs / 2 });
    });
  };

  const askAgainByTcp = async <R>(query: Query<R>, sent: Buffer, timeoutMs: number, task: DnsTask) => {
    const received = await askByTcp(address, sent, timeoutMs, task);
    if (typeof received === 'string') return received;
    const reply = decodeReply(received, query);
    return reply === null || reply.truncated ? 'malformed' : reply;
  };

  const askWithoutEdns = async <R>(query: Query<R>, options: ExchangeOptions) => {
    const reply = await ask(query, options, false);
    if (typeof reply !== 'string' && !refusesEdns(reply)) edns = false;
    return reply;
  };

  return {
    ask,
    close: () => {
      closed = true;
      for (const each of channels) each?.close();
    },
  };
}

/** RFC 6891 §7: so answers a server that does not know EDNS. */
function refusesEdns({ code }: Reply<unknown>): boolean {
  return code === replyCodes.formatError || code === replyCodes.notImplemented;
}

interface UdpChannel {
  readonly closed: boolean;
  freeId(): number;
  ask(bytes: Buffer, options: ExchangeOptions): Promise<Buffer | NoReply>;
  close(): void;
}

function udpChannel(address: ResolverAddress): UdpChannel {
  const pending = new Map<number, Pending>();
  let backlog: Buffer[] | null = [];
  let closed = false;
  let watch: NodeJS.Timeout | null = null;

  const settle = (id: number, received: Buffer | NoReply) => {
    const question = pending.get(id);
    if (question === undefined) return;
    pending.delete(id);
    if (pending.size === 0 && watch !== null) {
      clearTimeout(watch);
      watch = null;
    }
    question.task.cancel = null;
    question.resolve(received);
  };
  const shut = (why: NoReply) => {
    if (closed) return;
    closed = true;
    socket.close();
    for (const id of [...pending.keys()]) settle(id, why);
  };
  const send = (bytes: Buffer) => {
    if (closed) return;
    if (backlog === null) socket.send(bytes);
    else backlog.push(bytes);
  };
  const look = () => {
    const now = performance.now();
    for (const [id, question] of pending) {
      if (question.dueAt <= now) settle(id, 'timeout');
      else if (question.resendAt <= now) {
        question.resendAt = Number.POSITIVE_INFINITY;
        send(question.bytes);
      }
    }
    if (pending.size > 0) watch = setTimeout(look, lookEveryMs);
  };

  const socket = openSocket(address, shut);
  socket.on('message', (bytes) => {
    if (bytes.length < 2) return;
    const id = bytes.readUInt16BE(0);
    const question = pending.get(id);
    if (question !== undefined && answersQuery(bytes, question.bytes)) settle(id, bytes);
  });
  socket.on('connect', () => {
    const waiting = backlog ?? [];
    backlog = null;
    for (const bytes of waiting) send(bytes);
  });

  return {
    get closed() {
      return closed;
    },
    freeId: () => {
      let id = randomId();
      while (pending.has(id)) id = randomId();
      return id;
    },
    ask: (bytes, { timeoutMs, resendAfterMs, task }) =>
      new Promise((resolve) => {
        const id = bytes.readUInt16BE(0);
        const now = performance.now();
        pending.set(id, { bytes, resolve, task, resendAt: now + resendAfterMs, dueAt: now + timeoutMs });
        task.cancel = () => settle(id, 'timeout');
        watch ??= setTimeout(look, lookEveryMs);
        send(bytes);
      }),
    close: () => shut('timeout'),
  };
}

/** Connected, so that the system itself drops packets from anyone else and tells us when nobody listens. */
function openSocket({ ip, family, port }: ResolverAddress, fail: (why: NoReply) => void): Socket {
  const socket = createSocket({
    type: family === 4 ? 'udp4' : 'udp6',
    recvBufferSize: receiveBufferBytes,
    lookup: (host, _options, done) => done(null, host, family),
  });
  socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code === 'ECONNREFUSED' ? 'refused' : 'timeout'));
  socket.connect(port, ip);
  // An idle socket keeps no process alive; the watch over open questions does.
  socket.unref();
  return socket;
}
