import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storageFailure } from '../disk/storage-failure.js';
import type { FileReading } from '../model/service.js';
import { openTable } from './open-rows.js';
import { encodeRawRow } from './write/encode-row.js';

/** One part of a split CSV. */
export interface CsvPart {
  path: string;
  rows: number;
  /** The number, from 1, that the part's first row had in the whole. */
  firstRow: number;
}

/**
 * Splits a CSV into files of at most `maxRows` rows in `dir`, in UTF-8, each with the header (generated names if there was none).
 * Cells and delimiter stay as they are. A part is yielded as soon as it is complete.
 */
export async function* splitCsv(
  path: string,
  maxRows: number,
  dir: string,
  options: FileReading & { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<CsvPart> {
  const table = await openTable({ path }, options);
  const line = (cells: readonly string[]): string => `${encodeRawRow(cells, table.delimiter)}\n`;
  let part: CsvPart | null = null;
  let file: FileHandle | null = null;
  let count = 0;
  let firstRow = 1;
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    for await (const chunk of table.chunks) {
      for (let index = 0; index < chunk.length; ) {
        part ??= { path: join(dir, `part-${String(++count).padStart(4, '0')}.csv`), rows: 0, firstRow };
        file ??= await open(part.path, 'w', 0o600);
        const rows = chunk.slice(index, index + maxRows - part.rows);
        const header = part.rows === 0 ? line(table.columns) : '';
        await file.appendFile(header + rows.map(({ cells }) => line(cells)).join(''));
        part.rows += rows.length;
        index += rows.length;
        if (part.rows < maxRows) continue;
        firstRow += part.rows;
        await file.close();
        file = null;
        yield part;
        part = null;
      }
    }
    await file?.close();
    file = null;
    if (part !== null) yield part;
  } catch (error) {
    throw storageFailure(error, dir, 'The folder');
  } finally {
    await table.close();
    await file?.close();
    if (file !== null && part !== null) await rm(part.path, { force: true });
  }
}
