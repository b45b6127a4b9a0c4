/** A process that has the shared store open, by its signs of life. */
export interface WorkerStats {
  name: string;
  kind: 'worker' | 'node' | 'command';
  host: string;
  pid: number;
  /** The address that mail servers see, where one was chosen. */
  sourceIp: string | null;
  startedAt: number;
  /** Since its last sign of life. */
  silentMs: number;
  /** False: its work is in other hands, or soon will be. */
  isAlive: boolean;
  /** Jobs that it runs, lanes that it holds, and mailboxes that it asks for just now and has asked for in all. */
  jobs: number;
  lanes: number;
  probes: number;
  answered: number;
}

/** A worker that mail servers refuse. */
export interface Block {
  worker: string;
  /** The provider, or the mail host. */
  party: string;
  since: number;
  until: number;
  /** In the mail server's words. */
  reply: string | null;
}

/** What goes on in a store that several machines share. */
export interface ClusterStats {
  members: WorkerStats[];
  blocks: Block[];
  lanes: { held: number; waiting: number };
  /** Mailboxes that are to be asked for, and that are being asked for. */
  probes: { waiting: number; underWay: number };
  /** How long the one that is due for longest has waited. */
  oldestDueMs: number;
}
