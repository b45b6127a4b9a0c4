import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../model/failure.js';
import type { FileReading } from '../model/service.js';
import { openTable } from './open-rows.js';
import { containsAddress } from './read/find-addresses.js';
import type { Row } from './rows.js';
import { findField } from './table/nested-fields.js';
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
  options: FileReading & { signal?: AbortSignal } = {},
): AsyncGenerator<CsvPart> {
  const table = await openTable({ path }, options);
  const line = (cells: readonly string[]) => `${encodeRawRow(cells, table.delimiter)}\n`;
  let part: { file: FileHandle; path: string; rows: number } | null = null;
  let count = 0;
  let firstRow = 1;
  try {
    await reportWriteErrors(mkdir(dir, { recursive: true, mode: 0o700 }), dir);
    for await (const chunk of table.chunks) {
      for (let index = 0; index < chunk.length; ) {
        part ??= await startPart(join(dir, `part-${String(++count).padStart(4, '0')}.csv`), line(table.columns));
        const rows: Row[] = chunk.slice(index, index + maxRows - part.rows);
        await reportWriteErrors(
          part.file.appendFile(rows.map((row) => line(cellsToSend(row, table.columns))).join('')),
          part.path,
        );
        part.rows += rows.length;
        index += rows.length;
        if (part.rows < maxRows) continue;
        const finished = await finishPart(part, firstRow);
        part = null;
        firstRow += finished.rows;
        yield finished;
      }
    }
    if (part === null) return;
    const finished = await finishPart(part, firstRow);
    part = null;
    yield finished;
  } finally {
    await table.close();
    if (part !== null) {
      await part.file.close();
      await rm(part.path, { force: true });
    }
  }
}

/** The cells of a row, with addresses of a JSON array as text: a service would take the array for one address. */
function cellsToSend({ cells, json }: Row, columns: readonly string[]): readonly string[] {
  if (json === undefined || !json.includes('[')) return cells;
  const object = JSON.parse(json) as object;
  return cells.map((cell, index) => {
    const value = cell.startsWith('[') ? findField(object, columns[index] ?? '')?.value : null;
    const isAddresses = Array.isArray(value) && value.length > 0 && value.every(isAddressText);
    return isAddresses ? value.join(', ') : cell;
  });
}

function isAddressText(value: unknown): boolean {
  return typeof value === 'string' && containsAddress(value);
}

async function startPart(path: string, header: string) {
  const file = await reportWriteErrors(open(path, 'w', 0o600), path);
  try {
    await reportWriteErrors(file.appendFile(header), path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(path, { force: true });
    throw error;
  }
  return { file, path, rows: 0 };
}

async function finishPart(part: { file: FileHandle; path: string; rows: number }, firstRow: number): Promise<CsvPart> {
  await reportWriteErrors(part.file.close(), part.path);
  return { path: part.path, rows: part.rows, firstRow };
}

async function reportWriteErrors<T>(work: Promise<T>, path: string): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new Failure('storage', `${JSON.stringify(path)} cannot be written (${code}).`, {
      hint: 'Check the free space and the permissions of the directory.',
      cause: thrown,
    });
  }
}
