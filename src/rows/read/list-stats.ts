import { formatAmount } from '../../model/amount.js';
import { distinctNames, namesAt } from '../../model/distinct-names.js';
import { splitAddresses } from '../../model/several-addresses.js';
import type { ListStats, OtherColumn } from '../rows.js';
import { isEmbeddedAddress, isPlaceholder, isPlainAddress } from './find-addresses.js';

/** What rows hold that a note counts, in the order of the notes. */
const notes = {
  uneven: 'more or fewer cells than there are columns.',
  placeholder: 'a placeholder such as "n/a", which counts as empty.',
  several: 'several addresses, which stay unknown; --input text finds each.',
  embedded: 'an address and other text, judged as it stands; --input text takes the addresses out.',
  wrapped: 'text or invisible characters around the address; only the address is vetted.',
};
type Finding = keyof typeof notes | 'undecoded' | 'longQuote';

/** How many rows something was found in, and the first and last of them. */
interface Occurrences {
  count: number;
  firstRow: number;
  lastRow: number;
}

/** Fewer addresses without an @ may be a try. */
const minAddresses = 3;

/** Counts the rows of a list for the summary and the notes at its end. Rows have the numbers that an editor shows. */
export class ListStatsCollector {
  readonly stats: ListStats = { rows: 0, addresses: 0, empty: 0, several: 0 };
  readonly #found = new Map<Finding, Occurrences>();
  readonly #others = new Map<number, number>();
  #hasAtSign = false;
  #hiddenLines = 0;

  /** The address of a cell; empty if it is only a placeholder. */
  addCell(email: string, row: number, cell: string): string {
    if (isPlaceholder(email)) {
      this.add('placeholder', row);
      return '';
    }
    const isWrapped = email !== '' && cell.length > email.length && cell.includes(email) && cell.trim() !== email;
    if (isWrapped) this.add('wrapped', row);
    return email;
  }

  /** Counts a row with one plain address. */
  addPlainRow(): void {
    this.stats.rows++;
    this.stats.addresses++;
    this.#hasAtSign = true;
  }

  addRow(email: string, row: number): void {
    this.stats.rows++;
    if (email === '') this.stats.empty++;
    else this.addAddress(email, row);
  }

  /** Counts another address of the same row. */
  addAddress(email: string, row: number): void {
    this.stats.addresses++;
    this.#hasAtSign ||= email.includes('@');
    if (isPlainAddress(email)) return;
    if (email.includes('\ufffd')) this.add('undecoded', row);
    if (splitAddresses(email) !== null) {
      this.stats.several++;
      this.add('several', row);
    } else if (isEmbeddedAddress(email)) this.add('embedded', row);
  }

  /** Counts a row with something that a note is about. */
  add(finding: Finding, row: number): void {
    const found = this.#found.get(finding);
    if (found === undefined) this.#found.set(finding, { count: 1, firstRow: row, lastRow: row });
    else if (found.lastRow !== row) {
      found.count++;
      found.lastRow = row;
    }
  }

  /** Counts a row whose quote hides lines that may be rows. */
  addLongQuote(row: number, lines: number): void {
    this.add('longQuote', row);
    this.#hiddenLines ||= lines;
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

  /** Sentences about rows with something other than one address. */
  notes(): string[] {
    return Object.entries(notes).flatMap(([finding, contents]) => {
      const found = this.#found.get(finding as Finding);
      return found === undefined ? [] : [`${subject(found, 'holds', 'hold')} ${contents}`];
    });
  }

  /** Sentences about addresses that are not decoded, about rows that may be lost in quotes, and about a list without addresses. */
  warnings(): string[] {
    const undecoded = this.#found.get('undecoded');
    const longQuote = this.#found.get('longQuote');
    const lines = formatAmount(this.#hiddenLines, 'line');
    const isList = this.#hasAtSign || this.stats.addresses < minAddresses;
    return [
      ...(undecoded === undefined
        ? []
        : [
            `${subject(undecoded, 'has', 'have')} an address in an unknown encoding, which is not vetted. Name it, for example --encoding windows-1252.`,
          ]),
      ...(longQuote === undefined
        ? []
        : [
            `${subject(longQuote, 'opens', 'open')} a quote (") that hides the next ${lines}, which may be rows. Check the quotes there.`,
          ]),
      ...(isList ? [] : ['No row of the list contains an @. Is it the right list?']),
    ];
  }
}

function subject({ count, firstRow }: Occurrences, singular: string, plural: string): string {
  return count === 1
    ? `Row ${firstRow} ${singular}`
    : `${formatAmount(count, 'row')} (the first is row ${firstRow}) ${plural}`;
}

function othersNote(others: readonly OtherColumn[], columns: readonly string[]): string {
  if (others.length === 0) return '';
  const named = others.slice(0, 10).map(({ name, rows }) => `${JSON.stringify(name)} (${formatAmount(rows, 'row')})`);
  // A cell beyond the header has no column.
  const names = distinctNames(columns);
  const canBeNamed = others.every(({ name }) => names.includes(name));
  return ` Other columns hold addresses that are not vetted: ${named.join(', ')}.${canBeNamed ? ' Name all with --column A,B.' : ''}`;
}
