import type { DnsStep, DnsTask } from './cancellation.js';
import { decodeReply, encodeQuery, type Query, type Reply, replyCodes } from './message.js';
import type { ResolverAddress } from './resolver-address.js';
import { queryOverTcp } from './tcp-query.js';
import { type OutstandingQuery, type QueryFailure, UdpChannel } from './udp-socket.js';

/** A query for a resolver. Times are those of `performance.now()`. */
export interface PendingQuery<R> extends Query<R>, DnsTask {
  deadline: number;
  /** When to send the query again, in case the packet was lost. */
  resendAt: number;
  /** Called once, possibly before `ask` returns. */
  onReply(reply: Reply<R> | QueryFailure): void;
  /** Called when the resolver has not answered for a while. */
  onSilent(): void;
  /** Adds the time in which the event loop was blocked and no reply could be read. */
  extendDeadline(ms: number): void;
}

/** Sends queries to one resolver. Never throws. */
export interface ResolverClient {
  ask<R>(query: PendingQuery<R>): void;
  close(): void;
}

/** Several source ports are harder to guess than one (RFC 5452 §9.2), and share the load on socket buffers. */
const socketCount = 4;
/** How long a resolver that refused EDNS is asked without it. */
const plainPeriodMs = 10 * 60_000;

/** A client for the resolver at this address; sockets open with the first query. */
export function createResolverClient(address: ResolverAddress): ResolverClient {
  return new UdpClient(address);
}

class UdpClient implements ResolverClient {
  /** Until then, queries are sent without EDNS. */
  plainUntil = 0;
  private readonly channels: UdpChannel[] = [];
  private turn = 0;
  private isClosed = false;

  constructor(readonly address: ResolverAddress) {}

  ask<R>(query: PendingQuery<R>, edns = performance.now() >= this.plainUntil): void {
    const channel = this.isClosed ? null : this.nextChannel();
    const id = channel?.freeId() ?? 0;
    const bytes = encodeQuery(id, query, edns);
    if (channel === null) query.onReply('timeout');
    else if (bytes === null) query.onReply('malformed');
    else {
      const question = new UdpQuery(id, bytes, query, this, channel, edns);
      query.step = question;
      channel.ask(question);
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

class UdpQuery<R> implements OutstandingQuery, DnsStep {
  deadline: number;
  resendAt: number;
  resent = false;

  constructor(
    readonly id: number,
    readonly bytes: Buffer,
    readonly query: PendingQuery<R>,
    readonly client: UdpClient,
    readonly channel: UdpChannel,
    readonly edns: boolean,
  ) {
    this.deadline = query.deadline;
    this.resendAt = query.resendAt;
  }

  cancel(): void {
    this.channel.settle(this, 'timeout');
  }

  onReceived(bytes: Buffer | QueryFailure): void {
    const { query } = this;
    query.step = null;
    const reply = readReceived(bytes, query);
    const isEdnsRefused = typeof reply !== 'string' && refusesEdns(reply);
    if (typeof reply === 'string') query.onReply(reply);
    else if (this.edns && isEdnsRefused) this.askWithoutEdns();
    else {
      if (!this.edns && !isEdnsRefused) this.client.plainUntil = performance.now() + plainPeriodMs;
      if (reply.truncated) this.askAgainByTcp();
      else query.onReply(reply);
    }
  }

  onSilent(): void {
    this.query.onSilent();
  }

  extendDeadline(ms: number): void {
    this.deadline += ms;
    this.resendAt += ms;
    this.query.extendDeadline(ms);
  }

  private askAgainByTcp(): void {
    const { query } = this;
    const timeoutMs = Math.max(1, query.deadline - performance.now());
    queryOverTcp(this.client.address, this.bytes, { timeoutMs, task: query }, (received) => {
      const reply = readReceived(received, query);
      query.onReply(typeof reply !== 'string' && reply.truncated ? 'malformed' : reply);
    });
  }

  private askWithoutEdns(): void {
    this.query.resendAt = (performance.now() + this.query.deadline) / 2;
    this.client.ask(this.query, false);
  }
}

function readReceived<R>(received: Buffer | QueryFailure, query: Query<R>): Reply<R> | QueryFailure {
  return typeof received === 'string' ? received : (decodeReply(received, query) ?? 'malformed');
}

/** Whether the reply is that of a server without EDNS (RFC 6891 §7). */
function refusesEdns({ code }: Reply<unknown>): boolean {
  return code === replyCodes.formatError || code === replyCodes.notImplemented;
}
