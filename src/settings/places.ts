import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from './environment.js';

/** Where settings and data live on this machine. */
export interface Places {
  configDir: string;
  configFile: string;
  dataDir: string;
}

/** The folders by `MAILVET_CONFIG_DIR` and `MAILVET_HOME`, else the XDG ones, else where this platform keeps such things. */
export function findPlaces(environment: Environment, platform: string = process.platform, home = homedir()): Places {
  const usual = usualPlaces(environment, platform, home);
  const configDir = set(environment['MAILVET_CONFIG_DIR']) ?? usual.configDir;
  const dataDir = set(environment['MAILVET_HOME']) ?? usual.dataDir;
  return { configDir, configFile: join(configDir, 'config.json'), dataDir };
}

function usualPlaces(environment: Environment, platform: string, home: string): { configDir: string; dataDir: string } {
  const xdgConfig = set(environment['XDG_CONFIG_HOME']);
  const xdgData = set(environment['XDG_DATA_HOME']);
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

function set(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
