/** Assigns shards to workers. It may lose everything at any moment: the store is the truth. */
export interface ShardQueue {
  /** These shards have probes and no owner. */
  wake(shards: readonly string[]): void;
  /** Calls `run` with shards, at most `concurrency` at a time, each until its promise resolves. */
  serve(run: (shard: string) => Promise<void>, concurrency: number): Serving;
  /** Resolves when the queue answers; rejects where it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The subscription of a worker. */
interface Serving {
  /** Changes the concurrency. */
  limit(concurrency: number): void;
  stop(): Promise<void>;
}
