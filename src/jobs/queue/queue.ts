import type { RunObserver } from '../run/runner.js';
import type { SliceRef } from '../store/job-record.js';
import type { OpenSlice } from '../store/postgres/slices.js';

/**
 * Gives work to this process. There are two: `StoreQueue` asks the store for the next job, so that a job that is added, canceled or
 * deleted there needs no other call; `RedisQueue` hands slices to the workers of a cluster, and has to be told.
 */
export interface Queue {
  /** Runs what there is while `mayWork`, until the signal aborts. */
  work(worker: QueueWorker): Promise<void>;
}

export interface QueueWorker {
  name: string;
  /** Whether this process is to take work now. */
  mayWork(): boolean;
  /** Runs that slice, or with null the next job of the store; null if there is none. */
  run(slice: SliceRef | null, observer?: RunObserver): Promise<unknown>;
  onError(failure: unknown): void;
  signal: AbortSignal;
}

/** The queue of a cluster. It may lose its content at any time: the store is authoritative, and slices are added again. */
export interface SharedQueue extends Queue {
  /** Adds slices; one that is in the queue already is not added twice. */
  add(slices: readonly OpenSlice[]): Promise<void>;
  /** Removes those of the slices that no worker has taken. */
  remove(slices: readonly OpenSlice[]): Promise<void>;
  /** What is in it for any worker, and for these. Rejects if the queue cannot be written. */
  counts(workers: readonly string[]): Promise<QueueCounts>;
  /** Has a worker answer a question, before all slices. Rejects if it is not answered in time. */
  ask(question: object, withinMs: number): Promise<unknown>;
  /** Answers the questions of other processes. */
  answer(concurrency: number, answer: (question: object) => Promise<object>): Consumer;
  close(): Promise<void>;
}

export interface QueueCounts {
  running: number;
  waiting: number;
  /** How long the next slice has waited; null if none waits. */
  waitedMs: number | null;
  /** The time for a write. */
  writeMs: number;
}

export interface Consumer {
  /** Takes no more; what runs is not waited for. */
  stop(): Promise<void>;
}
