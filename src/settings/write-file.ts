import { dirname } from 'node:path';
import { sleep, systemClock } from '../async/clock.js';
import { openFileLock } from '../disk/file-lock.js';
import { makePrivateFolder } from '../disk/private-folder.js';
import { Failure } from '../model/failure.js';
import { readSettingsFile, type StoredSettings } from './read-file.js';

/** Changes the settings file atomically. It is readable by its owner only. */
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

/** Maximum wait for the lock. */
const maxLockWaitMs = 5_000;
const lockPollMs = 10;

/** Locks the file against concurrent changes; returns the unlock function. */
async function lockSettings(path: string): Promise<() => void> {
  try {
    makePrivateFolder(dirname(path));
    const lock = openFileLock(`${path}.lock`);
    for (let waited = 0; !lock.tryAcquire(); waited += lockPollMs) {
      if (waited >= maxLockWaitMs) {
        lock.close();
        throw new Failure('locked', `Another mailvet is changing the settings file ${path}.`, { hint: 'Try again.' });
      }
      await sleep(systemClock, lockPollMs);
    }
    return lock.close;
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'locked') throw cause;
    throw unwritable(path, cause instanceof Failure ? cause.cause : cause);
  }
}

function unwritable(path: string, cause: unknown): Failure {
  const codeNote = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  return new Failure('storage', `The settings file ${path} cannot be written${codeNote}.`, {
    hint: 'Check the folder and its owner, or name another folder with MAILVET_CONFIG_DIR.',
    cause,
  });
}

/** Sets one key of a profile, or removes it if the value is undefined. */
export function withValue(stored: StoredSettings, profile: string, key: string, value: unknown): StoredSettings {
  const { [key]: _, ...others } = stored.profiles[profile] ?? {};
  const values = value === undefined ? others : { ...others, [key]: value };
  return { ...stored, profiles: { ...stored.profiles, [profile]: values } };
}
