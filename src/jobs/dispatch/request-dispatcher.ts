import { createBatcher } from '../../async/batcher.js';
import { sleep, systemClock } from '../../async/clock.js';
import { LruMap } from '../../async/lru-map.js';
import { onAbort } from '../../async/on-abort.js';
import { asFailure } from '../../model/failure.js';
import type { ProbeAnswer, ProbeRequest, Prober } from '../../net/probe/prober.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import { answersChannel, jobBatchWaitMs, parseMessage } from './channels.js';
import { isInteractive, type ProbeRow, priorities, requestTable, type StoredProbe } from './request-table.js';
import { destinationOf } from './shard-of.js';
import type { ShardQueue } from './shard-queue.js';
import type { WorkerRegistry } from './worker-registry.js';

/** On whose behalf mailboxes are asked for. */
export interface Requester {
  /** A job, or one request. */
  id: string;
  priority: 'single' | 'bulk' | 'job';
  /** How long somebody waits for the answers; null: until the job ends. */
  withinMs: number | null;
}

/** Asks workers for mailboxes. */
interface RequestDispatcher {
  /** Asks by lanes while there are workers, else by `own`. */
  proberFor(asker: Requester, own: Prober): Prober;
  /** This process is a worker now, so that there is one. */
  work(): void;
  /** Told of every look at who is there. */
  look(): void;
  close(): void;
}

interface RequestDispatcherOptions {
  cluster: Cluster;
  queue: ShardQueue;
  members: WorkerRegistry;
  /** A provider that bears much from each address. */
  isLarge(provider: string): boolean;
}

interface PendingRequest {
  question: ProbeRow;
  /** When to look for its answer though nobody told of one. */
  lookAt: number;
  /** Null: no worker is left. */
  settle(answer: ProbeAnswer | null): void;
}

const batchRows = 1_000;
/** An answer that nobody told of is found after so long; a job has time, and many questions. */
const interactivePollMs = 2_000;
const jobPollMs = 20_000;
const wakeAgainMs = 500;
const againMs = 1_000;

function pollAfterMs(question: ProbeRow): number {
  return isInteractive(question) ? interactivePollMs : jobPollMs;
}

/** Opens the way from this process to the workers. */
export function createRequestDispatcher({
  cluster,
  queue,
  members,
  isLarge,
}: RequestDispatcherOptions): RequestDispatcher {
  const table = requestTable(cluster.database);
  const node = cluster.heartbeat.id;
  const waiting = new Map<number, PendingRequest>();
  const underWay = new Map<string, { asking: Promise<ProbeAnswer | null>; signal: AbortSignal | undefined }>();
  /** Answered before we knew what was asked. */
  const early = new LruMap<true>({ maxEntries: 10_000 });
  const woken = new LruMap<number>({ maxEntries: 2_048 });
  let worksHere = false;
  const hasWorkers = (): boolean => worksHere || members.hasWorkers();

  const wake = (lanes: readonly string[]): void => {
    const now = performance.now();
    const due = lanes.filter((lane) => now - (woken.get(lane) ?? Number.NEGATIVE_INFINITY) >= wakeAgainMs);
    for (const lane of due) woken.set(lane, now);
    if (due.length > 0) queue.wake(due);
  };
  const put = createBatcher(
    async (questions: readonly ProbeRow[]) => {
      const all: StoredProbe[] = [];
      for (let at = 0; at < questions.length; at += batchRows) {
        const { asked, free } = await table.put(node, questions.slice(at, at + batchRows));
        all.push(...asked);
        wake(free);
      }
      return all;
    },
    { maxWaitMs: (question) => (isInteractive(question) ? 0 : jobBatchWaitMs) },
  );
  const remove = createBatcher(
    async (ids: readonly number[]) => {
      await table.remove(ids);
      return ids;
    },
    { maxWaitMs: () => jobBatchWaitMs },
  );
  const forget = (question: ProbeRow, id: number): void => {
    // A job's answers stay until its results are committed with them, so that whoever holds it next need not ask again.
    if (isInteractive(question)) remove(id).catch(() => {});
  };
  const settle = ({ id, answer }: StoredProbe): void => {
    const found = waiting.get(id);
    if (found === undefined || answer === null) return;
    waiting.delete(id);
    forget(found.question, id);
    found.settle(answer);
  };
  const read = createBatcher(async (ids: readonly number[]) => {
    const found = new Map((await table.read(ids)).map((asked) => [asked.id, asked]));
    return ids.map((id) => found.get(id) ?? null);
  });
  const fetch = (id: number): Promise<void> =>
    read(id).then((asked) => {
      if (asked !== null) return settle(asked);
      const lost = waiting.get(id);
      if (lost === undefined) return;
      // Somebody cleared the table: it is asked anew.
      waiting.delete(id);
      void follow(lost.question, lost.settle);
    });
  const lookAt = (ids: Iterable<number>): void => {
    // The next look finds what this one could not.
    for (const id of ids) fetch(id).catch(() => {});
  };
  cluster.listener.subscribe(answersChannel(node), (said) => {
    const ids = said === null ? [...waiting.keys()] : parseMessage(said).map(Number);
    if (said !== null) for (const id of ids) if (!waiting.has(id)) early.set(String(id), true);
    lookAt(ids.filter((id) => waiting.has(id)));
  });
  const timer = setInterval(() => {
    const now = performance.now();
    const late: number[] = [];
    for (const [id, each] of waiting) {
      if (each.lookAt > now) continue;
      each.lookAt = now + pollAfterMs(each.question);
      late.push(id);
    }
    lookAt(late);
  }, interactivePollMs).unref();

  /** Puts a question and has it settled when the answer comes; a job's questions wait for a database that went away. */
  async function follow(question: ProbeRow, whenAnswered: PendingRequest['settle']): Promise<number | null> {
    const asked = await put(question);
    if (asked.answer !== null) {
      forget(question, asked.id);
      whenAnswered(asked.answer);
      return null;
    }
    waiting.set(asked.id, { question, lookAt: performance.now() + pollAfterMs(question), settle: whenAnswered });
    if (early.get(String(asked.id)) === true) lookAt([asked.id]);
    return asked.id;
  }

  async function ask(question: ProbeRow, signal?: AbortSignal): Promise<ProbeAnswer | null> {
    for (;;) {
      try {
        return await askOnce(question, signal);
      } catch (error) {
        if (signal?.aborted === true || isInteractive(question) || asFailure(error).code !== 'storage') throw error;
        await sleep(systemClock, againMs, signal);
      }
    }
  }

  function askOnce(question: ProbeRow, signal?: AbortSignal): Promise<ProbeAnswer | null> {
    return new Promise((resolve, reject) => {
      let id: number | null = null;
      let over = false;
      const stop = (): void => {
        over = true;
        reject(signal?.reason);
        if (id === null) return;
        // Who asks for the same on behalf of the same job still waits.
        if (waiting.get(id)?.settle === settled) waiting.delete(id);
        forget(question, id);
      };
      const takeBack = signal && onAbort(signal, stop);
      const settled = (answer: ProbeAnswer | null): void => {
        takeBack?.();
        resolve(answer);
      };
      follow(question, settled).then(
        (put) => {
          id = put;
          if (over) stop();
        },
        (error: unknown) => {
          takeBack?.();
          reject(error);
        },
      );
    });
  }

  /** The same mailbox is asked for once at a time on behalf of one asker: a job may be begun anew here before its earlier run has ended. */
  async function askTogether(question: ProbeRow, signal?: AbortSignal): Promise<ProbeAnswer | null> {
    const key = `${question.requester} ${question.mailbox}`;
    const same = underWay.get(key);
    if (same === undefined) {
      const asking = ask(question, signal).finally(() => underWay.delete(key));
      underWay.set(key, { asking, signal });
      return asking;
    }
    try {
      return await same.asking;
    } catch (error) {
      if (same.signal?.aborted !== true || signal?.aborted === true) throw error;
      return askTogether(question, signal);
    }
  }

  function proberFor({ id, priority, withinMs }: Requester, own: Prober): Prober {
    let rank = 0;
    const questionOf = ({ patient: _, onDeferred: __, ...request }: ProbeRequest): ProbeRow => ({
      ...{ requester: id, mailbox: request.address.canonical, priority: priorities[priority], rank: rank++, withinMs },
      ...destinationOf(request, isLarge),
      request: JSON.stringify(request),
    });
    const probe: Prober['probe'] = async (request, signal) => {
      signal?.throwIfAborted();
      if (!hasWorkers()) return own.probe(request, signal);
      return (await askTogether(questionOf(request), signal)) ?? own.probe(request, signal);
    };
    return { probe, close: async () => {} };
  }

  return {
    proberFor,
    work: () => {
      worksHere = true;
    },
    look: () => {
      if (hasWorkers()) return;
      // Nobody is left to ask for them.
      for (const [id, { settle: settleNow }] of waiting) {
        waiting.delete(id);
        remove(id).catch(() => {});
        settleNow(null);
      }
    },
    close: () => clearInterval(timer),
  };
}
