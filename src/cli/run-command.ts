import { lazy } from '../async/lazy.js';
import type { ListService } from '../lists/pipeline.js';
import { asFailure, exitStatuses, Failure } from '../model/failure.js';
import { shellWord } from '../model/text/shell-word.js';
import { shortId } from '../model/text/short-id.js';
import { engineSettings, variableOf } from '../settings/definitions.js';
import { findFolders } from '../settings/folders.js';
import { readSettingsFile } from '../settings/read-file.js';
import { type ResolvedSettings, resolveSettings } from '../settings/resolve.js';
import { passwordsIn, redact } from '../settings/secrets.js';
import type { Context, Runtime, ServerHandle, ServiceHooks } from './context.js';
import { type CommonFlags, refuseRemoteFlag } from './flags/flags.js';
import { renderFailure, renderNote } from './terminal/stderr-lines.js';
import {
  adaptSink,
  ClosedPipe,
  commandTerminal,
  type LiveLine,
  type Sink,
  type Terminal,
  textOf,
} from './terminal/terminal.js';

/** Runs a command with a context from its flags, and returns its exit status. */
export async function runCommand(
  base: Runtime,
  flags: CommonFlags,
  work: (context: Context) => Promise<number>,
): Promise<number> {
  const terminal = commandTerminal(base.terminal, flags);
  const runtime = { ...base, terminal };
  const opened = openContext(runtime, flags);
  try {
    try {
      return await (runtime.uncaughtError === undefined
        ? work(opened.context)
        : Promise.race([work(opened.context), runtime.uncaughtError]));
    } finally {
      await opened.close();
    }
  } catch (thrown) {
    if (thrown instanceof ClosedPipe) return 0;
    // After Ctrl-C every error counts as an interruption. A Failure that says more about it is kept.
    const isOther = runtime.signal.aborted && !(thrown instanceof Failure && thrown.code === 'interrupted');
    const failure = isOther ? new Failure('interrupted', 'Interrupted.', { cause: thrown }) : asFailure(thrown);
    return await showFailure(withBackEnd(failure, flags), runtime, flags, opened.redactSecrets);
  }
}

/** The same Failure, with the flags that select the back end in the commands of its hint, which lower layers do not know. */
function withBackEnd(failure: Failure, flags: CommonFlags): Failure {
  const { code, message, hint, cause } = failure;
  const profile = flags.profile === undefined ? [] : ['--profile', flags.profile];
  const complete = hint?.replace(
    /\bmailvet (doctor|login|config list|config get base_url)\b(?! -)/g,
    (_, name: string) => commandLine([...name.split(' '), ...(name === 'doctor' ? carriedFlags(flags) : profile)]),
  );
  return complete === undefined || complete === hint ? failure : new Failure(code, message, { hint: complete, cause });
}

/** Writes a Failure to stderr and returns its exit status. */
export async function showFailure(
  failure: Failure,
  { terminal }: Runtime,
  flags: Pick<CommonFlags, 'json' | 'verbose' | 'quiet' | 'logFormat'>,
  redactSecrets: (text: string) => string,
): Promise<number> {
  // A stack helps only with a bug or a foreign error.
  const verbose = flags.verbose && (failure.code === 'internal' || failure.cause !== undefined);
  const { color, columns, isTty } = terminal.stderr;
  const text = renderFailure(failure, {
    json: hasJsonLines(terminal, flags),
    verbose,
    color,
    ...(isTty && { columns }),
  });
  await terminal.stderr.write(redactSecrets(text)).catch(ignoreWriteError);
  return exitStatuses[failure.code];
}

/** Whether what is written to stderr is JSON lines. */
function hasJsonLines({ stderr }: Terminal, { json, logFormat }: Pick<CommonFlags, 'json' | 'logFormat'>): boolean {
  return json || logFormat === 'json' || (logFormat === 'auto' && !stderr.isTty);
}

/** If stderr cannot be written, only the exit status reports the failure. */
export function ignoreWriteError(): void {}

/** Shorter passwords are not masked, since they would match parts of ordinary words. */
const minRedactedLength = 5;

/** Opens the context of one command. Settings are read and back ends are opened on first use. */
function openContext(runtime: Runtime, flags: CommonFlags) {
  const { environment, signal } = runtime;
  let resolved: ResolvedSettings | null = null;
  let service: Promise<ListService> | null = null;
  let server: Promise<ServerHandle> | null = null;
  const keys = lazy(() => runtime.openKeys(settings()));
  const live: LiveLine = { clear: null };
  const secrets = new Set<string>([environment['MAILVET_API_KEY'] ?? '']);
  const redactSecrets = (text: string): string => redact(text, [...secrets]);
  const notes = createNotes(runtime.terminal, live, flags, redactSecrets);
  const terminal = afterNotes(runtime.terminal, notes, live, signal);
  const note = (text: string): void => {
    if (!flags.quiet) notes.add('note', text);
  };
  const trace = (text: string): void => {
    if (flags.verbose) notes.add('trace', `${elapsed()} ${text}`);
  };
  const startedAt = performance.now();
  const elapsed = (): string => `${((performance.now() - startedAt) / 1000).toFixed(3)} s`;
  const hooks: ServiceHooks = { onNote: note, onTrace: trace };
  const resolve = (): ResolvedSettings => {
    if (resolved !== null) return resolved;
    const file = readSettingsFile(findFolders(environment).configFile);
    const { settings: values, set, profile, newProfile } = flags;
    resolved = resolveSettings({ flags: values, set, environment, file, profile, newProfile });
    secrets.add(resolved.settings.apiKey ?? '');
    if (flags.logFormat === 'auto') flags.logFormat = resolved.settings.serveLogFormat ?? 'auto';
    hidePasswords(resolved, secrets, note);
    for (const text of resolved.notes) note(text);
    return resolved;
  };
  const settings = (): ResolvedSettings['settings'] => resolve().settings;
  const context: Context = {
    terminal,
    environment,
    signal,
    live,
    note,
    settings,
    resolved: resolve,
    quiet: flags.quiet,
    json: flags.json,
    verbose: flags.verbose,
    profile: flags.profile,
    warn: (text) => notes.add('warning', text),
    trace,
    args: runtime.args ?? [],
    commandWith: (...more) => commandLine(withFlags(context.args, more)),
    command: (...words) => {
      // Ids of a service may begin alike, such as those of UUID version 7.
      const hasShortId = words[0] === 'jobs' && settings().mode !== 'remote';
      const shown = hasShortId ? words.map((word, index) => (index === 2 ? shortId(word) : word)) : words;
      return commandLine([...shown, ...carriedFlags(flags)]);
    },
    service: (options = {}) => {
      const { sources } = resolve();
      const { mode } = settings();
      if (mode === 'local') refuseRemoteFlag('--base-url', sources.baseUrl.from === 'flag');
      if (mode === 'remote') noteEngineFlags(resolve(), note);
      if (service === null) trace(describeBackEnd(resolve()));
      service ??= runtime.openService(settings(), options, hooks);
      return service;
    },
    openService: (otherSettings, options = {}) => {
      secrets.add(otherSettings.apiKey ?? '');
      return runtime.openService(otherSettings, options, hooks);
    },
    startServer: (options) => {
      server ??= runtime.startServer(settings(), { ...options, signal: runtime.signal }, hooks);
      return server;
    },
    keys: keys.get,
    checkServer: runtime.checkServer,
    runWorker: (options) => runtime.runWorker(settings(), { ...options, signal }, hooks),
  };
  /** Closes what the command opened, and writes pending notes. */
  const close = async (): Promise<void> => {
    try {
      await (await server?.catch(() => null))?.stop();
      await (await keys.opened())?.close();
      await (await service?.catch(() => null))?.close();
    } finally {
      await notes.written();
    }
  };
  return { context, redactSecrets, close };
}

/** Names the flags on the command line that only the bundled engine uses. Requests have a timeout and a concurrency, too, and our own service has a level. */
function noteEngineFlags({ sources }: ResolvedSettings, note: (text: string) => void): void {
  const fields = [...engineSettings, 'store' as const, 'storeConnections' as const].filter(
    (field) => !['level', 'timeoutMs', 'concurrency'].includes(field) && sources[field].from === 'flag',
  );
  const flags = fields.map((field) => sources[field].name);
  const last = flags.pop();
  if (last === undefined) return;
  const subject = flags.length === 0 ? `${last} has` : `${flags.join(', ')} and ${last} have`;
  const proxy = fields.includes('proxy') ? ' Requests to it use HTTPS_PROXY.' : '';
  note(`${subject} no effect: the remote service uses its own settings.${proxy}`);
}

function describeBackEnd({ settings }: ResolvedSettings): string {
  const { mode, level, baseUrl, resolvers, profile } = settings;
  const servers = resolvers.length === 0 ? "the system's DNS servers" : `DNS server ${resolvers.join(', ')}`;
  const service = `the remote service ${baseUrl ?? ''}`;
  if (mode === 'remote') return `using ${service} (profile ${profile})`;
  const rest = mode === 'hybrid' ? `, and ${service} for what it cannot settle` : '';
  return `using the bundled engine at level ${level} with ${servers}${rest} (profile ${profile})`;
}

function commandLine(words: readonly string[]): string {
  return ['mailvet', ...words].map((word) => shellWord(word, process.platform)).join(' ');
}

/** Adds flags to a command line, before the operands that follow `--`. */
function withFlags(args: readonly string[], more: readonly string[]): string[] {
  const end = args.indexOf('--');
  return end < 0 ? [...args, ...more] : [...args.slice(0, end), ...more, ...args.slice(end)];
}

/** The flags that select the back end and its jobs, for another command. Passwords are left out. */
function carriedFlags({ profile, settings, set }: CommonFlags): string[] {
  const { mode, baseUrl, store } = { ...set, ...settings };
  return [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(mode === undefined ? [] : [`--${mode}`]),
    ...(typeof baseUrl === 'string' ? ['--base-url', baseUrl] : []),
    ...(typeof store === 'string' && passwordsIn(store).length === 0 ? ['--set', `store=${store}`] : []),
  ];
}

/** Adds passwords to the secrets, and removes those of the command line from process listings. */
function hidePasswords(
  { settings, sources }: ResolvedSettings,
  secrets: Set<string>,
  note: (text: string) => void,
): void {
  for (const field of ['store', 'queue'] as const) {
    const passwords = passwordsIn(settings[field]);
    for (const password of passwords) if (password.length >= minRedactedLength) secrets.add(password);
    if (passwords.length === 0 || sources[field].from !== 'flag') continue;
    process.title = 'mailvet';
    const instead = `${variableOf(field)} or --set ${field}=@FILE`;
    note(`A password on the command line ends up in shell history and process listings. Use ${instead}.`);
  }
}

/**
 * The terminal with a stderr that writes pending notes first, unless a live line is redrawn between them. A stdout on the
 * screen is written above the live line, and not after the `^C` that the terminal shows.
 */
function afterNotes(
  terminal: Terminal,
  notes: { written(): Promise<void> },
  live: LiveLine,
  signal: AbortSignal,
): Terminal {
  const { stdout, stderr } = terminal;
  let isAfterAbort = false;
  const print: Sink['write'] = async (data) => {
    if (data.length === 0) return;
    const isFirstAfterAbort = signal.aborted && !isAfterAbort;
    isAfterAbort = signal.aborted;
    if (live.print) return live.print(stdout, textOf(data));
    // Clearing the live line removes the ^C, too.
    const needsNewLine = isFirstAfterAbort && live.clear === null;
    live.clear?.();
    await stdout.write(needsNewLine ? `\n${textOf(data)}` : data);
  };
  const write: Sink['write'] = async (data) => {
    if (live.clear === null) await notes.written();
    await stderr.write(data);
  };
  return {
    ...terminal,
    stdout: stdout.isTty ? adaptSink(stdout, { write: print }) : stdout,
    stderr: adaptSink(stderr, { write }),
  };
}

/** Labeled lines on stderr, each text once. */
function createNotes(
  terminal: Terminal,
  live: LiveLine,
  flags: Pick<CommonFlags, 'json' | 'logFormat'>,
  redactSecrets: (text: string) => string,
) {
  const added = new Set<string>();
  let pending: Promise<void> = Promise.resolve();
  return {
    add: (label: 'note' | 'warning' | 'trace', text: string): void => {
      if (added.has(text)) return;
      added.add(text);
      pending = pending.then(async () => {
        live.clear?.();
        const { stderr } = terminal;
        const { isTty, columns } = stderr;
        const json = hasJsonLines(terminal, flags);
        const line = renderNote(label, redactSecrets(text), { json, ...(isTty && { columns }) });
        // A command does not fail because a note cannot be written.
        await stderr.write(line).catch(() => {});
      });
    },
    written: (): Promise<void> => pending,
  };
}
