import { dirname } from 'node:path';
import { sleep, systemClock } from '../async/clock.js';
import { openFileLock } from '../disk/file-lock.js';
import { makePrivateFolder } from '../disk/private-folder.js';
import { Failure } from '../model/failure.js';
import { readSettingsFile, type StoredSettings } from './read-file.js';

/** Changes the settings file as `change` says: written whole or not at all, for the owner's eyes only. */
export async function changeSettingsFile(
  path: string,
  change: (stored: StoredSettings) => StoredSettings,
): Promise<StoredSettings> {
  const { default: Conf } = await import('conf');
  const unlock = await lockSettings(path);
  try {
    const changed = change(readSettingsFile(path).stored);
    const conf = new Conf<Record<string, unknown>>({
      cwd: dirname(path),
      configName: 'config',
      projectSuffix: '',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    conf.store = { ...changed };
    return changed;
  } catch (cause) {
    throw cause instanceof Failure ? cause : unwritable(path, cause);
  } finally {
    unlock();
  }
}

/** Others who change the file at the same moment take milliseconds. */
const patienceMs = 5_000;
const lookMs = 10;

/** Waits for whoever changes the file, whose change would be lost; gives the function that lets go. */
async function lockSettings(path: string): Promise<() => void> {
  try {
    makePrivateFolder(dirname(path));
    const lock = openFileLock(`${path}.lock`);
    for (let waited = 0; !lock.tryAcquire(); waited += lookMs) {
      if (waited >= patienceMs) {
        lock.close();
        throw new Failure('locked', `Another mailvet is changing the settings file ${path}.`, { hint: 'Try again.' });
      }
      await sleep(systemClock, lookMs);
    }
    return lock.close;
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'locked') throw cause;
    throw unwritable(path, cause instanceof Failure ? cause.cause : cause);
  }
}

function unwritable(path: string, cause: unknown): Failure {
  const why = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new Failure('storage', `The settings file ${path} cannot be written${why}.`, {
    hint: 'Check the folder and its owner, or name another folder with MAILVET_CONFIG_DIR.',
    cause,
  });
}

/** The settings with one key of one profile set, or removed where the value is undefined. */
export function withValue(stored: StoredSettings, profile: string, key: string, value: unknown): StoredSettings {
  const { [key]: _, ...others } = stored.profiles[profile] ?? {};
  const values = value === undefined ? others : { ...others, [key]: value };
  return { ...stored, profiles: { ...stored.profiles, [profile]: values } };
}
