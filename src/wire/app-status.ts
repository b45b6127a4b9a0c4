import type { JobState } from '../model/job.js';
import type { ServerFacts } from './app-session.js';

/** What `doctor` finds, and what the server is doing. */
export interface StatusView {
  findings: Finding[];
  /** When the findings were made; ISO 8601. */
  looked_at: string;
  /** False where no mail server was dialled: `lookAgain` does. */
  complete: boolean;
  server: ServerFacts & { started_at: string; store: string };
  jobs: Record<JobState, number>;
  /** Those who run jobs now. */
  workers: WorkerView[];
  /** Workers that mail servers refuse; empty where nobody shares the store. */
  blocks: BlockView[];
}

/** Who runs jobs or asks mail servers. */
export interface WorkerView {
  name: string;
  jobs: number;
  /** Null where the store is this machine's alone. */
  cluster: {
    kind: 'worker' | 'node' | 'command';
    /** The address that mail servers see, where one was chosen. */
    source_ip: string | null;
    seen_at: string;
    alive: boolean;
    /** Groups of mail servers that it alone may ask now. */
    lanes: number;
    /** Mailboxes that it asks for now. */
    probes: number;
  } | null;
}

export interface BlockView {
  worker: string;
  /** The provider, or the mail server. */
  party: string;
  until: string;
  /** What it said. */
  reply: string | null;
}

export interface Finding {
  /** Stable, as `smtp_port`. */
  name: string;
  /** For people, as "Mail port". */
  title: string;
  /** Which one, where there are several. */
  subject: string | null;
  /** `warn`: it works, but not as well as it could. `skipped`: nobody looked. */
  state: 'ok' | 'warn' | 'fail' | 'skipped';
  /** One sentence. */
  message: string;
  /** The next step, where there is one. */
  hint: string | null;
}
