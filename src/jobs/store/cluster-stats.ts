/** What other processes on the same store see of a process. */
export interface ProcessInfo {
  kind: 'worker' | 'node' | 'command';
  /** Stable across restarts, like the outbound address; by default the host name. Unique among live workers. */
  name?: string | null;
  /** The address that mail servers see, if configured. */
  sourceIp?: string | null;
}

/** What a worker publishes for `/metrics`. */
export interface WorkerMetrics {
  /** Mailboxes asked, and internal exceptions, since its start. */
  asked: number;
  exceptions: number;
  /** Mail hosts by their state. */
  hosts: Readonly<Record<string, number>>;
  /** Mail hosts that it holds a permit for. */
  permits: number;
}

/** A worker that has the shared store open, alive or dead since a moment. */
export interface WorkerStats {
  name: string;
  host: string;
  /** The address that mail servers see, if configured. */
  sourceIp: string | null;
  /** Since its last heartbeat. */
  silentMs: number;
  /** False: other processes take over its work. */
  isAlive: boolean;
  /** Slices that it works on. */
  slices: number;
  /** Providers and mail hosts that refuse it. */
  blocks: number;
  /** Fields are missing for one that has just started, or has another version. */
  metrics: Partial<WorkerMetrics> & {
    /** The response time of the database to its last heartbeat. */
    storeMs?: number | null;
  };
}

export interface ClusterStats {
  workers: WorkerStats[];
  /** Jobs without progress for minutes, although rows are due. */
  stalledJobs: number;
  /** How long the oldest job that no process runs has waited. */
  oldestQueuedMs: number;
}
