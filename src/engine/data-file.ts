import { readFileSync } from 'node:fs';
import { Failure } from '../model/failure.js';

/** Where a bundled data file lies. In dist, too, `data` is beside the file that this ends up in. */
export function dataUrl(name: string): URL {
  return new URL(`./data/${name}`, import.meta.url);
}

/** The bytes of a bundled data file. A missing one is a damaged installation, and says so. */
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

/** The lines of a short bundled file. */
export function readDataLines(url: URL): string[] {
  return readDataFile(url).toString('latin1').trimEnd().split('\n');
}
