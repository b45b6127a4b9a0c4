import { open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isOwnFile } from '../../disk/own-file.js';
import { isGone } from '../../disk/process-identity.js';

/**
 * Newer leftovers of the file, oldest first: those of interrupted runs (`.partial`, `.partial.2` …) and of killed ones
 * (`.NAME.….tmp`); else the file itself, if it exists.
 */
export async function findEarlierFiles(path: string): Promise<string[]> {
  const folder = dirname(path);
  const name = basename(path);
  /** Whether the file is of a run that has ended. Without a process in its name, that is unknown. */
  const isOfEndedRun = (identity: string): boolean => isGone(identity) || /^[0-9a-f]{12}$/.test(identity);
  const isLeftover = (each: string): boolean =>
    (each.startsWith(`.${name}.`) &&
      each.endsWith('.tmp') &&
      isOfEndedRun(each.slice(name.length + 2, -'.tmp'.length))) ||
    (each.startsWith(`${name}.partial`) && /^\.partial(?:\.\d+)?$/.test(each.slice(name.length)));
  const names = await readdir(folder).catch(() => []);
  const leftovers = names.filter(isLeftover).map((each) => join(folder, each));
  const fileWrittenAt = await writtenAt(path);
  const pieces = await Promise.all(
    leftovers.map(async (piece) => {
      const isReadable = (await isOwnFile(piece)) && !(await isTruncatedWorkbook(piece));
      return { piece, at: isReadable ? await writtenAt(piece) : 0 };
    }),
  );
  const newerPieces = pieces.filter(({ at }) => at > fileWrittenAt).sort((one, other) => one.at - other.at);
  if (newerPieces.length > 0) return newerPieces.map(({ piece }) => piece);
  return fileWrittenAt > 0 ? [path] : [];
}

/** The modification time of a non-empty file, else 0. */
async function writtenAt(path: string): Promise<number> {
  const stats = await stat(path).catch(() => null);
  return stats?.isFile() && stats.size > 0 ? stats.mtimeMs : 0;
}

/** The length of the record that ends a ZIP archive without a comment (APPNOTE.TXT, section 4.3.16), as ours do. */
const endRecordBytes = 22;

/** A workbook (xlsx) without its end cannot be read. */
async function isTruncatedWorkbook(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const signatureAt = async (position: number): Promise<string> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, Math.max(0, position));
      return buffer.toString('latin1', 0, bytesRead);
    };
    return (await signatureAt(0)) === 'PK\x03\x04' && (await signatureAt(size - endRecordBytes)) !== 'PK\x05\x06';
  } finally {
    await file.close();
  }
}
