import { Readable } from 'node:stream';
import { type OpenRowsOptions, openRows } from '../../src/rows/open-rows.js';

/** The sizes, in bytes, of the pieces of each input. */
export const pieceSizes = [1, 2, 3, 7, 65536];

/** A stream of the bytes in pieces of one size. */
export function inPieces(content: string | Buffer, size: number): Readable {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  return Readable.from(
    (function* () {
      for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
    })(),
    { objectMode: false, highWaterMark: 1 },
  );
}

/** Reads a whole list and returns what tests compare. */
export async function readAll(
  content: string | Buffer,
  size: number,
  options: OpenRowsOptions & { name?: string } = {},
) {
  const { name, ...rest } = options;
  const stream = inPieces(content, size);
  const source = await openRows(name === undefined ? { stream } : { stream, name }, rest);
  const cells: (readonly string[])[] = [];
  const emails: string[] = [];
  for await (const chunk of source.chunks) {
    for (const row of chunk) {
      cells.push(row.cells);
      emails.push(row.email);
    }
  }
  const { format, columns, hasHeader, delimiter, emailColumn } = source;
  return {
    format,
    columns,
    hasHeader,
    delimiter,
    emailColumn,
    cells,
    emails,
    notes: source.notes(),
    warnings: source.warnings(),
    account: source.summarize(),
  };
}
