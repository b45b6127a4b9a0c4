import type { SliceRef } from '../store/job-record.js';
import type { OpenSlice } from '../store/postgres/slices.js';

/** Hands slices to workers. It may lose its content at any time: the store is authoritative, and slices are added again. */
export interface Queue {
  /** Adds slices; one that is in the queue already is not added twice. */
  add(slices: readonly OpenSlice[]): Promise<void>;
  /** Calls `run` with slices for the worker of that name, at most `concurrency` at a time, each until its promise resolves. */
  work(name: string, concurrency: number, run: (slice: SliceRef) => Promise<void>): Consumer;
  /** Has a worker answer a question, before all slices. Rejects if it is not answered in time. */
  ask(question: object, withinMs: number): Promise<unknown>;
  /** Answers the questions of other processes. */
  answer(concurrency: number, answer: (question: object) => Promise<object>): Consumer;
  /** Resolves when the queue was written; rejects if it cannot be. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

export interface Consumer {
  /** Takes no more; what runs is not waited for. */
  stop(): Promise<void>;
}
