import type { Charset } from '../../../model/charset.js';
import { splitAddresses } from '../../../model/several-addresses.js';
import { maxRatedColumns, nameRank } from '../email-column.js';
import { containsAddress, isBareAddress } from '../find-addresses.js';
import { delimiters, firstLine } from './csv-hints.js';
import { sampleRecords } from './csv-rows.js';

const maxRatedRecords = 500;

/** True for lines of one or more addresses and nothing else. A table of addresses has as many in every row. */
export function isAddressLines(sample: string, charset: Charset): boolean {
  const best = rateDelimiters(sample, charset)[0];
  return best?.allAddresses === true && (best.widthShare < 1 || best.records === 1);
}

/** True for a sheet of a workbook that holds nothing but addresses, or one column that begins with one. */
export function isAddressSheet(sample: string, charset: Charset): boolean {
  const hasColumns = sample.replace(/"[^"]*(?:"|$)/g, '').includes(',');
  if (hasColumns) return rateDelimiter(sample, ',', charset).allAddresses;
  return containsAddress(charset.show(firstLine(sample.replace(/^(?:""\n)+/, ''))));
}

/** Fewer records without an address may be anything. */
const minRecords = 3;

/**
 * True if a header names an email column, a delimiter splits nearly all records evenly and isolates an address, or it splits all of
 * them evenly and there is no address at all.
 */
export function looksTabular(sample: string, charset: Charset): boolean {
  const [best] = rateDelimiters(sample, charset);
  if (best === undefined || best.allAddresses) return false;
  if (best.hasEmailHeader || (best.widthShare >= 0.8 && best.addressShare > 0)) return true;
  return best.widthShare === 1 && best.records >= minRecords && !sample.includes('@');
}

/** The delimiter that splits the sample best. */
export function detectDelimiter(sample: string, name: string, charset: Charset): string {
  if (/\.(?:tsv|tab)(?:\.gz)?"?$/i.test(name) && sample.includes('\t')) return '\t';
  return rateDelimiters(sample, charset)[0]?.delimiter ?? ',';
}

type Records = readonly (readonly string[])[];

/** How well a delimiter splits the sample. */
interface Rating {
  delimiter: string;
  /** The share of the records that have the most common width. */
  widthShare: number;
  width: number;
  /** The share of cells that are just an address, in the column that has most of them. */
  addressShare: number;
  hasEmailHeader: boolean;
  allAddresses: boolean;
  records: number;
}

/** The last rating: detecting the format and the layout, and downloads of the same list, share it. */
let lastRating: { sample: string; ratings: readonly Rating[] } = { sample: '', ratings: [] };

/** The delimiters that split the sample at all, the best first. */
function rateDelimiters(sample: string, charset: Charset): readonly Rating[] {
  if (lastRating.sample !== sample) {
    // The semicolon of an HTML entity is no delimiter.
    const text = sample.replace(/&(?:nbsp|lt|gt|quot|amp|#\w{2,6});/gi, '');
    const ratings = delimiters
      // Parsing the sample with a delimiter that does not occur takes longer than everything else before the first row.
      .filter((delimiter) => text.includes(delimiter))
      .map((delimiter) => rateDelimiter(sample, delimiter, charset))
      .filter(({ width }) => width > 1)
      .sort((a, b) => score(b) - score(a) || b.width - a.width);
    lastRating = { sample, ratings };
  }
  return lastRating.ratings;
}

function score({ widthShare, addressShare, hasEmailHeader }: Rating): number {
  return widthShare + addressShare + (hasEmailHeader ? 1 : 0);
}

function rateDelimiter(sample: string, delimiter: string, charset: Charset): Rating {
  const read = (text: string) =>
    sampleRecords(text, delimiter, { charset, most: maxRatedRecords }).map(({ cells }) => cells);
  const records = read(sample);
  const widths = new Map<number, number>();
  const addresses: number[] = [];
  for (const cells of records) {
    widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
    cells.slice(0, maxRatedColumns).forEach((cell, column) => {
      if (isBareAddress(cell)) addresses[column] = (addresses[column] ?? 0) + 1;
    });
  }
  const [width, count] = [...widths].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0];
  return {
    allAddresses: holdsOnlyAddresses(records) || holdsOnlyNamedAddresses(sample, read),
    records: records.length,
    delimiter,
    width,
    widthShare: count / Math.max(1, records.length),
    addressShare: Math.max(0, ...addresses.filter((count) => count > 0)) / Math.max(1, records.length),
    hasEmailHeader: isEmailHeader(records[0] ?? []),
  };
}

function isEmailHeader(cells: readonly string[]): boolean {
  const names = cells.slice(0, maxRatedColumns);
  return names.length > 1 && !names.some(containsAddress) && names.some((cell) => nameRank(cell) === 2);
}

/** Text that can only be meant as an address, perhaps mistyped, with or without a name. */
const possibleAddress = /^(?:[^\s@<>]*@[^\s<>]*|[^<>@]*<[^<>@]*@[^<>]*>)$/;
/** An address with a name that may have commas: `Doe, Jane <jane@x.org>`. */
const namedAddress = /^[^<>@\r\n]*<[^<>@]*@[^<>@]*>$/;

function holdsOnlyAddresses(records: Records): boolean {
  const cells = records.flat().filter((cell) => cell.trim() !== '');
  return cells.length > 0 && cells.every(isAddressCell);
}

function isAddressCell(cell: string): boolean {
  if (splitAddresses(cell) !== null || namedAddress.test(cell.trim())) return true;
  return cell.split(/[,;]/).every((piece) => possibleAddress.test(piece.trim()));
}

/** The same for recipients of a mail, in which a quoted name may follow a blank: `a@x.org, "Doe, Jane" <jane@x.org>`. */
function holdsOnlyNamedAddresses(sample: string, read: (text: string) => Records): boolean {
  const text = sample.replace(/"[^"<>@\r\n]+"(?= *<)/g, '');
  return text !== sample && holdsOnlyAddresses(read(text));
}
