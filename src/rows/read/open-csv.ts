import { Failure } from '../../model/failure.js';
import type { Row } from '../rows.js';
import { isVerdictColumn, verdictColumns, verdictColumnsOf, verdictsBehind } from '../table/verdict-columns.js';
import { sniffLayout } from './detect-format.js';
import { columnsByName, findEmailColumn, listColumns } from './email-column.js';
import { addressIn, holdsAddress, severalAddresses } from './find-addresses.js';
import { findHeader } from './find-header.js';
import { openAccount } from './list-account.js';
import type { TextSource } from './open-text.js';
import { pumpRows } from './pump-rows.js';
import { createCsvScanner } from './scan-csv.js';

/** What a caller may settle about a table; the rest is found out. */
export interface CsvOptions {
  /** A column's name, or its number from 1; several with commas between them. */
  column?: string;
  /** The same by number, from 0; it goes before a name. */
  columns?: readonly number[];
  /** False where the first row is data. */
  header?: boolean;
  /** Lines above the header that are none of the table. */
  skipRows?: number;
  /** Cells with several addresses become several rows. */
  splitCells?: boolean;
}

/** Reads text as a table, whatever its columns are; `emailColumns` is empty where nothing points to one. */
export function openCsv(text: TextSource, options: CsvOptions) {
  const skipped = linesAbove(text.sample, options.skipRows ?? 0);
  const { delimiter, skip } = sniffLayout(text.sample.slice(skipped), text.name);
  const scanner = createCsvScanner(delimiter);
  const pump = pumpRows(text, scanner, skipped + skip);
  const first = pump.first;
  const found = options.header === undefined ? findHeader(first) : { junk: 0, hasHeader: options.header };
  const header = found.hasHeader ? first[found.junk] : undefined;
  const junk = first.slice(0, found.junk);
  const sample = first.slice(found.junk + (header === undefined ? 0 : 1));
  const width = sample.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const columns = header?.cells ?? madeUpNames(sample, width, options);
  const cells = sample.map((row) => row.cells);
  const named = namedColumns(options, columns);
  const emailColumns = named ?? guessed(findEmailColumn(header === undefined ? null : columns, cells));
  if (named !== null) refuseWrongColumn(emailColumns, columns, cells, text.complete);

  const account = openAccount();
  let number = first.length - sample.length;
  const makeRows = rowMaker(emailColumns, columns, options.splitCells === true, account);
  const toRows = (records: Row[]): Row[] => {
    const rows: Row[] = [];
    for (const record of records) {
      const made = makeRows(record, ++number);
      if (Array.isArray(made)) rows.push(...made);
      else rows.push(made);
    }
    return rows;
  };
  const source = pump.source(toRows(sample), toRows);
  return {
    ...source,
    format: 'csv' as const,
    columns,
    emailColumns,
    hasHeader: header !== undefined,
    delimiter,
    opening: `${text.hasMark ? '\ufeff' : ''}${text.sample.slice(0, skipped + skip)}${junk.map((row) => row.text ?? '').join('')}`,
    ...(header?.text === undefined ? {} : { headerText: header.text }),
    lineEnd: lineEndIn(first[0]?.text),
    figures: () => account.figures,
    otherColumns: () => account.otherColumns(columns),
    passedOver: scanner.passedOver,
    account: () => {
      const used = emailColumns.map((column) => JSON.stringify(columns[column])).join(' and ');
      const place = `${emailColumns.length > 1 ? 'the columns' : 'the column'} ${used}`;
      return account.sentence(place, columns, scanner.passedOver());
    },
    notes: () => [...source.notes(), ...(junk.length === 0 ? [] : [junkNote(junk.length)]), ...account.notes(columns)],
  };
}

/** Names for columns that have none; those of an earlier run of ours are known by what is in them. */
function madeUpNames(sample: readonly Row[], width: number, options: CsvOptions): string[] {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `column_${index + 1}`);
  const isEven = sample.every(({ cells }) => cells.length === width);
  const { verdicts, added } = isEven ? verdictsBehind(sample.map(({ cells }) => cells)) : { verdicts: 0, added: [] };
  if (verdicts === 0) return names(width);
  const each = verdictColumns.length + added.length;
  const own = names(width - verdicts * each);
  const vetted = (namedColumns(options, own) ?? []).map((column) => own[column] ?? '');
  if (verdicts > 1 && vetted.length === verdicts) return [...own, ...verdictColumnsOf(vetted, added)];
  return [...names(width - each), ...verdictColumns, ...added];
}

/** The columns that the caller settled; null where that is left to us. */
function namedColumns({ columns, column }: CsvOptions, names: readonly string[]): readonly number[] | null {
  return columns ?? (column === undefined ? null : columnsByName(column, names));
}

function guessed(column: number | null): readonly number[] {
  return column === null ? [] : [column];
}

type Account = ReturnType<typeof openAccount>;

/** Turns a record into its row, or into several where it holds several addresses that are to be vetted. */
function rowMaker(
  emailColumns: readonly number[],
  columns: readonly string[],
  splitCells: boolean,
  account: Account,
): (record: Row, number: number) => Row[] | Row {
  const [first = -1, ...more] = emailColumns;
  const width = columns.length;
  const watched = columns.map((name, index) => !emailColumns.includes(index) && !isVerdictColumn(name));
  const lookAround = ({ cells }: Row): void => {
    for (let column = 0; column < cells.length; column++) {
      if (watched[column] !== false && holdsAddress(cells[column] ?? '')) account.other(column);
    }
  };
  return (record, number) => {
    const { cells, text = '' } = record;
    if (cells.length !== width) account.uneven(number);
    const email = addressIn(cells[first] ?? '');
    const at = text.indexOf('@');
    if (at !== -1 && (email === '' || text.indexOf('@', at + 1) !== -1)) lookAround(record);
    if (more.length > 0) return partsOf(record, emailColumns, number, account);
    const several = splitCells ? severalAddresses(email) : null;
    if (several === null) {
      account.count(email, number);
      record.email = email;
      return record;
    }
    account.figures.rows++;
    account.figures.addresses += several.length;
    return several.map((address) => ({ cells: cells.with(first, address), email: address }));
  };
}

function partsOf(record: Row, emailColumns: readonly number[], number: number, account: Account): Row[] {
  const emails = emailColumns.map((column) => addressIn(record.cells[column] ?? ''));
  const { figures } = account;
  const filled = emails.filter((email) => email !== '').length;
  account.count(emails.find((email) => email !== '') ?? '', number);
  figures.addresses += Math.max(0, filled - 1);
  return emails.map((email, index) => ({ ...record, email, part: { index, of: emails.length } }));
}

const enoughRows = 3;

/** A column that is named and holds no address while another does was named by mistake. */
function refuseWrongColumn(
  emailColumns: readonly number[],
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  isWhole: boolean,
): void {
  if (!isWhole && rows.length < enoughRows) return;
  for (const column of emailColumns) {
    const filled = rows.filter((cells) => (cells[column] ?? '').trim() !== '');
    if (filled.length === 0 || filled.some((cells) => holdsAddress(cells[column] ?? ''))) continue;
    const better = columns.findIndex(
      (name, index) => !isVerdictColumn(name) && rows.some((cells) => holdsAddress(cells[index] ?? '')),
    );
    if (better === -1) continue;
    throw new Failure('usage', `The column ${JSON.stringify(columns[column])} holds no addresses.`, {
      hint: `Did you mean ${JSON.stringify(columns[better])}? The columns are: ${listColumns(columns)}.`,
    });
  }
}

/** Where the given number of lines ends. */
function linesAbove(sample: string, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line++) {
    const match = /\r\n?|\n/.exec(sample.slice(at));
    if (match === null) {
      throw new Failure('usage', `--skip-rows ${count} leaves nothing of the list.`, { hint: 'Skip fewer rows.' });
    }
    at += match.index + match[0].length;
  }
  return at;
}

function lineEndIn(text = ''): string {
  return /\r*\n$|\r$/.exec(text)?.[0] ?? '\n';
}

function junkNote(count: number): string {
  return count === 1
    ? 'Row 1 stands above the header; it was kept as it is.'
    : `Rows 1 to ${count} stand above the header; they were kept as they are.`;
}
