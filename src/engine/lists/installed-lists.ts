import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readSmallFile } from '../../disk/own-file.js';
import { dataPath } from '../data-file.js';
import { readDataSources } from './data-sources.js';

/** The lists that `lists update` can replace. */
export const updatableLists = ['disposable.txt', 'free.txt', 'disposable-hosts.txt'] as const;
export type UpdatableList = (typeof updatableLists)[number];

/** The record of an update, in `current.json` of the lists folder. */
export interface InstalledLists {
  /** YYYY-MM-DD. */
  generated: string;
  /** The file or URL that it came from. */
  from: string;
  /** A folder inside the lists folder. */
  folder: string;
  /** A file with a date of its own is of an earlier package. */
  files: Partial<Record<UpdatableList, { entries: number; bytes: number; generated?: string }>>;
}

/** The path of each list in use, and the update it comes from; null: the bundled lists. */
export interface ListsInUse {
  pathOf(file: UpdatableList): string;
  installed: InstalledLists | null;
}

const folderName = /^[\w-]{1,80}$/;

/** The installed lists if they are complete and newer than the bundled ones, otherwise the bundled ones. */
export function findLists(listsFolder: string | null): ListsInUse {
  const installed = listsFolder === null ? null : readInstalledLists(listsFolder);
  if (listsFolder === null || installed === null || installed.generated < readDataSources().generated) {
    return { pathOf: dataPath, installed: null };
  }
  const pathOf = (file: UpdatableList): string => {
    const path = join(listsFolder, installed.folder, file);
    // A process that reads a list late may find that it was removed since.
    return installedDate(installed, file) !== null && existsSync(path) ? path : dataPath(file);
  };
  return { pathOf, installed };
}

/** The date of an installed list; null if the bundled one is used: the package has none, or an older one. */
export function installedDate({ files, generated }: InstalledLists, file: UpdatableList): string | null {
  const date = files[file] === undefined ? '' : (files[file].generated ?? generated);
  return date < readDataSources().generated ? null : date;
}

/** The record of the last update; null without one, and if a file of it is missing or damaged. */
export function readInstalledLists(listsFolder: string): InstalledLists | null {
  try {
    const record = JSON.parse(readSmallFile(join(listsFolder, 'current.json')).toString('utf8')) as InstalledLists;
    const isComplete = Object.entries(record.files).every(
      ([file, { bytes }]) => statSync(join(listsFolder, record.folder, file)).size === bytes,
    );
    return isComplete && folderName.test(record.folder) ? record : null;
  } catch {
    return null;
  }
}
