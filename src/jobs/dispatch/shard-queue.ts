/** Who works on which lane, now. It may forget everything at any moment: what is to be done stands in the store. */
export interface ShardQueue {
  /** These lanes have something to ask, and nobody holds them. */
  wake(lanes: readonly string[]): void;
  /** Hands lanes to `run`, so many at a time, each until its promise ends. */
  serve(run: (lane: string) => Promise<void>, concurrency: number): Serving;
  /** Ends when the queue has answered a small question; fails where it does not. */
  ask(): Promise<void>;
  close(): Promise<void>;
}

/** Lanes being handed out. */
interface Serving {
  /** So many at a time from now on. */
  limit(concurrency: number): void;
  stop(): Promise<void>;
}
