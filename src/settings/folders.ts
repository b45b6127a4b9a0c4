import { homedir, userInfo } from 'node:os';
import { join, posix, win32 } from 'node:path';
import type { Environment } from './environment.js';

interface Folders {
  configDir: string;
  configFile: string;
  dataDir: string;
}

/** The folders by `MAILVET_CONFIG_DIR` and `MAILVET_HOME`, else by XDG, else by the platform. */
export function findFolders(environment: Environment, platform: string = process.platform, home = findHome()): Folders {
  const defaults = defaultFolders(environment, platform, home);
  const configDir = nonEmpty(environment['MAILVET_CONFIG_DIR']) ?? defaults.configDir;
  const dataDir = nonEmpty(environment['MAILVET_HOME']) ?? defaults.dataDir;
  return { configDir, configFile: join(configDir, 'config.json'), dataDir };
}

function defaultFolders(environment: Environment, platform: string, home: string): Omit<Folders, 'configFile'> {
  const { isAbsolute } = platform === 'win32' ? win32 : posix;
  // XDG base directory specification: relative paths are ignored.
  const absolute = (value: string | undefined) => (value !== undefined && isAbsolute(value) ? value : undefined);
  const xdgConfig = absolute(environment['XDG_CONFIG_HOME']);
  const xdgData = absolute(environment['XDG_DATA_HOME']);
  if (platform === 'win32') {
    const roaming = nonEmpty(environment['APPDATA']) ?? join(home, 'AppData', 'Roaming');
    const local = nonEmpty(environment['LOCALAPPDATA']) ?? join(home, 'AppData', 'Local');
    return { configDir: join(xdgConfig ?? roaming, 'mailvet'), dataDir: join(xdgData ?? local, 'mailvet') };
  }
  if (platform === 'darwin') {
    const library = join(home, 'Library');
    return {
      configDir: join(xdgConfig ?? join(library, 'Preferences'), 'mailvet'),
      dataDir: join(xdgData ?? join(library, 'Application Support'), 'mailvet'),
    };
  }
  return {
    configDir: join(xdgConfig ?? join(home, '.config'), 'mailvet'),
    dataDir: join(xdgData ?? join(home, '.local', 'share'), 'mailvet'),
  };
}

/** A path below which nothing exists. */
const noFolder = '/dev/null';

/** The home folder of the account if `HOME` is empty or relative: settings must not come from the current folder. */
function findHome(): string {
  for (const findFolder of [homedir, () => userInfo().homedir]) {
    try {
      const folder = findFolder();
      if (posix.isAbsolute(folder) || win32.isAbsolute(folder)) return folder;
    } catch {
      // A user id without an account, as in containers.
    }
  }
  return noFolder;
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
