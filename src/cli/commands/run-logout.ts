import { definitions } from '../../settings/definitions.js';
import { readSettingsFile } from '../../settings/file.js';
import { changeSettingsFile, withValue } from '../../settings/write-file.js';
import type { Context } from '../context.js';

/** Forgets the key and the mode of the profile. */
export async function runLogout(context: Context): Promise<number> {
  const { profile, configFile } = context.settings();
  const { sources } = context.resolved();
  const held = readSettingsFile(configFile).stored.profiles[profile] ?? {};
  if (definitions.apiKey.key in held || definitions.mode.key in held) {
    await changeSettingsFile(configFile, (stored) => {
      const withoutKey = withValue(stored, profile, definitions.apiKey.key, undefined);
      return withValue(withoutKey, profile, definitions.mode.key, undefined);
    });
    context.note(`The key is gone from ${configFile} (profile ${profile}); mailvet uses the bundled engine again.`);
  } else {
    context.note(`No key is stored in the profile ${profile}.`);
  }
  if (sources.apiKey.from === 'environment') context.note('MAILVET_API_KEY is still set in the environment.');
  return 0;
}
