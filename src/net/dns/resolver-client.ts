import { connect, type Socket } from 'node:net';
import { isOutOfDescriptors } from '../../model/failure.js';
import { answersQuery, decodeReply, encodeQuery, type Query, type Reply, replyCodes } from './message.js';
import type { ResolverAddress } from './resolver-address.js';
import { descriptorRetryMs, type QueryAttempt, type QueryFailure, UdpChannel } from './udp-socket.js';

/** Several source ports are harder to guess than one (RFC 5452 §9.2), and share the load on socket buffers. */
const socketCount = 4;
/** How long a resolver that refused EDNS is asked without it. */
const plainPeriodMs = 10 * 60_000;

/** Sends queries to one resolver. Sockets open with the first query. */
export class ResolverClient {
  /** Until then, queries are sent without EDNS. */
  private plainUntil = 0;
  private readonly channels: UdpChannel[] = [];
  private turn = 0;
  private isClosed = false;

  constructor(private readonly address: ResolverAddress) {}

  /** The reply, over TCP if it does not fit in a packet, or why there is none. Never rejects. */
  async ask<R>(query: Query<R>, attempt: QueryAttempt): Promise<Reply<R> | QueryFailure> {
    let edns = performance.now() >= this.plainUntil;
    let isRefused = false;
    for (;;) {
      if (this.isClosed) return 'timeout';
      const channel = this.nextChannel();
      const id = channel.freeId();
      const bytes = encodeQuery(id, query, edns);
      if (bytes === null) return 'malformed';
      let reply = readReceived(await channel.ask(id, bytes, attempt), query);
      if (typeof reply !== 'string' && reply.truncated)
        reply = readReceived(await askByTcp(this.address, bytes, attempt), query);
      if (typeof reply === 'string') return reply;
      if (reply.truncated) return 'malformed';
      if (!refusesEdns(reply) && isRefused) this.plainUntil = performance.now() + plainPeriodMs;
      if (!refusesEdns(reply) || !edns) return reply;
      [edns, isRefused] = [false, true];
      attempt.resendAt = (performance.now() + attempt.deadline) / 2;
    }
  }

  close(): void {
    this.isClosed = true;
    for (const channel of this.channels) channel?.close('timeout');
  }

  private nextChannel(): UdpChannel {
    this.turn = (this.turn + 1) % socketCount;
    const current = this.channels[this.turn];
    if (current !== undefined && !current.isClosed) return current;
    const channel = new UdpChannel(this.address);
    this.channels[this.turn] = channel;
    return channel;
  }
}

function readReceived<R>(received: Buffer | QueryFailure, query: Query<R>): Reply<R> | QueryFailure {
  return typeof received === 'string' ? received : (decodeReply(received, query) ?? 'malformed');
}

/** Whether the reply is that of a server without EDNS (RFC 6891 §7). */
function refusesEdns({ code }: Reply<unknown>): boolean {
  return code === replyCodes.formatError || code === replyCodes.notImplemented;
}

/** Asks over a new TCP connection, for replies that do not fit in one packet (RFC 7766); at most 64 kB. */
function askByTcp({ ip, port }: ResolverAddress, query: Buffer, attempt: QueryAttempt): Promise<Buffer | QueryFailure> {
  return new Promise((resolve) => {
    let socket: Socket | null = null;
    const timer = setTimeout(() => settle('timeout'), Math.max(1, attempt.deadline - performance.now()));
    let isSettled = false;
    const settle = (received: Buffer | QueryFailure) => {
      isSettled = true;
      clearTimeout(timer);
      attempt.cancel = null;
      socket?.destroy();
      resolve(received);
    };
    attempt.cancel = () => settle('timeout');
    const prefix = Buffer.alloc(2);
    prefix.writeUInt16BE(query.length);
    const open = () => {
      if (isSettled) return;
      socket = connect({ host: ip, port });
      let received = Buffer.alloc(0);
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
        const message = received.subarray(2, 2 + received.readUInt16BE(0));
        settle(answersQuery(message, query) ? message : 'malformed');
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (isOutOfDescriptors(error)) setTimeout(open, descriptorRetryMs);
        else settle(error.code === 'ECONNREFUSED' ? 'refused' : 'timeout');
      });
      // A connection closed early is not an answer.
      socket.on('close', (hasFailed) => {
        if (!hasFailed) settle('timeout');
      });
      socket.write(Buffer.concat([prefix, query]));
    };
    open();
  });
}
