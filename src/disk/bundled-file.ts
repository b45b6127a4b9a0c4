import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { Failure } from '../model/failure.js';

/** The folder of the program in a single executable. Its files are assets of the executable. */
const assetFolder = 'sea:';

/** True if Node and the program are one executable. */
export function isSingleExecutable(): boolean {
  return import.meta.dirname === assetFolder;
}

/** Reads a file that was built with the program. */
export function readBundledFile(path: string): Buffer {
  return path.startsWith(assetFolder) ? readAsset(path) : readFileSync(path);
}

function readAsset(path: string): Buffer {
  const { getAsset } = process.getBuiltinModule('node:sea');
  // A path of Windows has backslashes.
  return Buffer.from(getAsset(path.slice(assetFolder.length + 1).replaceAll('\\', '/')));
}

/** Reads a data file of the package. A missing one is reported as a damaged installation. */
export function readDataFile(path: string): Buffer {
  try {
    return readBundledFile(path);
  } catch (cause) {
    throw damagedInstallation(path, cause);
  }
}

/** Reads a file of known size, which saves a stat call. */
export function readSizedDataFile(path: string, size: number): ArrayBufferLike {
  if (isSingleExecutable()) return readDataFile(path).buffer;
  const bytes = new Uint8Array(size);
  try {
    const file = openSync(path, 'r');
    try {
      const read = readSync(file, bytes, 0, size, 0);
      if (read < size) throw new Error(`It has ${read} of ${size} bytes.`);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw damagedInstallation(path, cause);
  }
  return bytes.buffer;
}

function damagedInstallation(path: string, cause: unknown): Failure {
  return new Failure('internal', `The bundled data file ${basename(path)} cannot be read.`, {
    cause,
    hint: 'Install mailvet again.',
  });
}

export function readDataLines(path: string, encoding: 'latin1' | 'utf8' = 'latin1'): string[] {
  return readDataFile(path).toString(encoding).trimEnd().split('\n');
}
