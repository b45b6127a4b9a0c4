import { createSocket, type Socket } from 'node:dgram';
import { isOutOfDescriptors } from '../../model/failure.js';
import { answersQuery, randomId } from './message.js';
import type { ResolverAddress } from './resolver-address.js';

/** Why there is no reply. */
export type QueryFailure = 'timeout' | 'servfail' | 'refused' | 'malformed';

/** One try to get a reply. Times are those of `performance.now()`. */
export interface QueryAttempt {
  deadline: number;
  /** When to send the query again, in case the packet was lost; the reply to either counts. */
  resendAt: number;
  /** Called once it is sent again. */
  onSilent(): void;
  /** Adds the time in which the event loop was blocked and no reply could be read. */
  extendDeadline(ms: number): void;
  /** Ends the current step at once; null between steps. */
  cancel: (() => void) | null;
}

/** A query that was sent and has no reply yet. */
interface OutstandingQuery {
  id: number;
  bytes: Buffer;
  attempt: QueryAttempt;
  resent: boolean;
  resolve(received: Buffer | QueryFailure): void;
}

const receiveBufferBytes = 1 << 20;
/** One sweep over all queries costs less than a timer for each. */
const sweepMs = 20;
/** A sweep that is this late means that this process was busy or stopped, not that the resolver is silent. */
const lateMs = 200;
/** Delay before a socket is opened again after no descriptor was free. */
export const descriptorRetryMs = 100;

/** One UDP socket to a resolver, with its outstanding queries. */
export class UdpChannel {
  isClosed = false;
  private readonly outstanding = new Map<number, OutstandingQuery>();
  private outbox: OutstandingQuery[] = [];
  private isConnected = false;
  private sweepTimer: NodeJS.Timeout | null = null;
  private nextSweepAt = 0;
  /** True if the last sweep was late and extended the deadlines, so that waiting replies are read first. */
  private hasExtended = false;
  private socket: Socket | null = null;

  constructor(private readonly address: ResolverAddress) {
    this.connect();
  }

  /** An id that no outstanding query has. */
  freeId(): number {
    let id = randomId();
    while (this.outstanding.has(id)) id = randomId();
    return id;
  }

  /** The bytes of the reply, or why there is none. */
  ask(id: number, bytes: Buffer, attempt: QueryAttempt): Promise<Buffer | QueryFailure> {
    return new Promise((resolve) => {
      const question = { id, bytes, attempt, resent: false, resolve };
      attempt.cancel = () => this.settle(question, 'timeout');
      this.outstanding.set(id, question);
      this.scheduleSweep();
      this.send(question);
    });
  }

  private settle(question: OutstandingQuery, received: Buffer | QueryFailure): void {
    if (!this.isOutstanding(question)) return;
    this.outstanding.delete(question.id);
    question.attempt.cancel = null;
    if (this.outstanding.size === 0 && this.sweepTimer !== null) {
      clearTimeout(this.sweepTimer);
      this.sweepTimer = null;
    }
    question.resolve(received);
  }

  close(why: QueryFailure): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.socket?.close();
    for (const question of [...this.outstanding.values()]) this.settle(question, why);
  }

  /** Connects the socket, so that the kernel drops foreign packets and reports a closed port. */
  private connect(): void {
    const { ip, family, port } = this.address;
    const socket = createSocket({
      type: family === 4 ? 'udp4' : 'udp6',
      recvBufferSize: receiveBufferBytes,
      lookup: (host, _options, done) => done(null, host, family),
    });
    this.socket = socket;
    // `connect` may report an error before it returns.
    socket.on('error', (error) => this.onError(error));
    socket.on('message', (bytes) => this.receive(bytes));
    socket.on('connect', () => {
      this.isConnected = true;
      this.sendAll();
    });
    socket.connect(port, ip);
    // An idle socket must not keep the process alive; the sweep timer does while queries are open.
    socket.unref();
  }

  private onError(error: Error): void {
    if (!isOutOfDescriptors(error)) {
      this.close(reasonOf(error));
      return;
    }
    // Connections end all the time: the queries wait for a descriptor until their deadlines.
    setTimeout(() => {
      if (this.isClosed) return;
      this.socket?.close();
      this.connect();
    }, descriptorRetryMs).unref();
  }

  private isOutstanding(question: OutstandingQuery): boolean {
    return this.outstanding.get(question.id) === question;
  }

  private receive(bytes: Buffer): void {
    if (bytes.length < 2) return;
    const question = this.outstanding.get(bytes.readUInt16BE(0));
    if (question !== undefined && answersQuery(bytes, question.bytes)) this.settle(question, bytes);
  }

  /** Queries of one tick are sent together: waking the resolver for each costs more than the packet. */
  private send(question: OutstandingQuery): void {
    if (this.outbox.push(question) === 1 && this.isConnected) setImmediate(this.sendAll);
  }

  private readonly sendAll = (): void => {
    const waiting = this.outbox.filter((question) => this.isOutstanding(question));
    const last = waiting.at(-1);
    this.outbox = [];
    // ECONNREFUSED is reported by the next call on the socket. A callback for the last packet is enough to see it.
    for (const question of waiting) this.socket?.send(question.bytes, question === last ? this.onSent : undefined);
  };

  private readonly onSent = (error: NodeJS.ErrnoException | null): void => {
    // A full queue is transient: the query is sent again.
    if (error !== null && error.code !== 'ENOBUFS') this.close(reasonOf(error));
  };

  private readonly sweep = (): void => {
    this.sweepTimer = null;
    const now = performance.now();
    const lateBy = now - this.nextSweepAt;
    this.hasExtended = !this.hasExtended && lateBy > lateMs;
    if (this.hasExtended) {
      for (const { attempt } of this.outstanding.values()) attempt.extendDeadline(lateBy);
      this.scheduleSweep();
      return;
    }
    for (const question of [...this.outstanding.values()]) {
      const { deadline, resendAt } = question.attempt;
      if (deadline <= now) this.settle(question, 'timeout');
      else if (!question.resent && resendAt <= now) {
        question.resent = true;
        this.send(question);
        question.attempt.onSilent();
      }
    }
    if (this.outstanding.size > 0) this.scheduleSweep();
  };

  private scheduleSweep(): void {
    if (this.sweepTimer !== null) return;
    this.nextSweepAt = performance.now() + sweepMs;
    this.sweepTimer = setTimeout(this.sweep, sweepMs);
  }
}

function reasonOf(error: NodeJS.ErrnoException): QueryFailure {
  return error.code === 'ECONNREFUSED' ? 'refused' : 'timeout';
}
