import { join } from 'node:path';

/** The path of a data file of the engine. The build copies `data` next to the bundle. */
export function dataPath(name: string): string {
  return join(import.meta.dirname, 'data', name);
}
