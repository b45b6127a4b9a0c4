/** The shapes a list of addresses comes in. `text` is anything with addresses somewhere in it. */
export type InputFormat = 'lines' | 'csv' | 'json' | 'ndjson' | 'text';

/** One input row: its cells as they stood, and the address in it. */
export interface Row {
  cells: string[];
  /** Empty where the row holds no address. */
  email: string;
  /** A record of a CSV just as it stood, with its line end. */
  text?: string;
  /** An object of JSON just as it stood. */
  json?: string;
  /** Which of several addresses of one row this is, from 0, and of how many. */
  part?: { index: number; of: number };
}

/** How a list is written, to write it back the same way. */
export interface Layout {
  /** The header, or made-up names (`column_1` …) where a CSV has none; `['email']` for the other formats. */
  columns: readonly string[];
  /** False where a CSV has no header row, so none is written back. */
  hasHeader: boolean;
  delimiter: string;
  /** What stands above the header or the first row: a byte order mark, a `sep=` line, lines of junk. */
  opening?: string;
  /** The header just as it stood. */
  headerText?: string;
  /** What ends its lines. */
  lineEnd?: string;
}

/** What a list turned out to hold, as far as it was read. */
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
  /** Index into `columns`. */
  emailColumn: number;
  /** Where several columns are vetted, the indexes of all of them. */
  emailColumns: readonly number[];
  /** Size of the input where it is a file, else null. */
  totalBytes: number | null;
  /** Compressed or plain, as read from the file so far: the basis of an ETA. */
  bytesRead(): number;
  /** Can be read once. Leaving the loop closes the input. */
  chunks: AsyncIterable<Row[]>;
  /** What was read so far and where the addresses stood, also those that are not vetted; null where there is nothing to say but their number. */
  account(): string | null;
  /** Sentences about what was odd in the rows read so far, for the user: uneven rows, a column that was guessed. */
  notes(): string[];
  /** Sentences that nobody should miss: text that could not be read, quotes that were never closed. */
  warnings(): string[];
  /** Fields of JSON that a table of the rows lacks, where the list is JSON. */
  columnWarnings?(): string[];
  figures(): ListStats;
  /** Lines that are no rows: empty ones, and comments. */
  passedOver(): number;
  /** Columns that hold addresses and are not vetted, with in how many rows; absent where there are no columns. */
  otherColumns?(): { name: string; rows: number }[];
  /** Closes the input; needed only where `chunks` is not read to its end. */
  close(): Promise<void>;
}
