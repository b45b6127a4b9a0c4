import type { DnsStep, DnsTask } from './cancellation.js';
import { decodeReply, encodeQuery, type Query, type Reply, replyCodes } from './message.js';
import type { ResolverAddress } from './resolver-address.js';
import { askByTcp } from './tcp-query.js';
import { type NoReply, type Outgoing, UdpChannel } from './udp-socket.js';

/** Who asks a resolver. Times are on the clock of `performance.now()`. */
export interface Asker<R> extends Query<R>, DnsTask {
  dueAt: number;
  /** A packet may be lost: when to send the same question once more. */
  resendAt: number;
  /** Told once what came of it, perhaps before the call that asked returns. */
  replied(reply: Reply<R> | NoReply): void;
  /** So long nobody could read a reply, which does not count. */
  putOff(ms: number): void;
}

/** One resolver: a question out, its reply in. Never throws. */
export interface DnsExchange {
  ask<R>(asker: Asker<R>): void;
  close(): void;
}

/** Several source ports are harder to guess than one (RFC 5452 §9.2), and share the load on the sockets' buffers. */
const socketCount = 4;

/** Talks to the resolver at this address; sockets open with the first question. */
export function dnsExchange(address: ResolverAddress): DnsExchange {
  return new UdpExchange(address);
}

class UdpExchange implements DnsExchange {
  edns = true;
  private readonly channels: UdpChannel[] = [];
  private turn = 0;
  private closed = false;

  constructor(readonly address: ResolverAddress) {}

  ask<R>(asker: Asker<R>, edns = this.edns): void {
    const channel = this.closed ? null : this.nextChannel();
    const id = channel?.freeId() ?? 0;
    const bytes = encodeQuery(id, asker, edns);
    if (channel === null) asker.replied('timeout');
    else if (bytes === null) asker.replied('malformed');
    else {
      const question = new UdpQuestion(id, bytes, asker, this, channel, edns);
      asker.step = question;
      channel.ask(question);
    }
  }

  close(): void {
    this.closed = true;
    for (const channel of this.channels) channel?.close('timeout');
  }

  private nextChannel(): UdpChannel {
    this.turn = (this.turn + 1) % socketCount;
    const open = this.channels[this.turn];
    if (open !== undefined && !open.closed) return open;
    const fresh = new UdpChannel(this.address);
    this.channels[this.turn] = fresh;
    return fresh;
  }
}

class UdpQuestion<R> implements Outgoing, DnsStep {
  dueAt: number;
  resendAt: number;
  resent = false;

  constructor(
    readonly id: number,
    readonly bytes: Buffer,
    readonly asker: Asker<R>,
    readonly exchange: UdpExchange,
    readonly channel: UdpChannel,
    readonly edns: boolean,
  ) {
    this.dueAt = asker.dueAt;
    this.resendAt = asker.resendAt;
  }

  cancel(): void {
    this.channel.settle(this, 'timeout');
  }

  received(bytes: Buffer | NoReply): void {
    const { asker } = this;
    asker.step = null;
    const reply = readReceived(bytes, asker);
    const refusal = typeof reply !== 'string' && refusesEdns(reply);
    if (typeof reply === 'string') asker.replied(reply);
    else if (this.edns && refusal) this.askWithoutEdns();
    else {
      if (!this.edns && !refusal) this.exchange.edns = false;
      if (reply.truncated) this.askAgainByTcp();
      else asker.replied(reply);
    }
  }

  putOff(ms: number): void {
    this.dueAt += ms;
    this.resendAt += ms;
    this.asker.putOff(ms);
  }

  private askAgainByTcp(): void {
    const { asker } = this;
    const timeoutMs = Math.max(1, asker.dueAt - performance.now());
    askByTcp(this.exchange.address, this.bytes, { timeoutMs, task: asker }, (received) => {
      const reply = readReceived(received, asker);
      asker.replied(typeof reply !== 'string' && reply.truncated ? 'malformed' : reply);
    });
  }

  private askWithoutEdns(): void {
    this.asker.resendAt = (performance.now() + this.asker.dueAt) / 2;
    this.exchange.ask(this.asker, false);
  }
}

function readReceived<R>(received: Buffer | NoReply, query: Query<R>): Reply<R> | NoReply {
  return typeof received === 'string' ? received : (decodeReply(received, query) ?? 'malformed');
}

/** RFC 6891 §7: so answers a server that does not know EDNS. */
function refusesEdns({ code }: Reply<unknown>): boolean {
  return code === replyCodes.formatError || code === replyCodes.notImplemented;
}
