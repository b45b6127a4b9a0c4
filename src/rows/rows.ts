/** The shapes a list of addresses comes in. */
export type InputFormat = 'lines' | 'csv' | 'json' | 'ndjson';

/** One input row: its cells as they stood, and the address in it. */
export interface Row {
  cells: string[];
  email: string;
}

/** A list being read, in chunks of rows. */
export interface RowSource {
  format: InputFormat;
  /** The header, or made-up names (`column_1` …) where a CSV has none; `['email']` for the other formats. */
  columns: string[];
  /** Index into `columns`. */
  emailColumn: number;
  /** False where a CSV has no header row, so none is written back. */
  hasHeader: boolean;
  /** The CSV's delimiter, to write it back the same way. */
  delimiter: string;
  /** Size of the input where it is a file, else null. */
  totalBytes: number | null;
  /** Compressed or plain, as read from the file so far: the basis of an ETA. */
  bytesRead(): number;
  /** Can be read once. Leaving the loop closes the input. */
  chunks: AsyncIterable<Row[]>;
  /** Sentences about what was odd in the rows read so far, for the user: uneven rows, replaced bytes. */
  notes(): string[];
  /** Closes the input; needed only where `chunks` is not read to its end. */
  close(): Promise<void>;
}
