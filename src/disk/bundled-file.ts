import { readFileSync } from 'node:fs';
import { Failure } from '../model/failure.js';

/** The bytes of a data file that comes with the program. A missing one is a damaged installation, and says so. */
export function readDataFile(url: URL): Buffer {
  try {
    return readFileSync(url);
  } catch (cause) {
    const name = url.pathname.slice(url.pathname.lastIndexOf('/') + 1);
    throw new Failure('internal', `The bundled data file ${name} cannot be read.`, {
      cause,
      hint: 'Install mailvet again.',
    });
  }
}

/** The lines of a short one. */
export function readDataLines(url: URL, encoding: 'latin1' | 'utf8' = 'latin1'): string[] {
  return readDataFile(url).toString(encoding).trimEnd().split('\n');
}
