import type { ApiKeys } from '../model/api-key.js';
import type { ValidationService } from '../model/service.js';
import { findFolders } from '../settings/folders.js';
import { readSettingsFile } from '../settings/read-file.js';
import { type ResolvedSettings, resolveSettings } from '../settings/resolve.js';
import { redact } from '../settings/secrets.js';
import { passwordsIn } from '../settings/store-address.js';
import type { Context, Runtime, ServerHandle, ServiceHooks } from './context.js';
import type { CommonFlags } from './flags/read-common-flags.js';
import { shellCommand } from './render/style/shell-command.js';
import { hang } from './render/style/wrap.js';
import { sanitize } from './terminal/sanitize.js';

/** A context for one command, and the way to close what it opened. */
interface OpenedContext {
  context: Context;
  /** The text without any key in it. */
  redactSecrets(text: string): string;
  close(): Promise<void>;
}

const minRedactedLength = 5;

/** Makes the context of one command; nothing is read or opened before it is asked for. */
export function openContext(host: Runtime, flags: CommonFlags): OpenedContext {
  let resolved: ResolvedSettings | null = null;
  let service: Promise<ValidationService> | null = null;
  let server: Promise<ServerHandle> | null = null;
  let keys: Promise<ApiKeys> | null = null;
  const live: Context['live'] = { clear: null };
  const said = new Set<string>();
  let saying: Promise<void> = Promise.resolve();
  const secrets = new Set<string>([host.environment['MAILVET_API_KEY'] ?? '']);
  const withoutSecrets = (text: string): string => redact(text, [...secrets]);

  const say = (label: string, text: string): void => {
    if (said.has(text)) return;
    said.add(text);
    saying = saying.then(async () => {
      live.clear?.();
      // A note that cannot be written is no reason to fail.
      const { stderr } = host.terminal;
      const safe = sanitize(withoutSecrets(text));
      const first = `${label}: `;
      const shown = stderr.isTty
        ? hang(first, first.length, safe, stderr.columns, { cut: false })
        : `${first}${safe}\n`;
      await stderr.write(shown).catch(() => {});
    });
  };
  const note = (text: string): void => {
    if (!flags.quiet) say('note', text);
  };
  const warn = (text: string): void => say('warning', text);
  const hooks: ServiceHooks = {
    onNote: note,
    onTrace: (text) => {
      if (flags.verbose) say('trace', text);
    },
  };

  const resolve = (): ResolvedSettings => {
    if (resolved === null) {
      resolved = resolveSettings({
        flags: flags.settings,
        environment: host.environment,
        file: readSettingsFile(findFolders(host.environment).configFile),
        profile: flags.profile,
        newProfile: flags.newProfile,
      });
      secrets.add(resolved.settings.apiKey ?? '');
      hidePasswords(resolved);
      for (const text of resolved.notes) note(text);
    }
    return resolved;
  };

  /** Others on this machine see the words that a program was started with. */
  const hidePasswords = ({ settings, sources }: ResolvedSettings): void => {
    for (const field of ['store', 'queue'] as const) {
      const passwords = passwordsIn(settings[field]);
      // Our own sentences never have it; a very short one would only be torn out of their words.
      for (const password of passwords) if (password.length >= minRedactedLength) secrets.add(password);
      if (passwords.length === 0 || sources[field].from !== 'flag') continue;
      process.title = 'mailvet';
      const instead = `MAILVET_${field.toUpperCase()} or --${field} @FILE`;
      note(`A password on the command line ends in histories and lists of processes. Use ${instead}.`);
    }
  };
  const context: Context = {
    terminal: host.terminal,
    environment: host.environment,
    signal: host.signal,
    live,
    quiet: flags.quiet,
    verbose: flags.verbose,
    profile: flags.profile,
    commandWith: (...more) => shellCommand(['mailvet', ...(host.args ?? []), ...more]),
    resolved: resolve,
    settings: () => resolve().settings,
    service: (options = {}) => {
      const { settings, sources } = resolve();
      if (settings.mode === 'remote' && sources.level.from === 'flag') {
        note('A remote service decides itself how deep to look; --level is for the bundled engine.');
      }
      service ??= host.openService(resolve().settings, options, hooks);
      return service;
    },
    openService: (settings, options = {}) => {
      secrets.add(settings.apiKey ?? '');
      return host.openService(settings, options, hooks);
    },
    startServer: (options) => {
      server ??= host.startServer(resolve().settings, options, hooks);
      return server;
    },
    keys: () => {
      keys ??= host.openKeys(resolve().settings);
      return keys;
    },
    runWorker: (options) => host.runWorker(resolve().settings, { ...options, signal: host.signal }, hooks),
    note,
    warn,
  };
  return {
    context,
    redactSecrets: withoutSecrets,
    close: async () => {
      try {
        await (await server?.catch(() => null))?.stop();
        await (await keys?.catch(() => null))?.close();
        await (await service?.catch(() => null))?.close();
      } finally {
        await saying;
      }
    },
  };
}
