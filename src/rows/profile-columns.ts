import type { FileReading } from '../model/service.js';
import { openTable } from './open-rows.js';
import type { ReadOptions } from './read/decode/byte-source.js';
import { containsAddress, isPlaceholder } from './read/find-addresses.js';

/** The contents of a column in the first rows. */
export interface ColumnProfile {
  name: string;
  /** The shares of rows, 0 to 1, with any text and with an address in that column. */
  filled: number;
  addresses: number;
  samples: string[];
}

const profiledRows = 5_000;
const sampleCount = 3;

/** Profiles the columns of a file by its first rows. */
export async function profileColumns(
  path: string,
  options: FileReading & ReadOptions,
): Promise<{ delimiter: string; columns: ColumnProfile[] }> {
  const { limit = profiledRows, ...reading } = options;
  const table = await openTable({ path }, { ...reading, limit: Math.min(limit, profiledRows) });
  const tallies = table.columns.map(() => ({ filled: 0, addresses: 0, samples: new Set<string>() }));
  let rows = 0;
  for await (const chunk of table.chunks) {
    for (const { cells, part } of chunk) {
      if (part !== undefined && part.index > 0) continue;
      rows++;
      for (const [index, column] of tallies.entries()) {
        const cell = (cells[index] ?? '').trim();
        if (cell === '' || isPlaceholder(cell)) continue;
        column.filled++;
        if (containsAddress(cell)) column.addresses++;
        if (column.samples.size < sampleCount) column.samples.add(cell);
      }
    }
  }
  const share = (times: number): number => (rows === 0 ? 0 : times / rows);
  const columns = tallies.map(({ filled, addresses, samples }, index) => ({
    name: table.columns[index] ?? '',
    filled: share(filled),
    addresses: share(addresses),
    samples: [...samples],
  }));
  return { delimiter: table.delimiter, columns };
}
