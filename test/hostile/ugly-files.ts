import { seededRandom } from '../seeded-random.js';

/** A generated CSV file, and its parts. */
export interface UglyFile {
  seed: number;
  delimiter: string;
  text: string;
  /** Its addresses, in order. */
  addresses: string[];
}

const delimiters = [',', ';', '\t', '|'];
const lineEnds = ['\n', '\r\n', '\r'];
/** Cells that have broken readers and writers. `D` stands for the delimiter, `E` for a line end. */
const uglyCells = [
  ...['', ' ', '  x ', '0', '007', '1e5', '-1', '+1 (555) 123-4567', '- Tom & Jerry', "- don't call", '@ada', '=1+1'],
  ...['=HYPERLINK("http://x")', '+cmd|calc', '@SUM(A1)', "'=1", "'ada", 'NULL', 'n/a', 'true', '2024-01-02', '1/2'],
  ...['5" pipe', 'a "quoted" word', '""', '"', '"""', 'x""', 'aDb', 'aEb', '"aDEb"', 'E', 'D', 'DD', 'trailing D'],
  ...['Müller', '山田太郎', 'Иван', '😀', 'e\u0301', '\u200bx', '\u00a0', 'a\\b', 'a\\"b', '\\', '%', '#', '# note'],
  ...['sep=;', '<b>', '&amp;', '{"a":1}', '[1]', '$1', '`', '~', 'very '.repeat(60), 'tab\there', 'ＦＵＬＬ', '＝1'],
];

/** A file that is determined by its number. */
export function makeUglyFile(seed: number): UglyFile {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const delimiter = pick(delimiters);
  const mixesEnds = random() < 0.15;
  const end = pick(lineEnds);
  const quotesAll = random() < 0.2;
  const lineEnd = (): string => (mixesEnds ? pick(lineEnds) : end);
  const encode = (cell: string): string => {
    const needsQuotes = cell.includes(delimiter) || /[\r\n]/.test(cell) || cell.startsWith('"');
    return needsQuotes || quotesAll || random() < 0.1 ? `"${cell.replaceAll('"', '""')}"` : cell;
  };
  const width = 2 + below(5);
  const emailColumn = below(width);
  const rowCount = 2 + below(12);
  const addresses: string[] = [];
  const cell = (): string => pick(uglyCells).replaceAll('D', delimiter).replaceAll('E', lineEnd());
  const rows = Array.from({ length: rowCount }, (_, row) => {
    const cells = Array.from({ length: width }, (_, column) => {
      if (column !== emailColumn) return cell();
      if (random() < 0.1) return '';
      addresses.push(`person${row}.${seed}@site.example`);
      return addresses.at(-1) ?? '';
    });
    if (random() < 0.05) cells.push('extra');
    if (random() < 0.05 && emailColumn < width - 1) cells.pop();
    return cells;
  });
  const header = Array.from({ length: width }, (_, column) => (column === emailColumn ? 'email' : `c${column}`));
  const blank = (): string => (random() < 0.05 ? lineEnd() : '');
  const body = [header, ...rows].map((cells) => `${cells.map(encode).join(delimiter)}${lineEnd()}${blank()}`).join('');
  const isUnended = random() < 0.2;
  const text = `${random() < 0.1 ? '\ufeff' : ''}${isUnended ? body.replace(/[\r\n]+$/, '') : body}`;
  return { seed, delimiter, text, addresses };
}
