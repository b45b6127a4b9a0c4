import { statSync } from 'node:fs';

/** Changes closer together than this may get the same time stamp from the file system. */
const settledMs = 100;

/** A text that differs once a SQLite file was written; null while a change is too recent to tell. */
export function changeMark(path: string, now = Date.now()): string | null {
  let mark = '';
  for (const file of [path, `${path}-wal`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    // Readers create and remove an empty log.
    if (found === undefined || found.size === 0) continue;
    if (found.mtimeMs > now - settledMs) return null;
    mark += `${found.ino} ${found.size} ${found.mtimeMs};`;
  }
  return mark;
}
