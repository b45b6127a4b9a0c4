import type { Command } from 'commander';
import type { ListService } from '../lists/pipeline.js';
import type { ApiKeys } from '../model/api-key.js';
import { asFailure } from '../model/failure.js';
import type { Environment } from '../settings/environment.js';
import type { ResolvedSettings, Settings } from '../settings/resolve.js';
import type { CommonFlags, RawFlags } from './flags/flags.js';
import type { LiveLine, Terminal } from './terminal/terminal.js';

/** Options of a back end that are not settings. */
export interface ServiceOptions {
  /** Remote: send GET instead of POST. */
  useGet?: boolean;
  /** Remote: the most credits that may be spent. */
  maxCredits?: number | undefined;
}

/** How a back end reports to the user while it works. */
export interface ServiceHooks {
  /** A note; repeated texts are shown once. */
  onNote(text: string): void;
  /** A detail for `--verbose`. */
  onTrace(text: string): void;
}

/** Opens the back end that the settings select. */
export type OpenService = (settings: Settings, options: ServiceOptions, hooks: ServiceHooks) => Promise<ListService>;

/** What `serve` has read besides its settings. */
export interface ServeOptions {
  /** Stops a start that waits for the database. */
  signal: AbortSignal;
  tls: { cert: Buffer; key: Buffer } | null;
  log: { level: string; write(lines: string): void };
  /** Null: keep the stored one, or let the set-up link set it. */
  adminPassword: { text: string; source: string } | null;
}

/** A running server. */
export interface ServerHandle {
  /** The base URL of the API, with its version. */
  url: string;
  /** The number of API keys that are accepted. */
  validKeys: number;
  /** The web pages; null if they are off. */
  pages: { url: string; setUpUrl: string | null; areBuilt: boolean } | null;
  /** Finishes requests; unfinished jobs stay in the store. */
  stop(): Promise<void>;
}

/** Opens the local back end and serves it over HTTP. */
export type StartServer = (settings: Settings, options: ServeOptions, hooks: ServiceHooks) => Promise<ServerHandle>;

/** Asks a server on this machine whether it is ready. Rejects if it is not. */
export type CheckServer = (address: { host: string; port: number; isTls: boolean }) => Promise<void>;

interface WorkerOptions {
  /** Null: derived from the host name. With `check`, rejects unless it is alive. */
  name: string | null;
  check: boolean;
  /** Called with the worker's name when it is registered. */
  onReady(name: string): void;
  onError(failure: unknown): void;
}

/** What the composition root passes to the command line. */
export interface Runtime {
  terminal: Terminal;
  environment: Environment;
  signal: AbortSignal;
  args?: readonly string[];
  openService: OpenService;
  startServer: StartServer;
  checkServer: CheckServer;
  openKeys(settings: Settings): Promise<ApiKeys>;
  /** Runs the jobs of the store until the signal aborts. */
  runWorker(settings: Settings, options: WorkerOptions & { signal: AbortSignal }, hooks: ServiceHooks): Promise<void>;
  /** Rejects with the first uncaught error, so that the command is closed properly. */
  uncaughtError?: Promise<never>;
}

/** The context of a command. Costly parts are created on first use. */
export interface Context {
  readonly terminal: Terminal;
  readonly environment: Environment;
  /** Aborted by Ctrl-C; reaches every socket. */
  readonly signal: AbortSignal;
  readonly quiet: boolean;
  /** True if notes are JSON lines. */
  readonly json: boolean;
  readonly verbose: boolean;
  readonly profile: string | undefined;
  /** The command line as it was typed. */
  readonly args: readonly string[];
  /** The same with more arguments, quoted for a shell. */
  commandWith(...more: readonly string[]): string;
  /** Another command for the same back end, quoted for a shell. Ids of local jobs are short. */
  command(...words: readonly string[]): string;
  resolved(): ResolvedSettings;
  settings(): Settings;
  /** The back end that the settings select, opened once and closed with the context. */
  service(options?: ServiceOptions): Promise<ListService>;
  /** A back end for other settings; the caller closes it. */
  openService(settings: Settings, options?: ServiceOptions): Promise<ListService>;
  /** Starts the server once; it is stopped with the context. */
  startServer(options: Omit<ServeOptions, 'signal'>): Promise<ServerHandle>;
  checkServer: CheckServer;
  /** The API keys of this machine's server, opened once and closed with the context. */
  keys(): Promise<ApiKeys>;
  runWorker(options: WorkerOptions): Promise<void>;
  readonly live: LiveLine;
  /** Writes a line to stderr unless `--quiet`; repeated texts are shown once. */
  note(text: string): void;
  /** Writes a line to stderr even with `--quiet`, for data loss. */
  warn(text: string): void;
  /** With `--verbose`: what is done, with the time since the start. */
  trace(text: string): void;
}

/** Runs a command with a context made from its flags; `work` returns the exit status. */
export type Launch = (
  flags: RawFlags,
  work: (context: Context) => Promise<number>,
  change?: Partial<CommonFlags>,
) => Promise<void>;

/** Adds commands to the program, by the names of the first level. */
export type Commands = Readonly<Record<string, (program: Command, launch: Launch) => void>>;

/** Launches commands whose work is in a module that is loaded when one of them runs. */
export function lazyLaunch<Module>(launch: Launch, load: () => Promise<Module>) {
  return (
    flags: RawFlags,
    work: (context: Context, module: Module) => Promise<number>,
    change?: Partial<CommonFlags>,
  ): Promise<void> => launch(flags, async (context) => work(context, await load()), change);
}

/** Awaits work that ends with an interruption. What waited for a database then says that its connections are closed. */
export async function untilInterrupted({ signal }: Context, work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!signal.aborted || asFailure(error).code === 'internal') throw error;
  });
}
