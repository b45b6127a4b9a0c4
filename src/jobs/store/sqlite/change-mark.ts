import { statSync } from 'node:fs';

/** Changes that follow each other faster than this may get the same time stamp from a file system. */
const settledMs = 100;

/** A text that is the same only while nobody has written to a SQLite file; null where that cannot be told just now. */
export function changeMark(path: string, now = Date.now()): string | null {
  let mark = '';
  for (const file of [path, `${path}-wal`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    // An empty log comes and goes with whoever reads, and tells of no change.
    if (found === undefined || found.size === 0) continue;
    if (found.mtimeMs > now - settledMs) return null;
    mark += `${found.ino} ${found.size} ${found.mtimeMs};`;
  }
  return mark;
}
