import type { FileReading } from '../model/service.js';
import { openTable } from './open-rows.js';
import type { ReadOptions } from './read/decode/byte-source.js';
import { containsAddress, isPlaceholder } from './read/find-addresses.js';

/** The beginning of a CSV and its size. */
export interface CsvPreview {
  columns: string[];
  /** Null if nothing indicates a column. */
  suggestedEmailColumn: string | null;
  /** Its index, since several columns may have the same name. */
  suggestedIndex: number | null;
  sampleRows: string[][];
  rowCount: number;
  /** False if the count was estimated from the size of the file. */
  rowCountExact: boolean;
  hasHeader: boolean;
  delimiter: string;
}

/** Rows of files up to this size are counted, not estimated. */
const maxCountedBytes = 16 * 1024 * 1024;
const estimateChars = 1024 * 1024;

/** Previews a CSV file; only the beginning of a large one is read. Errors are Failures. */
export async function previewCsv(
  path: string,
  options: {
    sampleRows?: number;
    countedBytes?: number;
    filename?: string | undefined;
    name?: string | undefined;
  } & FileReading &
    ReadOptions = {},
): Promise<CsvPreview> {
  const { sampleRows: wanted = 5, countedBytes = maxCountedBytes, name, ...open } = options;
  const table = await openTable(name === undefined ? { path } : { path, name }, open);
  const totalBytes = table.totalBytes ?? Number.POSITIVE_INFINITY;
  // A small file may be compressed.
  const sampleChars = totalBytes <= countedBytes ? 4 * countedBytes : estimateChars;
  const sampleRows: string[][] = [];
  let rows = 0;
  let chars = 0;
  let exact = true;
  for await (const chunk of table.chunks) {
    rows += chunk.length;
    for (const row of chunk) {
      if (sampleRows.length < wanted) sampleRows.push([...row.cells]);
      chars += row.text?.length ?? row.cells.reduce((sum, cell) => sum + cell.length + 1, 0);
    }
    exact = chars <= sampleChars || table.bytesRead() >= totalBytes;
    if (!exact) break;
  }
  return {
    columns: table.columns,
    suggestedEmailColumn: table.emailColumn === null ? null : (table.columns[table.emailColumn] ?? null),
    suggestedIndex: table.emailColumn,
    sampleRows,
    rowCount: exact ? rows : Math.round((rows / table.bytesRead()) * totalBytes),
    rowCountExact: exact,
    hasHeader: table.hasHeader,
    delimiter: table.delimiter,
  };
}

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
  const columns = tallies.map(({ filled, addresses, samples }, index) => ({
    name: table.columns[index] ?? '',
    filled: filled / Math.max(1, rows),
    addresses: addresses / Math.max(1, rows),
    samples: [...samples],
  }));
  return { delimiter: table.delimiter, columns };
}
