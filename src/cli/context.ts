import type { ApiKeys } from '../model/api-key.js';
import type { ValidationService } from '../model/service.js';
import type { Environment } from '../settings/environment.js';
import type { ResolvedSettings, Settings } from '../settings/resolve.js';
import type { CommonFlags, RawFlags } from './flags/read-common-flags.js';
import type { LiveLine, Terminal } from './terminal/terminal.js';

/** What a back end is told beside the settings. */
export interface ServiceOptions {
  /** Remote: ask by GET instead of POST. */
  useGet?: boolean;
  /** Remote: send a request again even where the first may have been charged. */
  retryBillable?: boolean;
  /** Remote: stop before more credits than this are spent. */
  maxCredits?: number;
}

/** What a back end may tell the user while it works. */
export interface ServiceHooks {
  /** Something to know; said once. */
  onNote(text: string): void;
  /** A detail for `--verbose`. */
  onTrace(text: string): void;
}

/** Opens the back end that the settings name. */
export type OpenService = (
  settings: Settings,
  options: ServiceOptions,
  hooks: ServiceHooks,
) => Promise<ValidationService>;

/** How `serve` offers the service. */
export interface ServeOptions {
  host: string;
  /** False: jobs are left to workers elsewhere. */
  runsJobs: boolean;
  port: number;
  tls: { cert: Buffer; key: Buffer } | null;
  limits: { rows: number; fileBytes: number; requestsPerSecond: number; connections: number };
  log: { level: string; write(lines: string): void };
  /** Null: without pages. `adminPassword` null: the one that is set already, or whoever opens the set-up link sets it. */
  web: { adminPassword: string | null } | null;
}

/** A server that takes requests. */
export interface ServerHandle {
  /** Where it is, with the version prefix. */
  url: string;
  /** How many keys would be let in now. */
  validKeys: number;
  /** Where people open the pages; null where there are none. */
  pages: { url: string; setUpUrl: string | null; areBuilt: boolean } | null;
  /** Finishes what is under way; work that takes longer is kept. */
  stop(): Promise<void>;
}

/** Opens the local back end and offers it to others. */
export type StartServer = (settings: Settings, options: ServeOptions, hooks: ServiceHooks) => Promise<ServerHandle>;

/** How a worker works. */
interface WorkerOptions {
  /** Null: made from the machine's. */
  name: string | null;
  /** Told its name when it has found its place among the others. */
  onReady(name: string): void;
  onError(failure: unknown): void;
}

/** What the composition root hands to the command line. */
export interface Runtime {
  terminal: Terminal;
  environment: Environment;
  signal: AbortSignal;
  /** The words behind `mailvet`, as they were typed. */
  args?: readonly string[];
  openService: OpenService;
  startServer: StartServer;
  openKeys(settings: Settings): Promise<ApiKeys>;
  /** Runs the jobs of the store until the signal says stop. */
  runWorker(settings: Settings, options: WorkerOptions & { signal: AbortSignal }, hooks: ServiceHooks): Promise<void>;
  /** Rejects with an error that nobody caught, so that even a bug ends in an orderly way. */
  uncaughtError?: Promise<never>;
}

/** What a command works with; everything costly in it is made at first use. */
export interface Context {
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** Aborted by Ctrl-C; reaches every socket. */
  readonly signal: AbortSignal;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** The profile that the command line names. */
  readonly profile: string | undefined;
  /** What was typed, with more words behind it: to be pasted into a shell. */
  commandWith(...more: readonly string[]): string;
  /** The settings and where each came from. */
  resolved(): ResolvedSettings;
  settings(): Settings;
  /** The back end that the settings name, opened once and closed by the program. */
  service(options?: ServiceOptions): Promise<ValidationService>;
  /** Any back end, for settings that are not stored yet; the caller closes it. */
  openService(settings: Settings, options?: ServiceOptions): Promise<ValidationService>;
  /** Offers the service to others; stopped by the program where the command does not. */
  startServer(options: ServeOptions): Promise<ServerHandle>;
  /** The keys of the server on this machine, opened once and closed by the program. */
  keys(): Promise<ApiKeys>;
  /** Runs the jobs of the store, whoever made them, until it is interrupted. */
  runWorker(options: WorkerOptions): Promise<void>;
  readonly live: LiveLine;
  /** A line on stderr, unless `--quiet`; the same one only once. */
  note(text: string): void;
  /** A line on stderr that even `--quiet` must not hide: something was lost, or would be. */
  warn(text: string): void;
}

/** Runs a command's work with a context made from its flags; the work gives the exit status. */
export type Launch = (
  flags: RawFlags,
  work: (context: Context) => Promise<number>,
  change?: Partial<CommonFlags>,
) => Promise<void>;
