import { Failure } from '../../../model/failure.js';
import type { FileReading } from '../../../model/service.js';
import type { Row } from '../../rows.js';
import { isVerdictColumn } from '../../table/verdict-columns.js';
import type { TextSource } from '../decode/open-text.js';
import { addressIn, holdsAddress, severalAddresses } from '../find-addresses.js';
import { openAccount } from '../list-account.js';
import { pumpRows } from '../pump-rows.js';
import { CsvParser } from './csv-parser.js';
import { planTable, type TableOptions } from './plan-table.js';

/** What a caller may settle about a table; the rest is found out. */
export type CsvOptions = TableOptions & Pick<FileReading, 'splitCells'>;

/** Reads text as a table, whatever its columns are; `emailColumns` is empty where nothing points to one. */
export function openCsv(text: TextSource, options: CsvOptions) {
  const plan = planTable(text, options);
  const { columns, emailColumns, delimiter, hasHeader, headerText, lineEnd, junk } = plan;
  if (options.splitCells && emailColumns.length > 1) throw oneColumnToSplit();
  const parser = new CsvParser(delimiter);
  const pump = pumpRows(text, parser, plan.skip);
  const account = openAccount();
  let number = 0;
  const makeRows = rowMaker(emailColumns, columns, options.splitCells === true, account);
  const toRows = (records: Row[]): Row[] => {
    const rows: Row[] = [];
    for (const record of records) {
      if (++number <= plan.above) continue;
      const made = makeRows(record, number);
      if (Array.isArray(made)) rows.push(...made);
      else rows.push(made);
    }
    return rows;
  };
  const source = pump.source(toRows);
  return {
    ...source,
    format: 'csv' as const,
    ...{ columns, emailColumns, hasHeader, delimiter, lineEnd },
    opening: `${text.hasMark ? '\ufeff' : ''}${plan.opening}`,
    ...(headerText !== undefined && { headerText }),
    figures: () => account.figures,
    otherColumns: () => account.otherColumns(columns),
    passedOver: () => parser.passedOver(),
    account: () => {
      const used = emailColumns.map((column) => JSON.stringify(columns[column])).join(' and ');
      const place = `${emailColumns.length > 1 ? 'the columns' : 'the column'} ${used}`;
      return account.sentence(place, columns, parser.passedOver());
    },
    notes: () => [...source.notes(), ...(junk === 0 ? [] : [junkNote(junk)]), ...account.notes(columns)],
  };
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
    const at = text.indexOf('@');
    if (more.length > 0) {
      if (at !== -1) lookAround(record);
      return partsOf(record, emailColumns, number, account);
    }
    const cell = cells[first] ?? '';
    const email = account.filled(addressIn(cell), number, cell);
    if (at !== -1 && (email === '' || text.indexOf('@', at + 1) !== -1)) lookAround(record);
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
  const emails = emailColumns.map((column) => {
    const cell = record.cells[column] ?? '';
    return account.filled(addressIn(cell), number, cell);
  });
  const [first = '', ...more] = emails.filter((email) => email !== '');
  account.count(first, number);
  for (const email of more) account.countMore(email, number);
  return emails.map((email, index) => ({ ...record, email, part: { index, of: emails.length } }));
}

/** A row of several columns stays one row. */
function oneColumnToSplit(): Failure {
  return new Failure('usage', '--split-cells works with one column at a time.', {
    hint: 'Name one with --column, or leave out --split-cells.',
  });
}

function junkNote(count: number): string {
  return count === 1
    ? 'Row 1 stands above the header; it was kept as it is.'
    : `Rows 1 to ${count} stand above the header; they were kept as they are.`;
}
