import { createSocket, type Socket } from 'node:dgram';
import { answersQuery, randomId } from './message.js';
import type { ResolverAddress } from './resolver-address.js';

/** Why there is no reply to read. */
export type QueryFailure = 'timeout' | 'servfail' | 'refused' | 'malformed';

/** A question on its way, and who is told what came of it. */
export interface OutstandingQuery {
  readonly id: number;
  readonly bytes: Buffer;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  /** A packet may be lost, so the same question is sent once more; the reply to either counts. */
  readonly resendAt: number;
  resent: boolean;
  onReceived(bytes: Buffer | QueryFailure): void;
  /** So long nobody here could read, which does not count. */
  extendDeadline(ms: number): void;
}

const receiveBufferBytes = 1 << 20;
/** One look at all open questions so often costs less than a timer for each. */
const sweepMs = 20;
/** A look that comes so late tells that we were busy, or stopped for a while, not that the resolver is silent. */
const lateMs = 200;

/** One UDP socket to a resolver, with the questions that went out by it. */
export class UdpChannel {
  closed = false;
  private readonly open = new Map<number, OutstandingQuery>();
  private outbox: OutstandingQuery[] = [];
  private connected = false;
  private sweepTimer: NodeJS.Timeout | null = null;
  private nextSweepAt = 0;
  /** The last look was late and left what had come meanwhile to be read first. */
  private putOff = false;
  private readonly socket: Socket;

  constructor(address: ResolverAddress) {
    this.socket = openSocket(address);
    this.socket.on('error', (error) => this.close(reasonOf(error)));
    this.socket.on('message', (bytes) => this.receive(bytes));
    this.socket.on('connect', () => {
      this.connected = true;
      this.sendAll();
    });
  }

  /** An id that no question under way has. */
  freeId(): number {
    let id = randomId();
    while (this.open.has(id)) id = randomId();
    return id;
  }

  ask(question: OutstandingQuery): void {
    this.open.set(question.id, question);
    this.scheduleSweep();
    this.send(question);
  }

  /** Tells the question what came of it, unless it knows. */
  settle(question: OutstandingQuery, received: Buffer | QueryFailure): void {
    if (!this.isOpen(question)) return;
    this.open.delete(question.id);
    if (this.open.size === 0 && this.sweepTimer !== null) {
      clearTimeout(this.sweepTimer);
      this.sweepTimer = null;
    }
    question.onReceived(received);
  }

  close(why: QueryFailure): void {
    if (this.closed) return;
    this.closed = true;
    this.socket.close();
    for (const question of [...this.open.values()]) this.settle(question, why);
  }

  private isOpen(question: OutstandingQuery): boolean {
    return this.open.get(question.id) === question;
  }

  private receive(bytes: Buffer): void {
    if (bytes.length < 2) return;
    const question = this.open.get(bytes.readUInt16BE(0));
    if (question !== undefined && answersQuery(bytes, question.bytes)) this.settle(question, bytes);
  }

  /** Questions that arise from one round of replies leave together: to wake the other side for each costs more than the packet. */
  private send(question: OutstandingQuery): void {
    if (this.outbox.push(question) === 1 && this.connected) setImmediate(this.sendAll);
  }

  private readonly sendAll = (): void => {
    const waiting = this.outbox.filter((question) => this.isOpen(question));
    const last = waiting.at(-1);
    this.outbox = [];
    // The system tells that nobody listens when we next turn to it, be it to send; without a callback for the last of them that
    // word might be lost. One for each would only cost time.
    for (const question of waiting) this.socket.send(question.bytes, question === last ? this.onSent : undefined);
  };

  private readonly onSent = (error: NodeJS.ErrnoException | null): void => {
    // A full queue passes: the question is sent once more.
    if (error !== null && error.code !== 'ENOBUFS') this.close(reasonOf(error));
  };

  private readonly sweep = (): void => {
    this.sweepTimer = null;
    const now = performance.now();
    const lateBy = now - this.nextSweepAt;
    this.putOff = !this.putOff && lateBy > lateMs;
    if (this.putOff) {
      for (const question of this.open.values()) question.extendDeadline(lateBy);
      this.scheduleSweep();
      return;
    }
    for (const question of [...this.open.values()]) {
      if (question.deadline <= now) this.settle(question, 'timeout');
      else if (!question.resent && question.resendAt <= now) {
        question.resent = true;
        this.send(question);
      }
    }
    if (this.open.size > 0) this.scheduleSweep();
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

/** Connected, so that the system itself drops packets from anyone else and tells us when nobody listens. */
function openSocket({ ip, family, port }: ResolverAddress): Socket {
  const socket = createSocket({
    type: family === 4 ? 'udp4' : 'udp6',
    recvBufferSize: receiveBufferBytes,
    lookup: (host, _options, done) => done(null, host, family),
  });
  socket.connect(port, ip);
  // An idle socket keeps no process alive; the watch over open questions does.
  socket.unref();
  return socket;
}
