import { formatAmount } from '../../model/amount.js';
import type { Charset } from '../../model/charset.js';
import { distinctNames, namesAt } from '../../model/distinct-names.js';
import { splitAddresses } from '../../model/several-addresses.js';
import type { ListStats, OtherColumn } from '../rows.js';
import {
  hasInvisibleEnds,
  isEmbeddedAddress,
  isMistypedAddress,
  isPlaceholder,
  isPlainAddress,
  unwrapAddress,
} from './find-addresses.js';

/** How often something occurred, and the row where it did first. */
class Occurrences {
  count = 0;
  firstRow = 0;

  add(row: number): void {
    if (this.count++ === 0) this.firstRow = row;
  }
}

/** Fewer lines without an @ may be a try. */
const minLines = 3;

/** Counts the rows of a list for the summary and the notes at its end. Rows have the numbers that an editor shows. */
export class ListStatsCollector {
  readonly stats: ListStats = { rows: 0, addresses: 0, empty: 0, several: 0 };
  readonly #others = new Map<number, number>();
  #hasAtSign = false;
  readonly #several = new Occurrences();
  readonly #placeholders = new Occurrences();
  readonly #placeholderLines = new Occurrences();
  readonly #repeatedHeaders = new Occurrences();
  readonly #mistyped = new Occurrences();
  readonly #mistypedLines = new Occurrences();
  readonly #embedded = new Occurrences();
  readonly #embeddedInLines = new Occurrences();
  readonly #embeddedInCells = new Occurrences();
  readonly #wrapped = new Occurrences();
  readonly #invisible = new Occurrences();
  readonly #uneven = new Occurrences();
  readonly #undecoded = new Occurrences();
  readonly #longQuotes = new Occurrences();
  #hiddenLines = 0;

  /** The address of a cell; empty if it is only a placeholder. */
  addCell(email: string, row: number, cell: string): string {
    if (cell.length > email.length) {
      if (unwrapAddress(cell.trim()) !== null) this.#wrapped.add(row);
      else if (email !== '' && hasInvisibleEnds(cell, email)) this.#invisible.add(row);
    }
    if (!isPlaceholder(email)) return email;
    this.#placeholders.add(row);
    return '';
  }

  /** Counts a row with one plain address. */
  addPlainRow(): void {
    this.stats.rows++;
    this.stats.addresses++;
  }

  addRow(email: string, row: number): void {
    this.stats.rows++;
    if (email === '') this.stats.empty++;
    else this.addAddress(email, row);
  }

  /** Counts a row that is the header once more. */
  addRepeatedHeader(row: number): void {
    this.addRow('', row);
    this.#repeatedHeaders.add(row);
  }

  /** Counts another address of the same row. */
  addAddress(email: string, row: number): void {
    this.stats.addresses++;
    if (isPlainAddress(email)) return;
    if (email.includes('\ufffd')) this.#undecoded.add(row);
    if (splitAddresses(email) !== null) {
      this.stats.several++;
      this.#several.add(row);
    } else if (isMistypedAddress(email)) this.#mistyped.add(row);
    else if (isEmbeddedAddress(email)) this.#embedded.add(row);
  }

  /** The address of a line of a list without columns; empty if it is only a placeholder. */
  addLine(email: string, row: number): string {
    this.stats.rows++;
    if (isPlaceholder(email)) {
      this.stats.empty++;
      this.#placeholderLines.add(row);
      return '';
    }
    this.stats.addresses++;
    this.#hasAtSign ||= email.includes('@');
    if (isPlainAddress(email)) return email;
    if (email.includes('\ufffd')) this.#undecoded.add(row);
    if (isMistypedAddress(email)) this.#mistypedLines.add(row);
    else if (isEmbeddedAddress(email)) {
      this.#embeddedInLines.add(row);
      if (/[,;|\t]/.test(email)) this.#embeddedInCells.add(row);
    }
    return email;
  }

  /** A warning about lines of which none can be an address. */
  lineWarnings(): string[] {
    const isList = this.#hasAtSign || this.stats.addresses < minLines;
    return isList ? [] : ['No line of the list contains an @. Is it the right list?'];
  }

  /** Counts a row with more or fewer cells than there are columns. */
  addUnevenRow(row: number): void {
    this.#uneven.add(row);
  }

  /** Counts a row whose quote hides lines that may be rows. */
  addLongQuote(row: number, lines: number): void {
    if (this.#longQuotes.count === 0) this.#hiddenLines = lines;
    this.#longQuotes.add(row);
  }

  /** Sentences about addresses that are not decoded, and about rows that may be lost in quotes. */
  warnings(): string[] {
    return [...undecodedWarnings(this.#undecoded), ...this.#quoteWarnings()];
  }

  #quoteWarnings(): string[] {
    const { count: rows, firstRow } = this.#longQuotes;
    if (rows === 0) return [];
    const others = rows === 1 ? '' : ` So do ${formatAmount(rows - 1, 'other row')}.`;
    return [
      `Row ${firstRow} opens a quote (") that hides the next ${formatAmount(this.#hiddenLines, 'line')}, which may be rows.${others} Check the quotes there.`,
    ];
  }

  /** Counts an address in a column that is not vetted. */
  addOtherColumn(column: number): void {
    this.#others.set(column, (this.#others.get(column) ?? 0) + 1);
  }

  otherColumns(columns: readonly string[]): OtherColumn[] {
    return [...this.#others]
      .sort(([one], [other]) => one - other)
      .map(([column, rows]) => ({ name: namesAt(columns, [column])[0] ?? '', rows }));
  }

  /** A sentence about what was read, in which place, and about columns that are not vetted. */
  summarize(place: string, columns: readonly string[], skippedLines = 0): string {
    const { rows, addresses, empty } = this.stats;
    const read = `Read ${formatAmount(rows, 'row')}: ${formatAmount(addresses, 'address', 'addresses')} in ${place}`;
    const without = empty === 0 ? '' : `, ${formatAmount(empty, 'row')} without an address`;
    const skipped = skippedLines === 0 ? '' : `, ${formatAmount(skippedLines, 'line')} skipped (empty, or a comment)`;
    return `${read}${without}${skipped}.${othersNote(this.otherColumns(columns), columns)}`;
  }

  /** Sentences about uneven rows, and about cells with something other than one address. */
  notes(columns: readonly string[]): string[] {
    return [
      unevenNote(this.#uneven, columns.length),
      headersNote(this.#repeatedHeaders),
      cellsNote(this.#placeholders, placeholderText),
      linesNote(this.#placeholderLines, placeholderText),
      cellsNote(this.#several, 'several addresses, which stay unknown; --input text finds each.'),
      cellsNote(this.#mistyped, mistypedText(this.#mistyped)),
      linesNote(this.#mistypedLines, mistypedText(this.#mistypedLines)),
      cellsNote(this.#embedded, 'an address and other text, judged as it stands.'),
      cellsNote(this.#wrapped, 'text around the address; only the address is vetted.'),
      cellsNote(this.#invisible, 'invisible characters around the address; only the address is vetted.'),
      linesNote(this.#embeddedInLines, embeddedText(this.#embeddedInLines, this.#embeddedInCells)),
    ].filter((note) => note !== null);
  }
}

/** The note about cells that were shown in an encoding that is only a guess; none for none. */
export function charsetNotes(charset: Charset): string[] {
  const guessed = charset.guessed();
  if (guessed === null) return [];
  return [
    `Some cells are not UTF-8, and were read as ${guessed}. If that is wrong, name the encoding with --encoding.`,
  ];
}

function cellsNote({ count, firstRow }: Occurrences, contents: string): string | null {
  if (count === 0) return null;
  const cells =
    count === 1
      ? `The cell of row ${firstRow} holds`
      : `${formatAmount(count, 'cell')} (the first in row ${firstRow}) hold`;
  return `${cells} ${contents}`;
}

function headersNote({ count, firstRow }: Occurrences): string | null {
  if (count === 0) return null;
  return count === 1
    ? `Row ${firstRow} repeats the header; it counts as empty.`
    : `${formatAmount(count, 'row')} (the first is row ${firstRow}) repeat the header; they count as empty.`;
}

const placeholderText = 'a placeholder such as "n/a", which counts as empty.';

function mistypedText({ count }: Occurrences): string {
  return `a comma or a blank in the domain, judged as ${count === 1 ? 'it stands' : 'they stand'}.`;
}

function undecodedWarnings({ count, firstRow }: Occurrences): string[] {
  if (count === 0) return [];
  const addresses =
    count === 1
      ? `The address in row ${firstRow} is`
      : `${formatAmount(count, 'address', 'addresses')} (the first in row ${firstRow}) are`;
  return [`${addresses} in an unknown encoding, and not vetted. Name it, for example --encoding windows-1252.`];
}

function embeddedText({ count }: Occurrences, { count: cells }: Occurrences): string {
  const stand = count === 1 ? 'it stands' : 'they stand';
  const table = cells === count ? ' If this is a table, --header N names the line of its header.' : '';
  return `an address and other text, judged as ${stand}; --input text takes the addresses out.${table}`;
}

function linesNote({ count, firstRow }: Occurrences, contents: string): string | null {
  if (count === 0) return null;
  const lines =
    count === 1 ? `Row ${firstRow} holds` : `${formatAmount(count, 'row')} (the first is row ${firstRow}) hold`;
  return `${lines} ${contents}`;
}

function unevenNote({ count, firstRow }: Occurrences, width: number): string | null {
  if (count === 0) return null;
  const rows =
    count === 1 ? `Row ${firstRow} has` : `${formatAmount(count, 'row')} (the first is row ${firstRow}) have`;
  return `${rows} more or fewer cells than the ${formatAmount(width, 'column')}; ${count === 1 ? 'it is' : 'they are'} kept.`;
}

function othersNote(others: readonly OtherColumn[], columns: readonly string[]): string {
  if (others.length === 0) return '';
  const named = others.slice(0, 10).map(({ name, rows }) => `${JSON.stringify(name)} (${formatAmount(rows, 'row')})`);
  // A cell beyond the header has no column.
  const names = distinctNames(columns);
  const canBeNamed = others.every(({ name }) => names.includes(name));
  return ` Other columns hold addresses that are not vetted: ${named.join(', ')}.${canBeNamed ? ' Name all with --column A,B.' : ''}`;
}
