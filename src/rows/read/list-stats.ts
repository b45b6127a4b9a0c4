import { formatAmount } from '../../model/amount.js';
import { distinctNames, namesAt } from '../../model/distinct-names.js';
import { splitAddresses } from '../../model/several-addresses.js';
import type { Corrections, ListStats, OtherColumn, Row } from '../rows.js';
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
  /** How to vet each of several addresses of a cell; null if no flag can be added for that. */
  readonly #splitHint: string | null;
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
  readonly #textBesideAddresses = new Occurrences();
  readonly #uneven = new Occurrences();
  readonly #longQuotes = new Occurrences();
  readonly #isSampled: boolean;
  #untaken: Occurrences[] = [];
  #hiddenLines = 0;

  /** With `isSampled`, notes are only about the rows that a sample takes. */
  constructor(splitHint: string | null, { isSampled = false } = {}) {
    this.#splitHint = splitHint;
    this.#isSampled = isSampled;
  }

  #count(occurrences: Occurrences, row: number): void {
    if (this.#isSampled) this.#untaken.push(occurrences);
    else occurrences.add(row);
  }

  /** Leaves the counting of what was unusual since the last call to this row. */
  deferTo(first: Row | undefined, row: number): void {
    if (this.#untaken.length === 0 || first === undefined) return;
    const found = this.#untaken.splice(0);
    first.onTaken = () => {
      for (const occurrences of found) occurrences.add(row);
    };
  }

  /** The address of a cell; empty if it is only a placeholder. */
  addCell(email: string, row: number, cell: string): string {
    if (cell.length > email.length) {
      if (unwrapAddress(cell.trim()) !== null) this.#count(this.#wrapped, row);
      else if (email !== '' && hasInvisibleEnds(cell, email)) this.#count(this.#invisible, row);
    }
    if (!isPlaceholder(email)) return email;
    this.#count(this.#placeholders, row);
    return '';
  }

  addRow(email: string, row: number): void {
    this.stats.rows++;
    if (email === '') this.stats.empty++;
    else this.addAddress(email, row);
  }

  /** Counts a row that is split into the addresses of its cell. */
  addSplitCell(emails: readonly string[], row: number, cell: string): void {
    this.stats.rows++;
    this.stats.addresses += emails.length;
    if (cell.replace(/[\s,;|、，]+/g, '').length > emails.join('').length) this.#count(this.#textBesideAddresses, row);
  }

  /** Counts a row that is the header once more. */
  addRepeatedHeader(row: number): void {
    this.addRow('', row);
    this.#count(this.#repeatedHeaders, row);
  }

  /** Counts another address of the same row. */
  addAddress(email: string, row: number): void {
    this.stats.addresses++;
    if (isPlainAddress(email)) return;
    if (splitAddresses(email) !== null) {
      this.stats.several++;
      this.#count(this.#several, row);
    } else if (isMistypedAddress(email)) this.#count(this.#mistyped, row);
    else if (isEmbeddedAddress(email)) this.#count(this.#embedded, row);
  }

  /** The address of a line of a list without columns; empty if it is only a placeholder. */
  addLine(email: string, row: number): string {
    this.stats.rows++;
    if (isPlaceholder(email)) {
      this.stats.empty++;
      this.#count(this.#placeholderLines, row);
      return '';
    }
    this.stats.addresses++;
    this.#hasAtSign ||= email.includes('@');
    if (isPlainAddress(email)) return email;
    if (isMistypedAddress(email)) this.#count(this.#mistypedLines, row);
    else if (isEmbeddedAddress(email)) {
      this.#count(this.#embeddedInLines, row);
      if (/[,;|\t]/.test(email)) this.#count(this.#embeddedInCells, row);
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
    this.#count(this.#uneven, row);
  }

  /** Counts a row whose quote hides lines that may be rows. */
  addLongQuote(row: number, lines: number): void {
    if (this.#longQuotes.count === 0) this.#hiddenLines = lines;
    this.#longQuotes.add(row);
  }

  /** Sentences about rows that may be lost in quotes. */
  warnings(): string[] {
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

  /** A sentence about what was read, in which place, and about columns that are not vetted. `oneColumn`: a flag excludes several. */
  summarize(place: string, columns: readonly string[], { skippedLines = 0, oneColumn = false } = {}): string {
    const { rows, addresses, empty } = this.stats;
    const read = `Read ${formatAmount(rows, 'row')}: ${formatAmount(addresses, 'address', 'addresses')} in ${place}`;
    const without = empty === 0 ? '' : `, ${formatAmount(empty, 'row')} without an address`;
    const skipped = skippedLines === 0 ? '' : `, ${formatAmount(skippedLines, 'line')} skipped (empty, or a comment)`;
    return `${read}${without}${skipped}.${othersNote(this.otherColumns(columns), columns, oneColumn)}`;
  }

  /** Sentences about uneven rows, and about cells with something other than one address. */
  notes(columns: readonly string[], { fixes = false, canFix = true }: Corrections = {}): string[] {
    const splitHint = this.#splitHint === null ? '' : `; ${this.#splitHint} vets each`;
    const mayFix = canFix ? '; --fix may correct that' : '';
    const written = fixes ? ' and written' : canFix ? '. --fix also writes only the address' : '';
    return [
      unevenNote(this.#uneven, columns.length),
      headersNote(this.#repeatedHeaders),
      cellsNote(this.#placeholders, placeholderText),
      linesNote(this.#placeholderLines, placeholderText),
      cellsNote(this.#several, `several addresses, which stay unknown${splitHint}.`),
      // With --fix, a note about the results says what was not corrected.
      fixes ? null : cellsNote(this.#mistyped, mistypedText(this.#mistyped, mayFix)),
      fixes ? null : linesNote(this.#mistypedLines, mistypedText(this.#mistypedLines, mayFix)),
      fixes ? null : cellsNote(this.#embedded, `an address and other text, judged as it stands${mayFix}.`),
      cellsNote(this.#wrapped, `text around the address; only the address is vetted${written}.`),
      cellsNote(this.#textBesideAddresses, 'text besides the addresses; only the addresses are vetted and written.'),
      cellsNote(this.#invisible, `invisible characters around the address; only the address is vetted${written}.`),
      fixes ? null : linesNote(this.#embeddedInLines, embeddedText(this.#embeddedInLines, this.#embeddedInCells)),
    ].filter((note) => note !== null);
  }
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

function mistypedText({ count }: Occurrences, mayFix: string): string {
  return `a comma or a blank in the domain, judged as ${count === 1 ? 'it stands' : 'they stand'}${mayFix}.`;
}

function embeddedText({ count }: Occurrences, { count: cells }: Occurrences): string {
  const stand = count === 1 ? 'it stands' : 'they stand';
  const table = cells === count ? ' If this is a table, --skip-rows N reads it below its first N lines.' : '';
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

function othersNote(others: readonly OtherColumn[], columns: readonly string[], oneColumn: boolean): string {
  if (others.length === 0) return '';
  const named = others.slice(0, 10).map(({ name, rows }) => `${JSON.stringify(name)} (${formatAmount(rows, 'row')})`);
  // A cell beyond the header has no column.
  const names = distinctNames(columns);
  const canBeNamed = !oneColumn && others.every(({ name }) => names.includes(name));
  return ` Other columns hold addresses that are not vetted: ${named.join(', ')}.${canBeNamed ? ' Name all with --column A,B.' : ''}`;
}
