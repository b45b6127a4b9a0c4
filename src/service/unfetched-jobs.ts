import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../disk/atomic-file.js';
import { makeOwnFolder, makePrivateFolder } from '../disk/private-folder.js';

/** The jobs of a list whose rows were not written yet. */
interface UnfetchedJobs {
  ids: readonly string[];
  /** Unix milliseconds. */
  sentAt: number;
}

const lifeMs = 7 * 24 * 60 * 60_000;
const maxLists = 100;

/** Records in the data directory which jobs a list has until their rows are written: for a week, and for 100 lists. */
export function openUnfetchedJobs(home: string, now: () => number = Date.now) {
  const folder = join(home, 'unfetched');
  const pathOf = (digest: string): string => join(folder, `${digest}.json`);
  const read = async (digest: string): Promise<UnfetchedJobs | null> => {
    try {
      const { ids, sentAt } = JSON.parse(await readFile(pathOf(digest), 'utf8')) as UnfetchedJobs;
      const ageMs = now() - sentAt;
      return Array.isArray(ids) && ids.length > 0 && ageMs >= 0 && ageMs < lifeMs ? { ids, sentAt } : null;
    } catch {
      // Missing or damaged: the list is sent again.
      return null;
    }
  };
  const all = async (): Promise<{ digest: string; jobs: UnfetchedJobs | null }[]> => {
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
    const digests = names.map((name) => name.slice(0, -'.json'.length));
    return Promise.all(digests.map(async (digest) => ({ digest, jobs: await read(digest) })));
  };
  const remove = (digest: string): Promise<void> => rm(pathOf(digest), { force: true });
  return {
    find: read,
    add: async (digest: string, ids: readonly string[]): Promise<void> => {
      makePrivateFolder(home);
      makeOwnFolder(folder);
      await replaceFile(pathOf(digest), JSON.stringify({ ids, sentAt: now() }));
      const newestFirst = (await all()).sort((one, other) => (other.jobs?.sentAt ?? 0) - (one.jobs?.sentAt ?? 0));
      const kept = newestFirst.filter(({ jobs }) => jobs !== null).slice(0, maxLists);
      for (const record of newestFirst) if (!kept.includes(record)) await remove(record.digest);
    },
    remove,
    /** Called when the rows of one of these jobs are written. */
    removeJobs: async (ids: readonly string[]): Promise<void> => {
      for (const { digest, jobs } of await all()) {
        if (jobs?.ids.some((id) => ids.includes(id))) await remove(digest);
      }
    },
  };
}

/** A digest of a file and of how it is vetted; null if it can be read only once: a pipe, or an open descriptor. */
export async function digestList(path: string, howVetted: unknown): Promise<string | null> {
  // On macOS, /dev/stdin continues where its last reader stopped, so all lists would have one digest.
  if (/^\/dev\/(?:stdin|fd\/)/.test(path) || !(await stat(path).catch(() => null))?.isFile()) return null;
  const hash = createHash('sha256').update(`${JSON.stringify(howVetted)}\n`);
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}
