import { amount } from '../../model/amount.js';
import type { ListStats } from '../rows.js';
import { isFramed, isOrdinary, isPlaceholder, severalAddresses, unwrapped } from './find-addresses.js';

/** A column that holds addresses, too, and in how many rows. */
interface OtherColumn {
  name: string;
  rows: number;
}

/** Keeps account of every row of a list, for what is said at its end. */
interface ListAccount {
  figures: ListStats;
  /** The address that was found in a cell; nothing where that is only a placeholder. */
  filled(email: string, number: number, cell: string): string;
  /** A row with its address; `number` counts from 1, the header included. */
  count(email: string, number: number): void;
  /** A further address of the same row. */
  countMore(email: string, number: number): void;
  /** A line of a list without columns. */
  countLine(email: string, number: number): void;
  /** A row that ended up with other than `width` cells. */
  uneven(number: number): void;
  /** An address in a column that is not vetted. */
  other(column: number): void;
  /** Columns that hold addresses and are not vetted, in their order. */
  otherColumns(columns: readonly string[]): OtherColumn[];
  /** What was read, where the addresses stood, also those that are not vetted, and how many lines were no rows. */
  sentence(place: string, columns: readonly string[], passedOver?: number): string;
  /** Rows with too many or too few cells, and cells that hold more than an address. */
  notes(columns: readonly string[]): string[];
}

/** An account of no row yet; `splitFlag` is what vets each of several addresses of a cell. */
export function openAccount(splitFlag = '--split-cells'): ListAccount {
  const figures: ListStats = { rows: 0, addresses: 0, empty: 0, several: 0 };
  const others = new Map<number, number>();
  let firstSeveral = 0;
  let placeholders = 0;
  let firstPlaceholder = 0;
  let framed = 0;
  let framedLines = 0;
  let firstFramed = 0;
  let wrapped = 0;
  let firstWrapped = 0;
  let uneven = 0;
  let firstUneven = 0;
  const countMore = (email: string, number: number): void => {
    figures.addresses++;
    if (isOrdinary(email)) return;
    if (severalAddresses(email) !== null) {
      if (figures.several++ === 0) firstSeveral = number;
    } else if (isFramed(email) && framed++ === 0) firstFramed = number;
  };
  return {
    figures,
    filled: (email, number, cell) => {
      if (cell.length > email.length && unwrapped(cell.trim()) !== null && wrapped++ === 0) firstWrapped = number;
      if (!isPlaceholder(email)) return email;
      if (placeholders++ === 0) firstPlaceholder = number;
      return '';
    },
    count: (email, number) => {
      figures.rows++;
      if (email === '') figures.empty++;
      else countMore(email, number);
    },
    countMore,
    countLine: (email, number) => {
      figures.rows++;
      figures.addresses++;
      if (!isOrdinary(email) && isFramed(email) && framedLines++ === 0) firstFramed = number;
    },
    uneven: (number) => {
      if (uneven++ === 0) firstUneven = number;
    },
    other: (column) => void others.set(column, (others.get(column) ?? 0) + 1),
    otherColumns: (columns) => othersIn(others, columns),
    sentence: (place, columns, passedOver = 0) => {
      const read = `Read ${amount(figures.rows, 'row')}: ${amount(figures.addresses, 'address', 'addresses')} in ${place}`;
      const empty = figures.empty === 0 ? '' : `, ${amount(figures.empty, 'row')} without an address`;
      const passed = passedOver === 0 ? '' : `, ${amount(passedOver, 'line')} passed over (empty, or a comment)`;
      return `${read}${empty}${passed}.${othersNote(othersIn(others, columns))}`;
    },
    notes: (columns) => {
      const said: string[] = [];
      if (uneven > 0) said.push(unevenNote(uneven, firstUneven, columns.length));
      if (placeholders > 0) {
        said.push(`${cellsOf(placeholders, firstPlaceholder)} a placeholder such as "n/a", which counts as empty.`);
      }
      if (figures.several > 0) {
        said.push(
          `${cellsOf(figures.several, firstSeveral)} several addresses, judged as one; ${splitFlag} vets each.`,
        );
      }
      if (framed > 0) {
        said.push(
          `${cellsOf(framed, firstFramed)} an address and other text, judged as it stands; --fix can correct that.`,
        );
      }
      if (wrapped > 0) {
        said.push(
          `${cellsOf(wrapped, firstWrapped)} more than the address, which was vetted alone; --fix also writes it alone.`,
        );
      }
      if (framedLines > 0) said.push(framedNote(framedLines, firstFramed));
      return said;
    },
  };
}

function framedNote(count: number, first: number): string {
  const lines = count === 1 ? `Row ${first} holds` : `${amount(count, 'row')} (the first is row ${first}) hold`;
  return `${lines} an address and other text, judged as ${count === 1 ? 'it stands' : 'they stand'}; --input text takes the addresses out.`;
}

function unevenNote(count: number, first: number, width: number): string {
  const rows = count === 1 ? `Row ${first} has` : `${amount(count, 'row')} (the first is row ${first}) have`;
  return `${rows} more or fewer cells than the ${amount(width, 'column')}; ${count === 1 ? 'it was' : 'they were'} kept.`;
}

function cellsOf(count: number, first: number): string {
  return count === 1 ? `The cell of row ${first} holds` : `${amount(count, 'cell')} (the first in row ${first}) hold`;
}

function othersIn(others: ReadonlyMap<number, number>, columns: readonly string[]): OtherColumn[] {
  return [...others]
    .sort(([one], [other]) => one - other)
    .map(([column, rows]) => ({ name: nameIn(columns, column), rows }));
}

/** A name that `--column` would take for another column gives way to the number. */
function nameIn(columns: readonly string[], column: number): string {
  const name = columns[column] ?? `column_${column + 1}`;
  return columns.indexOf(name) === column || column >= columns.length ? name : `${column + 1}`;
}

function othersNote(others: readonly OtherColumn[]): string {
  if (others.length === 0) return '';
  const named = others.slice(0, 10).map(({ name, rows }) => `${JSON.stringify(name)} (${amount(rows, 'row')})`);
  return ` Other columns hold addresses that were not vetted: ${named.join(', ')}. Name all with --column A,B.`;
}
