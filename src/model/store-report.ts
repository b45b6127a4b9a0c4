/** What became of the tables of a store. */
export interface MigrationReport {
  /** The database, without user and password. */
  name: string;
  from: number;
  to: number;
}

/** What was found of a store. */
export interface StoreReport {
  /** The database, without user and password, or the file. */
  name: string;
  /** How long a write took. */
  write_ms: number;
  jobs: number;
  keys: number;
  /** What cannot be; an empty list is good news. */
  damage: string[];
  /** Who shares it; absent where it is this machine's alone. */
  cluster?: ClusterReport;
}

/** Who shares a store, and who of them mail servers refuse. */
export interface ClusterReport {
  /** Jobs that wait for somebody to run them. */
  waiting_jobs: number;
  members: {
    name: string;
    kind: 'worker' | 'node' | 'command';
    host: string;
    source_ip: string | null;
    /** Since its last sign of life. */
    silent_ms: number;
    alive: boolean;
  }[];
  /** `until`: when it is tried again; `reply`: what the mail server said. */
  blocks: { worker: string; party: string; until: string; reply: string | null }[];
}

/** How much was copied, by table; as much was found in the end. */
export interface CopyReport {
  name: string;
  rows: Record<string, number>;
  files: number;
  bytes: number;
}
