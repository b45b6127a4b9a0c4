import { dirname } from 'node:path';
import { makePrivateFolder } from '../disk/private-folder.js';
import { Failure } from '../model/failure.js';
import { readSettingsFile, type StoredSettings } from './read-file.js';

/** Changes the settings file as `change` says: written whole or not at all, for the owner's eyes only. */
export async function changeSettingsFile(
  path: string,
  change: (stored: StoredSettings) => StoredSettings,
): Promise<StoredSettings> {
  const changed = change(readSettingsFile(path).stored);
  const { default: Conf } = await import('conf');
  try {
    makePrivateFolder(dirname(path));
    const conf = new Conf<Record<string, unknown>>({
      cwd: dirname(path),
      configName: 'config',
      projectSuffix: '',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    conf.store = { ...changed };
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
    throw new Failure('storage', `The settings file ${path} cannot be written${why}.`, {
      hint: 'Check the folder and its owner, or name another folder with MAILVET_CONFIG_DIR.',
      cause,
    });
  }
  return changed;
}

/** The settings with one key of one profile set, or removed where the value is undefined. */
export function withValue(stored: StoredSettings, profile: string, key: string, value: unknown): StoredSettings {
  const { [key]: _, ...others } = stored.profiles[profile] ?? {};
  const values = value === undefined ? others : { ...others, [key]: value };
  return { ...stored, profiles: { ...stored.profiles, [profile]: values } };
}
