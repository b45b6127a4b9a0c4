import type { FileLayout } from '../model/job.js';
import type { FileReading } from '../model/service.js';

/** The formats of a list of addresses. */
export type InputFormat = NonNullable<FileReading['format']>;

/** One input row: its cells as they were read, and the address in it. */
export interface Row {
  cells: string[];
  /** Empty if the row has no address. */
  email: string;
  /** The raw text of a CSV record, with its line end. */
  text?: string;
  /** How many lines after the previous row it stands, if not 1. A record with line ends in its cells is one line. */
  lineStep?: number;
  /** The text of a JSON object, on one line. */
  json?: string;
  /** True if the address is on a suppression list and is not vetted. */
  isSuppressed?: true;
  /** The index of this address among several of one row, from 0, and their number. */
  part?: { index: number; of: number };
  /** The same for a row that --split-cells made of one address of a cell. */
  split?: { index: number; of: number };
  /** Counts what is unusual about the row, if a sample takes it. */
  onTaken?: () => void;
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

/** Whether the results are corrected, and whether the back end could. */
export interface Corrections {
  fixes?: boolean;
  canFix?: boolean;
}

/** A list being read, in chunks of rows. */
export interface RowSource extends Layout {
  format: InputFormat;
  /** What a JSON document consists of: the list, a summary of ours, or an object with the list at this path. */
  json?: 'array' | 'summary' | { path: string };
  columns: string[];
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
  /** Which part of the list `--limit` or `--sample` took; absent or null if all of it. */
  part?(): string | null;
  /** Sentences about irregularities in the rows read so far: uneven rows, a guessed column. */
  notes(results?: Corrections): string[];
  /** Sentences that are shown even with --quiet: text that could not be decoded, unclosed quotes. */
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
