import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withTimeout } from '../../async/with-timeout.js';
import { isOpenToOthers } from '../../disk/private-folder.js';
import { Failure } from '../../model/failure.js';
import { describeJobs } from '../../model/store-report.js';
import { readStoreAddress } from '../../settings/secrets.js';
import { checkStore } from '../local/store-tools.js';
import { asWarning, type Check, fail, failedWith, ok, skipped, warn } from './check.js';
import { modeText } from './machine.js';

const otherDirectoryHint = 'Check the rights and the disk, or set MAILVET_HOME to another directory.';

/** Checks that the data directory is writable and private. Leaves nothing behind. */
export function checkDataDirectory(home: string, platform: string = process.platform, isOpen = isOpenToOthers): Check {
  const facts = { path: home };
  try {
    const stats = statSync(home, { throwIfNoEntry: false });
    if (stats === undefined) {
      const parent = nearestExisting(home);
      if (!statSync(parent).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
      accessSync(parent, constants.W_OK | constants.X_OK);
      return ok('data_directory', `${home} does not exist yet, and is created when it is needed.`, { facts });
    }
    if (!stats.isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    tryWriting(home);
    const withMode = { ...facts, mode: modeText(stats) };
    if (platform === 'win32' || (stats.mode & 0o077) === 0 || !isOpen(dirname(home))) {
      return ok('data_directory', `${home} is writable.`, { facts: withMode });
    }
    const access = (stats.mode & 0o022) === 0 ? 'read' : 'read and change';
    return warn('data_directory', `Others on this machine can ${access} ${home}, where jobs keep addresses.`, {
      hint: `Run: chmod 700 '${home}'`,
      facts: withMode,
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const message = `The data directory ${home} cannot be written (${code}).`;
    return fail('data_directory', 'storage', message, { hint: otherDirectoryHint, facts });
  }
}

/** Permissions say nothing about a full or read-only disk. */
function tryWriting(home: string): void {
  const file = join(home, `.doctor-${randomBytes(6).toString('hex')}`);
  try {
    writeFileSync(file, 'x', { mode: 0o600, flag: 'wx' });
  } finally {
    rmSync(file, { force: true });
  }
}

function nearestExisting(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? parent : nearestExisting(parent);
}

/** A search for damage in a file of this size takes about a second, and cannot be interrupted. */
const maxCheckedBytes = 256 * 1024 * 1024;

/** Checks that the store responds, is writable and intact. Does not create one. `setting`: the URL of a database, or `@FILE`. */
export async function checkJobStore(home: string, setting: string | null, timeoutMs: number): Promise<Check> {
  const path = join(home, 'store.db');
  const stats = setting === null ? statSync(path, { throwIfNoEntry: false }) : null;
  if (stats === undefined) {
    return skipped('job_store', 'There are no jobs yet, so there is no job store.', { facts: { path } });
  }
  const timeoutText = `did not respond within ${timeoutMs / 1000} s.`;
  const timeoutError =
    setting === null
      ? new Failure('locked', `The job store ${path} ${timeoutText}`, { hint: 'Another process may use it.' })
      : new Failure('storage', `The store database ${timeoutText}`, {
          hint: 'Check that PostgreSQL runs and can be reached from here; --set timeout=1m waits longer.',
        });
  try {
    const looksForDamage = (stats?.size ?? 0) <= maxCheckedBytes;
    const checking = checkStore(home, readStoreAddress(setting), { looksForDamage });
    const { name, damage, ...facts } = await withTimeout(checking, timeoutMs, timeoutError);
    if (damage.length > 0) {
      const extra = { hint: 'Restore it from a backup.', facts: { ...facts, damage } };
      return fail('job_store', 'storage', `The store in ${name} is damaged: ${damage[0]}.`, extra);
    }
    const details = `${describeJobs(facts)}, a write takes ${facts.write_ms} ms`;
    return ok('job_store', `The store in ${name} is writable (${details}).`, { facts });
  } catch (thrown) {
    const check = failedWith('job_store', thrown);
    // A store in use is not broken.
    return check.code === 'locked' ? asWarning(check) : check;
  }
}
