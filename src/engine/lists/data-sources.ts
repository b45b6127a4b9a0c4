import { readDataFile } from '../../disk/bundled-file.js';
import { dataPath } from '../data-file.js';

/** Where one bundled list comes from. */
interface DataSource {
  file: string;
  what: string;
  entries: number;
  /** `published` is the day (YYYY-MM-DD) that version came out; null where unknown. */
  sources: { name: string; version?: string; license: string; published?: string | null }[];
}

/** What is bundled, and the day (YYYY-MM-DD) it was put together: for showing how old the lists are. */
export function readDataSources(): { generated: string; files: DataSource[] } {
  return JSON.parse(readDataFile(dataPath('sources.json')).toString('utf8')) as {
    generated: string;
    files: DataSource[];
  };
}
