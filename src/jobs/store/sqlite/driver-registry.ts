import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../../disk/private-folder.js';
import { isGone, newIdentity, pidOf } from '../../../disk/process-identity.js';
import { Failure } from '../../../model/failure.js';

/** The two builds of SQLite. Neither sees the locks of the other, so they must not open a file at the same time. */
export type DriverName = 'node' | 'wasm';

const separator = '~~';
const maxAttempts = 20;

/** Registers this process as a user of the store and returns the function that unregisters it. Throws `locked` while a live process uses the other driver. */
export async function registerDriver(directory: string, driver: DriverName, pauseMs = 100): Promise<() => void> {
  makePrivateFolder(directory);
  const ownFile = join(directory, `${driver}${separator}${newIdentity()}`);
  for (let attempt = 1; ; attempt++) {
    // Write first, then read: of two processes at once both may back off, but at least one does.
    writeFileSync(ownFile, '', { mode: 0o600 });
    const other = findOther(directory, driver);
    if (other === null) return () => rmSync(ownFile, { force: true });
    rmSync(ownFile, { force: true });
    if (attempt === maxAttempts)
      throw new Failure(
        'locked',
        `The job store is in use by another mailvet (process ${pidOf(other)}) that runs on a different version of Node.`,
        { hint: 'Run both with the same version of Node, or wait until the other one has ended.' },
      );
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
  }
}

function findOther(directory: string, driver: DriverName): string | null {
  for (const name of readdirSync(directory)) {
    // An identity may contain the separator, too.
    const separatorIndex = name.indexOf(separator);
    if (separatorIndex === -1) continue;
    const identity = name.slice(separatorIndex + separator.length);
    if (isGone(identity)) rmSync(join(directory, name), { force: true });
    else if (name.slice(0, separatorIndex) !== driver) return identity;
  }
  return null;
}
