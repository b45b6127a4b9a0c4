import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../../disk/private-folder.js';
import { isGone, newIdentity, pidOf } from '../../../disk/process-identity.js';
import { Failure } from '../../../model/failure.js';

/** The two builds of SQLite; they lock in ways the other cannot see, so they never share a file at the same time. */
export type DriverName = 'node' | 'wasm';

const driverMark = '~~';
const attempts = 20;

/** Registers this process as a user of the store by `driver`, and gives the function that signs off. Fails with `locked` while a live process uses the other driver. */
export async function openPresence(directory: string, driver: DriverName, pauseMs = 100): Promise<() => void> {
  makePrivateFolder(directory);
  const own = join(directory, `${driver}${driverMark}${newIdentity()}`);
  for (let attempt = 1; ; attempt++) {
    // First sign in, then look: of two that come at once, both may step back, but never does neither.
    writeFileSync(own, '', { mode: 0o600 });
    const other = findOther(directory, driver);
    if (other === null) return () => rmSync(own, { force: true });
    rmSync(own, { force: true });
    if (attempt === attempts) throw inUse(other);
    await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
  }
}

function findOther(directory: string, driver: DriverName): string | null {
  for (const name of readdirSync(directory)) {
    // An identity may hold the mark itself: not every system tells all of its parts.
    const mark = name.indexOf(driverMark);
    if (mark === -1) continue;
    const identity = name.slice(mark + driverMark.length);
    if (isGone(identity)) rmSync(join(directory, name), { force: true });
    else if (name.slice(0, mark) !== driver) return identity;
  }
  return null;
}

function inUse(identity: string): Failure {
  return new Failure(
    'locked',
    `The job store is in use by another mailvet (process ${pidOf(identity)}) that runs on another version of Node.`,
    { hint: 'Run both with the same version of Node, or wait until the other one has ended.' },
  );
}
