import { readDataFile } from '../../disk/bundled-file.js';
import { dataPath } from '../data-file.js';

/** The origin of a bundled list. */
interface DataSource {
  file: string;
  what: string;
  entries: number;
  /** `published`: YYYY-MM-DD; null if unknown. */
  sources: { name: string; version?: string; license: string; published?: string | null }[];
}

/** The bundled lists, and the day they were generated (YYYY-MM-DD). */
export function readDataSources(): { generated: string; files: DataSource[] } {
  return JSON.parse(readDataFile(dataPath('sources.json')).toString('utf8'));
}
