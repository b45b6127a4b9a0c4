import { abortable } from '../../async/abortable.js';
import { sleep, systemClock } from '../../async/clock.js';
import { onAbort } from '../../async/on-abort.js';
import { asFailure } from '../../model/failure.js';
import type { ProbeAnswer, ProbeRequest, Prober } from '../../net/probe/prober.js';
import type { Cluster } from '../store/postgres/postgres-store.js';
import type { ShardQueue } from './bullmq-queue.js';
import { PendingProbes } from './pending-probes.js';
import { isInteractive, type ProbeRow, priorities } from './request-table.js';
import type { Requester } from './requester.js';
import { destinationOf } from './shard-of.js';
import type { WorkerRegistry } from './worker-registry.js';

interface RequestDispatcherOptions {
  cluster: Cluster;
  queue: ShardQueue;
  registry: WorkerRegistry;
  /** A provider that accepts many sessions from each address. */
  isLarge(provider: string): boolean;
}

const retryMs = 1_000;

/** Sends probes of this process to the workers. */
export class RequestDispatcher {
  private readonly probes: PendingProbes;
  private readonly inFlight = new Map<
    string,
    { answer: Promise<ProbeAnswer | null>; signal: AbortSignal | undefined }
  >();
  private isWorker = false;

  constructor(private readonly options: RequestDispatcherOptions) {
    this.probes = new PendingProbes(options.cluster, options.queue, options.registry);
    options.registry.pollWhile(() => this.probes.count() > 0);
  }

  /** Probes by workers while there are any, otherwise by `localProber`. */
  proberFor({ id, priority, withinMs }: Requester, localProber: Prober): Prober {
    let rank = 0;
    const rowOf = ({ patient: _, onDeferred: __, ...request }: ProbeRequest): ProbeRow => ({
      requester: id,
      mailbox: `${request.address.localPart}@${request.address.domain}`,
      priority: priorities[priority],
      rank: rank++,
      withinMs,
      ...destinationOf(request, this.options.isLarge),
      request: JSON.stringify(request),
    });
    return {
      probe: async (request, caller) => {
        caller?.signal?.throwIfAborted();
        if (!this.hasWorkers()) return localProber.probe(request, caller);
        return (await this.probeOnce(rowOf(request), caller?.signal)) ?? localProber.probe(request, caller);
      },
      close: async () => {},
    };
  }

  /** Called when this process becomes a worker itself. */
  markAsWorker(): void {
    this.isWorker = true;
  }

  /** Called each time the list of workers was read. */
  onWorkersViewed(): void {
    if (!this.hasWorkers()) this.probes.returnAll();
  }

  close(): void {
    this.probes.close();
  }

  private hasWorkers(): boolean {
    return this.isWorker || this.options.registry.hasWorkers();
  }

  /** Single-flight for each requester and mailbox: a job may be restarted here before its earlier run has ended. */
  private async probeOnce(row: ProbeRow, signal?: AbortSignal): Promise<ProbeAnswer | null> {
    const key = `${row.requester} ${row.mailbox}`;
    const current = this.inFlight.get(key);
    if (current === undefined) {
      const answer = this.probe(row, signal).finally(() => this.inFlight.delete(key));
      this.inFlight.set(key, { answer, signal });
      return answer;
    }
    try {
      return await abortable(current.answer, signal);
    } catch (error) {
      if (current.signal?.aborted !== true || signal?.aborted === true) throw error;
      return this.probeOnce(row, signal);
    }
  }

  /** Probes of a job wait for an unreachable database; interactive ones fail. */
  private async probe(row: ProbeRow, signal?: AbortSignal): Promise<ProbeAnswer | null> {
    for (;;) {
      try {
        return await this.answerOf(row, signal);
      } catch (error) {
        if (signal?.aborted === true || isInteractive(row) || asFailure(error).code !== 'storage') throw error;
        await sleep(systemClock, retryMs * (0.5 + Math.random()), signal);
      }
    }
  }

  private answerOf(row: ProbeRow, signal?: AbortSignal): Promise<ProbeAnswer | null> {
    return new Promise((resolve, reject) => {
      let cancel: (() => void) | null = null;
      let isAborted = false;
      const abort = (): void => {
        isAborted = true;
        reject(signal?.reason);
        cancel?.();
      };
      const removeListener = signal && onAbort(signal, abort);
      const onAnswer = (answer: ProbeAnswer | null): void => {
        removeListener?.();
        resolve(answer);
      };
      this.probes.add(row, onAnswer).then(
        (cancelProbe) => {
          cancel = cancelProbe;
          if (isAborted) cancel();
        },
        (error: unknown) => {
          removeListener?.();
          reject(error);
        },
      );
    });
  }
}
