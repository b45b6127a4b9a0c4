import type { FileReading } from '../model/service.js';
import { openTable } from './open-rows.js';
import type { ReadOptions } from './read/decode/byte-source.js';

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
    filename?: string;
    name?: string;
    field?: string;
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
