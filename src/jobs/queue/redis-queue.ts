import { randomUUID } from 'node:crypto';
import { Queue as BullQueue, QueueEvents, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { sleep, systemClock } from '../../async/clock.js';
import { onAbort } from '../../async/on-abort.js';
import { createSignal } from '../../async/signal.js';
import { withTimeout } from '../../async/with-timeout.js';
import { Failure } from '../../model/failure.js';
import type { SliceRef } from '../store/job-record.js';
import type { OpenSlice } from '../store/postgres/slices.js';
import type { Consumer, QueueCounts, QueueWorker, SharedQueue } from './queue.js';

const slicesName = 'mailvet-slices';
const asksName = 'mailvet-asks';
/** Written to find out whether Redis can be. */
const aliveKey = 'mailvet-alive';
const aliveSeconds = 60;

const workerOptions = {
  // A stalled job is a dead or silent worker, and no fault of the slice.
  maxStalledCount: 1_000_000_000,
  lockDuration: 10_000,
  stalledInterval: 5_000,
  // BullMQ waits this long after a lost connection, 15 s by default, and its timer keeps a closed process alive.
  runRetryDelay: 2_000,
  // Redis may lose a longer wait when it reconnects.
  drainDelay: 5,
};
const keptAnswers = { age: 60, count: 10_000 };
/** Slices at a time: the last rows of one wait for slow mail servers. */
const maxSlices = 16;
const checkMs = 500;
/** After a failure, such as a full disk, the next slice would fail, too. */
const backoffMs = 2_000;
/** BullMQ names those without a priority `wait`: they are back from a dead worker. */
const countedStates = ['active', 'wait', 'prioritized'] as const;
const closeMs = 1_000;
const firstDelayMs = 100;
const maxDelayMs = 2_000;

/** The queue on BullMQ in Redis. An outage and its end are reported once each. */
export function openRedisQueue(address: string, onNote: (text: string) => void): SharedQueue {
  return new RedisQueue(address, onNote);
}

class RedisQueue implements SharedQueue {
  private readonly host: string;
  /** Commands fail while Redis is unreachable; blocking reads wait. */
  private readonly commands: Redis;
  private readonly blocking: Redis;
  private readonly queues = new Map<string, Promise<BullQueue | null>>();
  private readonly consumers = new Set<Consumer>();
  private events: Promise<QueueEvents | null> | null = null;
  private isUnreachable = false;
  private isClosed = false;

  constructor(
    address: string,
    private readonly onNote: (text: string) => void,
  ) {
    this.host = new URL(address).host;
    this.commands = new Redis(address, { maxRetriesPerRequest: 1, enableOfflineQueue: false, retryStrategy });
    this.blocking = new Redis(address, { maxRetriesPerRequest: null, retryStrategy });
    for (const client of [this.commands, this.blocking]) client.on('error', this.onError);
  }

  async add(slices: readonly OpenSlice[]): Promise<void> {
    const byName = new Map<string, OpenSlice[]>();
    for (const slice of slices) {
      const name = nameFor(slice.home);
      byName.set(name, [...(byName.get(name) ?? []), slice]);
    }
    await this.watch(async () => {
      for (const [name, added] of byName) await (await this.queue(name))?.addBulk(added.map(toJob));
    });
  }

  async remove(slices: readonly OpenSlice[]): Promise<void> {
    await this.watch(async () => {
      for (const slice of slices) await (await this.queue(nameFor(slice.home)))?.remove(jobId(slice));
    });
  }

  async counts(workers: readonly string[]): Promise<QueueCounts> {
    const all: QueueCounts = { running: 0, waiting: 0, waitedMs: null, writeMs: 0 };
    const startedAt = performance.now();
    await this.watch(async () => {
      await this.commands.set(aliveKey, String(Date.now()), 'EX', aliveSeconds);
      all.writeMs = performance.now() - startedAt;
      for (const name of [null, ...workers]) {
        const queue = await this.queue(nameFor(name));
        const { active = 0, wait = 0, prioritized = 0 } = (await queue?.getJobCounts(...countedStates)) ?? {};
        all.running += active;
        all.waiting += wait + prioritized;
        const [next] = (await queue?.getPrioritized(0, 0)) ?? [];
        if (next !== undefined) all.waitedMs = Math.max(all.waitedMs ?? 0, Date.now() - next.timestamp);
      }
    });
    return all;
  }

  /** Waiting rows come back to the worker whose address their mail servers know. */
  async work({ name, mayWork, run, onError, signal }: QueueWorker): Promise<void> {
    const running = new Set<Promise<unknown>>();
    const runOne = async (slice: SliceRef): Promise<void> => {
      if (signal.aborted) return;
      const work = run(slice).catch(async (error: unknown) => {
        onError(error);
        await sleep(systemClock, backoffMs * (0.5 + Math.random()), signal).catch(() => {});
      });
      running.add(work);
      await work;
      running.delete(work);
    };
    let consumers: Consumer[] = [];
    const stop = () => Promise.all(consumers.splice(0).map((consumer) => consumer.stop()));
    const changed = createSignal(systemClock);
    const removeListener = onAbort(signal, changed.notify);
    while (!signal.aborted) {
      const works = mayWork();
      if (works && consumers.length === 0)
        consumers = [nameFor(null), nameFor(name)].map((each) => this.consume(each, maxSlices, runOne));
      else if (!works) void stop();
      await changed.wait(checkMs);
    }
    removeListener();
    const stopping = stop();
    await Promise.all(running);
    await stopping;
  }

  async ask(question: object, withinMs: number): Promise<unknown> {
    this.events ??= this.openReady(() => new QueueEvents(asksName, { connection: this.blocking }));
    const [queue, events] = await Promise.all([this.queue(asksName), this.events]);
    if (queue === null || events === null) throw new Failure('unavailable', 'The process stops.');
    const options = { jobId: randomUUID(), removeOnComplete: keptAnswers, removeOnFail: keptAnswers };
    const job = await this.watch(() => queue.add('ask', question, options));
    return job.waitUntilFinished(events, withinMs);
  }

  answer(concurrency: number, answer: (question: object) => Promise<object>): Consumer {
    return this.consume(asksName, concurrency, answer);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const opened = [...this.queues.values(), ...(this.events === null ? [] : [this.events])];
    // Together: without a connection each of them takes all of its time.
    await Promise.all([
      ...[...this.consumers].map((consumer) => consumer.stop()),
      ...opened.map((each) => inTime(each.then((ready) => ready?.close()))),
    ]);
    this.commands.disconnect();
    this.blocking.disconnect();
  }

  private queue(name: string): Promise<BullQueue | null> {
    const opened = this.queues.get(name) ?? this.openReady(() => new BullQueue(name, { connection: this.commands }));
    this.queues.set(name, opened);
    return opened;
  }

  private consume<Data>(name: string, concurrency: number, run: (data: Data) => Promise<unknown>): Consumer {
    let stopping: Promise<void> | null = null;
    const worker = this.openReady(
      () =>
        new Worker<Data>(name, (job) => run(job.data), {
          ...{ connection: this.blocking, concurrency, autorun: false },
          ...workerOptions,
        }),
      () => stopping !== null,
    );
    worker.then((ready) => ready?.run()).catch(this.onError);
    const consumer: Consumer = {
      stop: () => {
        this.consumers.delete(consumer);
        stopping ??= inTime(worker.then((ready) => ready && closeWorker(ready)));
        return stopping;
      },
    };
    this.consumers.add(consumer);
    return consumer;
  }

  /** Reports the end of an outage, too. */
  private async watch<T>(work: () => Promise<T>): Promise<T> {
    try {
      const value = await work();
      if (this.isUnreachable) this.onNote(`The queue on ${this.host} answers again.`);
      this.isUnreachable = false;
      return value;
    } catch (error) {
      this.onError(error);
      throw error;
    }
  }

  private readonly onError = (error: unknown): void => {
    if (this.isClosed || this.isUnreachable || !isOutage(error)) return;
    this.isUnreachable = true;
    const reason = error instanceof Error && error.message !== '' ? error.message : String(error);
    this.onNote(
      `The queue on ${this.host} cannot be reached (${reason}). Requests are answered; lists continue when it is back.`,
    );
  };

  /**
   * Returns a connected instance, or null if it is stopped first. BullMQ keeps the failure of the first connection forever, and a worker
   * then repeats it without a pause, so a failed instance is replaced.
   */
  private async openReady<Instance extends Connected>(
    create: () => Instance,
    isStopped: () => boolean = () => false,
  ): Promise<Instance | null> {
    for (let delayMs = firstDelayMs; !this.isClosed && !isStopped(); delayMs = Math.min(2 * delayMs, maxDelayMs)) {
      const instance = create();
      instance.on('error', this.onError);
      try {
        await instance.waitUntilReady();
        return instance;
      } catch (error) {
        this.onError(error);
        await inTime(instance.close());
        await sleep(systemClock, delayMs * (0.5 + Math.random()));
      }
    }
    return null;
  }
}

/** A queue, a worker or a listener of BullMQ. */
interface Connected {
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  on(event: 'error', handler: (error: Error) => void): unknown;
}

/** The queue of all workers, or of one. BullMQ allows no colon. */
function nameFor(home: string | null): string {
  return home === null ? slicesName : `${slicesName}-${home.replaceAll(':', '_')}`;
}

function jobId({ id, place, generation }: OpenSlice): string {
  return `${id}_${place}_${generation}`;
}

function toJob(slice: OpenSlice) {
  const { job, place, generation, rank } = slice;
  return {
    name: 'slice',
    data: { job, place, generation } satisfies SliceRef,
    opts: { jobId: jobId(slice), priority: Math.min(rank, maxPriority), removeOnComplete: true, removeOnFail: true },
  };
}

/** BullMQ's limit. */
const maxPriority = 2_097_152;

/** Not the loss of a lock, because a worker was stopped or Redis was emptied. */
function isOutage(error: unknown): boolean {
  return !(error instanceof Error && /\bfor job\b|Missing lock/.test(error.message));
}

function retryStrategy(times: number): number {
  return Math.min(times * 200, maxDelayMs) * (0.5 + Math.random());
}

/** Closes a worker at once. After a lost connection, BullMQ waits for a job for up to an hour, and its timer keeps the process alive. */
async function closeWorker(worker: {
  close(force: boolean): Promise<void>;
  getBackend(): { disconnectBlocking(): Promise<void> };
}): Promise<void> {
  const closing = worker.close(true);
  await worker.getBackend().disconnectBlocking();
  await closing;
}

/** Waits for a close, but not forever: BullMQ does not settle it if its connection was lost during setup. */
async function inTime(closing: Promise<unknown>): Promise<void> {
  await withTimeout(closing, closeMs, new Error('not closed in time')).catch(() => {});
}
