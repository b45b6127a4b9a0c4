import { Failure } from '../../../model/failure.js';
import { definitions } from '../../../settings/definitions.js';
import { readSettingsFile } from '../../../settings/read-file.js';
import { parseValue, type Settings } from '../../../settings/resolve.js';
import { maskSecret } from '../../../settings/secrets.js';
import { changeSettingsFile, withValue } from '../../../settings/write-file.js';
import type { Context } from '../../context.js';
import { canAsk } from '../../terminal/confirm-deletion.js';
import { withSpinner } from '../../terminal/progress.js';
import { readLines } from '../../terminal/read-lines.js';

/** Checks a key and a base URL with a call that costs nothing, then stores both and the mode. */
export async function runLogin(context: Context, { keyFromStdin }: { keyFromStdin: boolean }): Promise<number> {
  const { settings, sources } = context.resolved();
  const baseUrl = settings.baseUrl ?? (await askBaseUrl(context));
  const apiKey = keyFromStdin ? await readKey(context) : await findKey(context);
  const candidate: Settings = { ...settings, mode: 'remote', baseUrl, apiKey };
  await checkKey(context, candidate);
  const { profile, configFile } = settings;
  await changeSettingsFile(configFile, (stored) => {
    const withKey = withValue(stored, profile, definitions.apiKey.key, apiKey);
    const withUrl = withValue(withKey, profile, definitions.baseUrl.key, baseUrl);
    const withHttp = settings.allowHttp ? withValue(withUrl, profile, definitions.allowHttp.key, true) : withUrl;
    return withValue(withHttp, profile, definitions.mode.key, 'remote');
  });
  context.note(`The key ${maskSecret(apiKey)} works and is stored in ${configFile} (profile ${profile}).`);
  const isDefault = readSettingsFile(configFile).stored.profile === profile;
  context.note(
    isDefault
      ? 'From now on mailvet uses the remote service. --local uses the bundled engine; "mailvet logout" goes back.'
      : `With --profile ${profile}, mailvet uses the remote service. "mailvet config set profile ${profile}" makes it the default.`,
  );
  if (sources.mode.from === 'environment' && settings.mode === 'local') {
    context.note('MAILVET_MODE is set to local and wins over what is stored.');
  }
  return 0;
}

async function checkKey(context: Context, candidate: Settings): Promise<void> {
  const service = await context.openService(candidate);
  try {
    await withSpinner(context, `checking the key with ${candidate.baseUrl} …`, () =>
      service.listJobs({ skip: 0, limit: 1 }, { signal: context.signal }),
    );
  } finally {
    await service.close();
  }
}

async function askBaseUrl(context: Context): Promise<string> {
  if (!canAsk(context)) {
    throw new Failure('usage', 'The base URL of the service is missing.', {
      hint: 'Give it with --base-url, MAILVET_BASE_URL or "mailvet config set base_url URL".',
    });
  }
  const { askText } = await import('../../terminal/prompt.js');
  const answer = await askText('Base URL of the service (https://…)', (value) =>
    definitions.baseUrl.kind.parse(value) === undefined ? `Allowed: ${definitions.baseUrl.kind.allowed}.` : undefined,
  );
  return parseValue('baseUrl', answer, { from: 'flag', name: 'base URL' }) as string;
}

async function findKey(context: Context): Promise<string> {
  const { settings, sources } = context.resolved();
  if (sources.apiKey.from === 'environment' && settings.apiKey !== null) return settings.apiKey;
  if (!canAsk(context)) {
    throw new Failure('key_missing', 'There is no key to store.', {
      hint: 'Pipe it in with --key-stdin, or set MAILVET_API_KEY.',
    });
  }
  const { askPassword } = await import('../../terminal/prompt.js');
  return parseKey(await askPassword('API key', 'A key is needed.'), 'the prompt');
}

async function readKey({ terminal, signal }: Context): Promise<string> {
  if (terminal.stdin.isTty) {
    throw new Failure('usage', '--key-stdin reads the key from a pipe, but stdin is a terminal.', {
      hint: 'Leave out --key-stdin to be asked for the key.',
    });
  }
  for await (const [line = ''] of readLines(terminal.stdin.stream, signal)) {
    const key = keyIn(line);
    if (key !== null) return parseKey(key, 'stdin');
    break;
  }
  throw new Failure('key_missing', 'stdin contains no key.', { hint: 'Give the key as the first line of stdin.' });
}

/** The key of a line, which may be the JSON that "keys create" writes into a pipe; null if that has none. */
function keyIn(line: string): string | null {
  if (!line.startsWith('{')) return line;
  return /"key":"([^"]+)"/.exec(line)?.[1] ?? null;
}

function parseKey(text: string, from: string): string {
  return parseValue('apiKey', text.trim(), { from: 'flag', name: from }) as string;
}

/** Removes the key and the mode of the profile. */
export async function runLogout(context: Context): Promise<number> {
  const { profile, configFile } = context.settings();
  const { sources } = context.resolved();
  const current = readSettingsFile(configFile).stored.profiles[profile] ?? {};
  if (definitions.apiKey.key in current || definitions.mode.key in current) {
    await changeSettingsFile(configFile, (stored) => {
      const withoutKey = withValue(stored, profile, definitions.apiKey.key, undefined);
      return withValue(withoutKey, profile, definitions.mode.key, undefined);
    });
    const removed = definitions.apiKey.key in current ? 'key' : 'mode';
    context.note(`The ${removed} was removed from ${configFile} (profile ${profile}).`);
  } else {
    context.note(`No key is stored in the profile ${profile}.`);
  }
  if (sources.apiKey.from === 'environment') context.note('MAILVET_API_KEY is still set in the environment.');
  if (sources.mode.from === 'environment') context.note('MAILVET_MODE is still set in the environment.');
  else {
    const inUse = context.environment['MAILVET_PROFILE'] || readSettingsFile(configFile).stored.profile;
    const subject = inUse === profile ? 'mailvet' : `The profile ${profile}`;
    context.note(`${subject} uses the bundled engine again.`);
  }
  return 0;
}
