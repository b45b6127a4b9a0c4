import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { Failure } from '../model/failure.js';

/** Reads a data file of the package. A missing one is reported as a damaged installation. */
export function readDataFile(url: URL): Buffer {
  try {
    return readFileSync(url);
  } catch (cause) {
    throw damaged(url, cause);
  }
}

/** Reads a file of known size, which saves a stat call. */
export function readSizedDataFile(url: URL, size: number): ArrayBuffer {
  const bytes = new Uint8Array(size);
  try {
    const file = openSync(url, 'r');
    try {
      const read = readSync(file, bytes, 0, size, 0);
      if (read < size) throw new Error(`It has ${read} of ${size} bytes.`);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    throw damaged(url, cause);
  }
  return bytes.buffer;
}

function damaged(url: URL, cause: unknown): Failure {
  const name = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
  return new Failure('internal', `The bundled data file ${name} cannot be read.`, {
    cause,
    hint: 'Install mailvet again.',
  });
}

export function readDataLines(url: URL, encoding: 'latin1' | 'utf8' = 'latin1'): string[] {
  return readDataFile(url).toString(encoding).trimEnd().split('\n');
}
