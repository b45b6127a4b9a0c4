import type { JobState } from '../model/job.js';
import type { ServerFacts } from './app-session.js';

/** The findings of `doctor`, and the state of the server. */
export interface StatusView {
  findings: Finding[];
  looked_at: string;
  /** False if no mail server was contacted; `lookAgain` does. */
  complete: boolean;
  server: ServerFacts & { started_at: string; store: string };
  jobs: Record<JobState, number>;
  workers: WorkerView[];
  /** Workers that mail servers refuse; empty for a store of one machine. */
  blocks: BlockView[];
}

export interface WorkerView {
  name: string;
  jobs: number;
  /** Null for a store of one machine. */
  cluster: {
    kind: 'worker' | 'node' | 'command';
    /** The configured source address. */
    source_ip: string | null;
    seen_at: string;
    alive: boolean;
    /** Shards that it owns. */
    lanes: number;
    /** Mailboxes in progress. */
    probes: number;
  } | null;
}

export interface BlockView {
  worker: string;
  /** The provider, or the mail host. */
  party: string;
  until: string;
  reply: string | null;
}

export interface Finding {
  /** Stable, as `smtp_port`. */
  name: string;
  /** For people, as "Mail port". */
  title: string;
  /** Which one, where there are several. */
  subject: string | null;
  /** `warn`: it works with limitations. `skipped`: not checked. */
  state: 'ok' | 'warn' | 'fail' | 'skipped';
  message: string;
  /** The next step. */
  hint: string | null;
}
