import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { Failure } from '../model/failure.js';

/** The bytes of a data file that comes with the program. A missing one is a damaged installation, and says so. */
export function readDataFile(url: URL): Buffer {
  try {
    return readFileSync(url);
  } catch (cause) {
    throw damaged(url, cause);
  }
}

/** The same of a file that has just so many bytes: with no need to ask for its size, it is there a third sooner. */
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

/** The lines of a short one. */
export function readDataLines(url: URL, encoding: 'latin1' | 'utf8' = 'latin1'): string[] {
  return readDataFile(url).toString(encoding).trimEnd().split('\n');
}
