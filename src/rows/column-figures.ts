import type { FileReading } from '../model/service.js';
import { openTable } from './open-rows.js';
import type { Reading } from './read/decode/byte-source.js';
import { holdsAddress } from './read/find-addresses.js';

/** What the first rows of a column hold. */
export interface ColumnProfile {
  name: string;
  /** Shares of the rows, 0 to 1: with anything in that column, and with an address. */
  filled: number;
  addresses: number;
  samples: string[];
}

const rowsLookedAt = 5_000;
const samplesKept = 3;

/** Looks at the beginning of a file, column by column. */
export async function profileColumns(
  path: string,
  options: FileReading & Reading,
): Promise<{ delimiter: string; columns: ColumnProfile[] }> {
  const { limit = rowsLookedAt, sample: _, ...reading } = options;
  const table = await openTable({ path }, { ...reading, limit: Math.min(limit, rowsLookedAt) });
  const found = table.columns.map(() => ({ filled: 0, addresses: 0, samples: new Set<string>() }));
  let rows = 0;
  for await (const chunk of table.chunks) {
    for (const { cells, part } of chunk) {
      if (part !== undefined && part.index > 0) continue;
      rows++;
      for (const [index, column] of found.entries()) {
        const cell = (cells[index] ?? '').trim();
        if (cell === '') continue;
        column.filled++;
        if (holdsAddress(cell)) column.addresses++;
        if (column.samples.size < samplesKept) column.samples.add(cell);
      }
    }
  }
  const share = (times: number): number => (rows === 0 ? 0 : times / rows);
  const columns = found.map(({ filled, addresses, samples }, index) => ({
    name: table.columns[index] ?? '',
    filled: share(filled),
    addresses: share(addresses),
    samples: [...samples],
  }));
  return { delimiter: table.delimiter, columns };
}
