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

/** A process that has the shared store open. */
export interface ProcessStats {
  name: string;
  kind: ProcessInfo['kind'];
  host: string;
  /** The address that mail servers see, if configured. */
  sourceIp: string | null;
  /** Since its last heartbeat. */
  silentMs: number;
  /** False: other processes take over its work. */
  isAlive: boolean;
  /** Slices that it works on. */
  slices: number;
  /** Fields are missing for a process that is not a worker, has just started, or has another version. */
  metrics: Partial<WorkerMetrics> & {
    /** The response time of the database to its last heartbeat. */
    storeMs?: number | null;
  };
}

/** A worker that a provider or mail host blocks. */
export interface Block {
  worker: string;
  /** The provider, or the mail host. */
  rateLimitGroup: string;
  until: number;
  reply: string | null;
}

export interface ClusterStats {
  processes: ProcessStats[];
  blocks: Block[];
  /** Jobs without progress for minutes, although rows are due. */
  stalledJobs: number;
  /** How long the oldest job that no process runs has waited. */
  oldestQueuedMs: number;
}
