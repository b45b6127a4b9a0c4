import type { FileReading } from '../model/service.js';
import { openTable } from './open-rows.js';
import type { Reading } from './read/decode/byte-source.js';

/** What a CSV holds, before anything is done with it. */
export interface CsvPreview {
  columns: string[];
  /** The column's name; null where nothing points to one. */
  suggestedEmailColumn: string | null;
  /** Its index, for several may have one name. */
  suggestedIndex: number | null;
  sampleRows: string[][];
  rowCount: number;
  /** False where the count was reckoned from the size of the file. */
  rowCountExact: boolean;
  hasHeader: boolean;
  delimiter: string;
}

/** Files up to this size are counted rather than reckoned: a tenth of a second. */
const defaultCountedBytes = 16 * 1024 * 1024;
const reckonedChars = 1024 * 1024;

/** Previews a CSV file of any size at once: of a large one only the beginning is read. Trouble with it is a Failure. */
export async function previewCsv(
  path: string,
  options: { sampleRows?: number; countedBytes?: number; filename?: string; name?: string } & FileReading &
    Reading = {},
): Promise<CsvPreview> {
  const { sampleRows: wanted = 5, countedBytes = defaultCountedBytes, name, sample, ...open } = options;
  const most = sample?.rows ?? Number.POSITIVE_INFINITY;
  const table = await openTable(name === undefined ? { path } : { path, name }, open);
  const totalBytes = table.totalBytes ?? Number.POSITIVE_INFINITY;
  // A small file may be packed and unfold to a huge one.
  const enough = totalBytes <= countedBytes ? 4 * countedBytes : reckonedChars;
  const sampleRows: string[][] = [];
  let rows = 0;
  let chars = 0;
  let exact = true;
  for await (const chunk of table.chunks) {
    rows += chunk.length;
    for (const { cells } of chunk) {
      if (sampleRows.length < wanted) sampleRows.push(cells);
      for (const cell of cells) chars += cell.length + 1;
    }
    exact = chars <= enough || table.bytesRead() >= totalBytes;
    if (!exact) break;
  }
  return {
    columns: table.columns,
    suggestedEmailColumn: table.emailColumn === null ? null : (table.columns[table.emailColumn] ?? null),
    suggestedIndex: table.emailColumn,
    sampleRows,
    rowCount: Math.min(most, exact ? rows : Math.round((rows / table.bytesRead()) * totalBytes)),
    rowCountExact: exact,
    hasHeader: table.hasHeader,
    delimiter: table.delimiter,
  };
}
