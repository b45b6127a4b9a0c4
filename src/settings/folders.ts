import { homedir, userInfo } from 'node:os';
import { join, posix, win32 } from 'node:path';
import type { Environment } from './environment.js';

/** Where settings and data live on this machine. */
interface Folders {
  configDir: string;
  configFile: string;
  dataDir: string;
}

/** The folders by `MAILVET_CONFIG_DIR` and `MAILVET_HOME`, else the XDG ones, else where this platform keeps such things. */
export function findFolders(environment: Environment, platform: string = process.platform, home = findHome()): Folders {
  const usual = usualFolders(environment, platform, home);
  const configDir = set(environment['MAILVET_CONFIG_DIR']) ?? usual.configDir;
  const dataDir = set(environment['MAILVET_HOME']) ?? usual.dataDir;
  return { configDir, configFile: join(configDir, 'config.json'), dataDir };
}

function usualFolders(
  environment: Environment,
  platform: string,
  home: string,
): { configDir: string; dataDir: string } {
  const { isAbsolute } = platform === 'win32' ? win32 : posix;
  // The XDG base directory specification: a relative path is invalid and must be ignored.
  const absolute = (value: string | undefined) => (value !== undefined && isAbsolute(value) ? value : undefined);
  const xdgConfig = absolute(environment['XDG_CONFIG_HOME']);
  const xdgData = absolute(environment['XDG_DATA_HOME']);
  if (platform === 'win32') {
    const roaming = set(environment['APPDATA']) ?? join(home, 'AppData', 'Roaming');
    const local = set(environment['LOCALAPPDATA']) ?? join(home, 'AppData', 'Local');
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

/** Under it nothing is found and nothing can be made. */
const nowhere = '/dev/null';

/** An empty or relative `HOME` would let any folder we are called in bring its own settings; the system knows better. */
function findHome(): string {
  for (const look of [homedir, () => userInfo().homedir]) {
    try {
      const found = look();
      if (posix.isAbsolute(found) || win32.isAbsolute(found)) return found;
    } catch {
      // A user id without an account, as containers have it.
    }
  }
  return nowhere;
}

function set(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
