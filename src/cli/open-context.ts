import type { ApiKeys } from '../model/api-key.js';
import type { ValidationService } from '../model/service.js';
import { findFolders } from '../settings/folders.js';
import { readSettingsFile } from '../settings/read-file.js';
import { type ResolvedSettings, resolveSettings } from '../settings/resolve.js';
import { passwordsIn, redact } from '../settings/secrets.js';
import type { Context, Runtime, ServerHandle, ServiceHooks } from './context.js';
import type { CommonFlags } from './flags/read-common-flags.js';
import { shellCommand } from './render/style/shell-command.js';
import { hang } from './render/style/text-layout.js';
import { sanitize } from './terminal/sanitize.js';
import type { LiveLine, Terminal } from './terminal/terminal.js';

/** A context for one command. */
interface OpenedContext {
  context: Context;
  /** Masks API keys and passwords. */
  redactSecrets(text: string): string;
  /** Closes what the command opened, and writes pending notes. */
  close(): Promise<void>;
}

/** Shorter passwords are not masked, since they would match parts of ordinary words. */
const minRedactedLength = 5;

/** Makes the context of one command. Settings are read and back ends are opened on first use. */
export function openContext(runtime: Runtime, flags: CommonFlags): OpenedContext {
  const { terminal, environment, signal } = runtime;
  let resolved: ResolvedSettings | null = null;
  let service: Promise<ValidationService> | null = null;
  let server: Promise<ServerHandle> | null = null;
  let keys: Promise<ApiKeys> | null = null;
  const live: LiveLine = { clear: null };
  const secrets = new Set<string>([environment['MAILVET_API_KEY'] ?? '']);
  const redactSecrets = (text: string): string => redact(text, [...secrets]);
  const notes = createNotes(terminal, live, redactSecrets);
  const note = (text: string): void => {
    if (!flags.quiet) notes.add('note', text);
  };
  const trace = (text: string): void => {
    if (flags.verbose) notes.add('trace', text);
  };
  const hooks: ServiceHooks = { onNote: note, onTrace: trace };
  const resolve = (): ResolvedSettings => {
    if (resolved !== null) return resolved;
    resolved = readSettings(runtime, flags);
    secrets.add(resolved.settings.apiKey ?? '');
    hidePasswords(resolved, secrets, note);
    for (const text of resolved.notes) note(text);
    return resolved;
  };
  const settings = (): ResolvedSettings['settings'] => resolve().settings;
  const context: Context = {
    ...{ terminal, environment, signal, live, note },
    ...{ quiet: flags.quiet, verbose: flags.verbose, profile: flags.profile },
    warn: (text) => notes.add('warning', text),
    commandWith: (...more) => shellCommand(['mailvet', ...(runtime.args ?? []), ...more]),
    resolved: resolve,
    settings,
    service: (options = {}) => {
      if (settings().mode === 'remote' && resolve().sources.level.from === 'flag') {
        note('The remote service decides which checks it runs; --level is for the bundled engine.');
      }
      service ??= runtime.openService(settings(), options, hooks);
      return service;
    },
    openService: (given, options = {}) => {
      secrets.add(given.apiKey ?? '');
      return runtime.openService(given, options, hooks);
    },
    startServer: (options) => {
      server ??= runtime.startServer(settings(), options, hooks);
      return server;
    },
    keys: () => {
      keys ??= runtime.openKeys(settings());
      return keys;
    },
    runWorker: (options) => runtime.runWorker(settings(), { ...options, signal }, hooks),
  };
  const close = async (): Promise<void> => {
    try {
      await (await server?.catch(() => null))?.stop();
      await (await keys?.catch(() => null))?.close();
      await (await service?.catch(() => null))?.close();
    } finally {
      await notes.written();
    }
  };
  return { context, redactSecrets, close };
}

function readSettings({ environment }: Runtime, { settings, profile, newProfile }: CommonFlags): ResolvedSettings {
  const file = readSettingsFile(findFolders(environment).configFile);
  return resolveSettings({ flags: settings, environment, file, profile, newProfile });
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
    const instead = `MAILVET_${field.toUpperCase()} or --${field} @FILE`;
    note(`A password on the command line ends up in shell history and process listings. Use ${instead}.`);
  }
}

/** Labeled lines on stderr, each text once. */
interface Notes {
  add(label: 'note' | 'warning' | 'trace', text: string): void;
  written(): Promise<void>;
}

function createNotes(terminal: Terminal, live: LiveLine, redactSecrets: (text: string) => string): Notes {
  const added = new Set<string>();
  let pending: Promise<void> = Promise.resolve();
  return {
    add: (label, text) => {
      if (added.has(text)) return;
      added.add(text);
      pending = pending.then(async () => {
        live.clear?.();
        const { stderr } = terminal;
        const safe = sanitize(redactSecrets(text));
        const prefix = `${label}: `;
        const line = stderr.isTty
          ? hang(prefix, prefix.length, safe, stderr.columns, { cut: false })
          : `${prefix}${safe}\n`;
        // A command does not fail because a note cannot be written.
        await stderr.write(line).catch(() => {});
      });
    },
    written: () => pending,
  };
}
