import type { FileLayout, ListRow } from '../model/job.js';
import type { FileReading } from '../model/service.js';

/** The formats of a list of addresses. */
export type InputFormat = NonNullable<FileReading['format']>;

/** One input row. */
export interface Row extends ListRow {
  /** True if the address is on a suppression list and is not vetted. */
  isSuppressed?: true;
}

/** How a list is laid out, to write it back the same way. */
export interface Layout extends FileLayout {
  /** The header, or generated names (`column_1` …) if a CSV has none; `['email']` for the other formats. */
  columns: readonly string[];
}

/** A column with addresses that are not vetted, and in how many rows. */
export interface OtherColumn {
  name: string;
  rows: number;
}

/** What was read of a list so far. */
export interface ListStats {
  rows: number;
  addresses: number;
  /** Rows without an address. */
  empty: number;
  /** Cells with several addresses. */
  several: number;
}

/** A list being read, in chunks of rows. */
export interface RowSource extends Layout {
  format: InputFormat;
  columns: string[];
  /** The line of the header of a CSV, as `--header` takes it; 0 for none. */
  headerLine?: number;
  /** Index into `columns`. */
  emailColumn: number;
  /** The indexes of all vetted columns, if there are several. */
  emailColumns: readonly number[];
  /** Size of the input if it is a file, otherwise null. */
  totalBytes: number | null;
  /** Bytes of the file that were read so far, compressed or not: the basis of an ETA. */
  bytesRead(): number;
  /** Can be read once. Leaving the loop closes the input. */
  chunks: AsyncIterable<Row[]>;
  /** A sentence about what was read and in which column, and about columns with addresses that are not vetted; null if only the count is known. */
  summarize(): string | null;
  /** Which part of the list `--limit` took; absent or null if all of it. */
  part?(): string | null;
  /** Sentences about irregularities in the rows read so far: uneven rows, a guessed column. */
  notes(): string[];
  /** Sentences that are shown even with --quiet: addresses that could not be decoded, unclosed quotes. */
  warnings(): string[];
  /** Fields of a JSON list that have no column in a table of its rows. */
  columnWarnings?(): string[];
  stats(): ListStats;
  /** Lines that are not rows: empty ones and comments. */
  skippedLines(): number;
  /** Columns with addresses that are not vetted, and in how many rows; absent if there are no columns. */
  otherColumns?(): OtherColumn[];
  /** Closes the input; needed only if `chunks` is not read to its end. */
  close(): Promise<void>;
}

/** True for the first address of a row. */
export function isFirstPart({ part }: Row): boolean {
  return part === undefined || part.index === 0;
}
