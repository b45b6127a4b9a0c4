import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { Failure } from '../model/failure.js';

/** Reads a data file of the package. A missing one is reported as a damaged installation. */
export function readDataFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw damagedInstallation(path, cause);
  }
}

/** Reads a file of known size, which saves a stat call. */
export function readSizedDataFile(path: string, size: number): ArrayBuffer {
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
