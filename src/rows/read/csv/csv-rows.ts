import Papa from 'papaparse';
import type { Charset } from '../../../model/charset.js';
import type { Row } from '../../rows.js';
import { CsvScanner } from './csv-scanner.js';

/** A record of a CSV. Most lists are written back as their text, so the cells are parsed only if they are needed. */
class CsvRow implements Row {
  declare part?: { index: number; of: number };
  declare isSuppressed?: true;
  private parsed: readonly string[] | null;

  constructor(
    private readonly parse: CellParser,
    readonly text: string,
    readonly line: number,
    /** The number of cells. */
    readonly width: number,
    public email: string,
    cells: readonly string[] | null = null,
  ) {
    this.parsed = cells;
  }

  get cells(): readonly string[] {
    this.parsed ??= this.parse(this.text);
    return this.parsed;
  }
}

/** Parses the cells of a well-formed record. */
type CellParser = (record: string) => string[];

export function createCellParser(delimiter: string, charset: Charset): CellParser {
  const papa = new Papa.Parser({ delimiter, newline: '\n' });
  return (record) => {
    const body = record.replace(/^[\r\n]+|(?<![\r\n])[\r\n]+$/g, '');
    const held = body.includes('"') ? (papa.parse(body, 0, false).data[0] as string[]) : body.split(delimiter);
    return held.map(charset.show);
  };
}

/** The current record of a scanner as a row. One whose quote is never closed has no text. */
export function rowOf(scanner: CsvScanner, parse: CellParser, charset: Charset, email: string): Row {
  const { line, width } = scanner;
  const text = scanner.text();
  const cells = scanner.parsedCells()?.map(charset.show) ?? null;
  return text === null ? { cells: cells ?? [], line, email } : new CsvRow(parse, text, line, width, email, cells);
}

/** The first records of a sample. `isTruncated`: the last one may continue after it. */
export function sampleRecords(
  sample: string,
  delimiter: string,
  { charset, most, isTruncated = false }: { charset: Charset; most: number; isTruncated?: boolean },
): Row[] {
  const scanner = new CsvScanner(delimiter);
  const parse = createCellParser(delimiter, charset);
  const records: Row[] = [];
  const add = (text: string, isLast: boolean): void => {
    scanner.add(text, isLast);
    while (records.length < most && scanner.next()) records.push(rowOf(scanner, parse, charset, ''));
  };
  add(sample, false);
  // Whether a line feed follows a carriage return makes no difference to the record before them.
  if (records.length < most && (!isTruncated || (records.length === 0 && sample.endsWith('\r')))) add('', true);
  return records;
}
