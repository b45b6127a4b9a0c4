import { mostColumns, nameRank } from '../email-column.js';
import { holdsAddress, isBareAddress, severalAddresses } from '../find-addresses.js';
import { type CsvLayout, delimiters, sepLine, startsWithEmailHeading } from './csv-hints.js';
import { sampleRecords } from './csv-parser.js';

const maxSniffedRecords = 500;

/** Lines of one or more addresses each, with nothing else between them. A table of them has as many in every row. */
export function isAddressLines(sample: string): boolean {
  const best = candidates(sample)[0];
  return best?.allAddresses === true && (best.share < 1 || best.records === 1);
}

/** More than lines: a heading that says "email", or a delimiter that parts nearly every record and lays an address bare. */
export function looksTabular(sample: string): boolean {
  const [best] = candidates(sample);
  if (best?.allAddresses) return false;
  if (best !== undefined && (best.named || (best.share >= 0.8 && best.bareShare > 0))) return true;
  return startsWithEmailHeading(sample);
}

/** The layout of a CSV: its own `sep=` line, or the delimiter that parts the sample most evenly. */
export function sniffLayout(sample: string, name: string): CsvLayout {
  const sep = sepLine(sample);
  if (sep !== null) return sep;
  if (/\.(?:tsv|tab)(?:\.gz)?"?$/i.test(name) && sample.includes('\t')) return { delimiter: '\t', skip: 0 };
  return { delimiter: candidates(sample)[0]?.delimiter ?? ',', skip: 0 };
}

interface Candidate {
  delimiter: string;
  /** How many records have the most common width. */
  share: number;
  width: number;
  /** The largest share, over the columns, of cells that are an address and nothing else. */
  bareShare: number;
  /** Whether the first record names a column of addresses. */
  named: boolean;
  /** Whether every cell is an address. */
  allAddresses: boolean;
  records: number;
}

/** The sample looked at last: first for the format and then for the layout, and again by everybody who downloads the same list. */
let rated: { sample: string; found: readonly Candidate[] } = { sample: '', found: [] };

/** The delimiters that part the sample at all, the best first. */
function candidates(sample: string): readonly Candidate[] {
  if (rated.sample !== sample) {
    const found = delimiters
      // Parsing the sample with a delimiter that does not occur takes longer than everything else before the first row.
      .filter((delimiter) => sample.includes(delimiter))
      .map((delimiter) => rate(sample, delimiter))
      .filter((candidate) => candidate.width > 1)
      .sort((a, b) => score(b) - score(a) || b.width - a.width);
    rated = { sample, found };
  }
  return rated.found;
}

function score({ share, bareShare, named }: Candidate): number {
  return share + bareShare + (named ? 1 : 0);
}

function rate(sample: string, delimiter: string): Candidate {
  const records = sampleRecords(sample, delimiter, { most: maxSniffedRecords }).map(({ cells }) => cells);
  const widths = new Map<number, number>();
  const bare: number[] = [];
  for (const cells of records) {
    widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
    cells.slice(0, mostColumns).forEach((cell, column) => {
      if (isBareAddress(cell)) bare[column] = (bare[column] ?? 0) + 1;
    });
  }
  const [width, count] = [...widths].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0];
  const first = records[0]?.slice(0, mostColumns) ?? [];
  const cells = records.flat().filter((cell) => cell.trim() !== '');
  return {
    allAddresses: cells.length > 0 && cells.every(isAddresses),
    records: records.length,
    delimiter,
    width,
    share: count / Math.max(1, records.length),
    bareShare: Math.max(0, ...bare.filter((share) => share > 0)) / Math.max(1, records.length),
    named: first.length > 1 && !first.some(holdsAddress) && first.some((cell) => nameRank(cell) === 2),
  };
}

/** What can only be meant as an address, perhaps a mistyped one, with a name before it or quotes around it. */
const meantAsAddress = /^(?:[^\s<>]*@[^\s<>]*|[^<>@]*<[^<>]*@[^<>]*>)$/;

/** True for such an address, and for several. */
function isAddresses(cell: string): boolean {
  if (severalAddresses(cell) !== null) return true;
  return cell.split(/[,;]/).every((piece) => meantAsAddress.test(piece.trim()));
}
