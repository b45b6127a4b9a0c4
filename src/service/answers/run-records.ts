import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../disk/atomic-file.js';
import { makeOwnFolder, makePrivateFolder } from '../../disk/private-folder.js';

/** What is known of a run that is not complete. It names no address and no list. */
export interface RunRecord {
  /** Unix milliseconds, as the other times. */
  startedAt: number;
  lastAt: number;
  answered: number;
  /** Sent, perhaps paid, and not answered. */
  inDoubt: number;
  jobs: readonly string[];
}

const maxAgeMs = 7 * 24 * 60 * 60_000;
const maxRecords = 100;
const ending = '.json';

/** The records of the runs of this machine that are not complete. */
export function openRunRecords(home: string, now: () => number = Date.now) {
  const folder = join(home, 'runs');
  const pathOf = (id: string): string => join(folder, `${id}${ending}`);
  const read = (id: string): RunRecord | null => {
    try {
      const record = JSON.parse(readFileSync(pathOf(id), 'utf8')) as RunRecord;
      const isComplete = Array.isArray(record.jobs) && [record.startedAt, record.lastAt].every(Number.isFinite);
      return isComplete ? record : null;
    } catch {
      // Missing or damaged: the run starts again.
      return null;
    }
  };
  const names = (): string[] => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  };
  const ids = (): string[] => names().flatMap((name) => (name.endsWith(ending) ? name.slice(0, -ending.length) : []));
  const lockPath = (id: string): string => join(folder, `${id}.lock`);
  const remove = (id: string): Promise<void> => rm(pathOf(id), { force: true });
  return {
    lockPath,
    /** Whether there is any, or a run in progress. A cheap test for the start of a command. */
    any: (): boolean => names().length > 0,
    /** Whether a run has a record, or is in progress. */
    isOpen: (id: string): boolean => existsSync(pathOf(id)) || existsSync(lockPath(id)),
    read,
    write: async (id: string, record: RunRecord): Promise<void> => {
      makePrivateFolder(home);
      makeOwnFolder(folder);
      await replaceFile(pathOf(id), JSON.stringify(record));
    },
    remove,
    /** Removes those that are too old to be continued. */
    prune: async (): Promise<void> => {
      const found = ids().map((id) => ({ id, lastAt: read(id)?.lastAt ?? 0 }));
      const newestFirst = found.sort((one, other) => other.lastAt - one.lastAt);
      const old = newestFirst.filter(({ lastAt }, index) => index >= maxRecords || now() - lastAt > maxAgeMs);
      for (const { id } of old) await remove(id);
    },
    /** Forgets these jobs, whose rows were written. */
    removeJobs: async (jobs: readonly string[]): Promise<void> => {
      for (const id of ids()) if (read(id)?.jobs.some((job) => jobs.includes(job))) await remove(id);
    },
  };
}
