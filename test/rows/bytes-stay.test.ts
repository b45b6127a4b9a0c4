import { test } from 'vitest';
import { openRows } from '../../src/rows/open-rows.js';
import { verdictColumns } from '../../src/rows/table/verdict-columns.js';
import { RecordWriter } from '../../src/rows/write/write-record.js';
import { seededRandom } from '../seeded-random.js';
import { amount } from '../size.js';
import { inPieces } from './pieces.js';

const lists = amount(600, 6_000);

function randomFrom(seed: number) {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  return { below, pick };
}

interface Generated {
  bytes: Buffer;
  /** UTF-16 is compared by code units. */
  wide: 'le' | 'be' | null;
  delimiter: string;
  width: number;
}

const alphabets = [
  ['a', 'Z', '7', ' ', "'"],
  ['é', 'ü', 'à', 'í', '€', '漢', '😀', '\u00a0'],
  ['\xe9', '\xa0', '\x80', '\xad', '\x85', '\xff', '\xc3'],
];

/** A list: header, then rows with quotes, line ends of all kinds, NULs, ragged rows and long cells. */
function generate(seed: number): Generated {
  const { below, pick } = randomFrom(seed);
  const wide = pick([null, null, null, 'le', 'be'] as const);
  const isLegacy = wide === null && below(2) === 0;
  const delimiter = pick([',', ';', '\t']);
  const lineEnd = pick(['\n', '\r\n', '\r']);
  const letters = [...(alphabets[0] ?? []), ...(alphabets[isLegacy ? 2 : 1] ?? [])];
  const width = 2 + below(3);
  const text = (): string => Array.from({ length: 1 + below(8) }, () => pick(letters)).join('');
  const cell = (): string => {
    const kind = below(12);
    if (kind === 0) return `"${text()}${delimiter}${text()}"`;
    if (kind === 1) return `"${text()}""${text()}"`;
    if (kind === 2) return `"${text()}${pick(['\n', '\r\n'])}${text()}"`;
    if (kind === 3) return `${text()}"`;
    if (kind === 4) return '';
    if (kind === 5) return `x${text()}\0`;
    if (kind === 6) return `"${text()}"`;
    if (kind === 7 && below(150) === 0) return 'x'.repeat(1_000_000);
    return pick(['=1+1', '@sum', '-2', `x${text()}`, text().trim()]);
  };
  const lines = [['email', ...Array.from({ length: width - 1 }, (_, index) => `col${index}`)].join(delimiter)];
  for (let row = below(6) + 1; row > 0; row--) {
    const cells = Array.from({ length: width - 1 }, cell);
    const address = `u${row}@x.org`;
    const record = [below(4) === 0 ? `"${address}"` : address, ...cells];
    if (below(10) === 0) record.push(cell());
    if (below(10) === 0) record.pop();
    lines.push(record.join(delimiter));
    if (below(12) === 0) lines.push('');
  }
  const isEnded = below(4) > 0;
  const mark = wide !== null || (!isLegacy && below(3) === 0) ? '\ufeff' : '';
  // The delimiter of so few rows cannot be detected.
  const list = `${mark}sep=${delimiter}${lineEnd}${lines.join(lineEnd)}${isEnded ? lineEnd : ''}`;
  const bytes = wide === null ? Buffer.from(list, isLegacy ? 'latin1' : 'utf8') : Buffer.from(list, 'utf16le');
  return { bytes: wide === 'be' ? bytes.swap16() : bytes, wide, delimiter, width };
}

/** The code units of a list: bytes, or those of UTF-16. */
function unitsOf(bytes: Buffer, wide: Generated['wide']): number[] {
  if (wide === null) return [...bytes];
  const units: number[] = [];
  for (let at = 0; at + 1 < bytes.length; at += 2)
    units.push(wide === 'le' ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  return units;
}

/**
 * Reads input and output side by side, unit by unit, by the rules of CSV. Throws unless the output is the input with five cells
 * of ours after the columns of each record, and with the delimiters that a short one needs.
 */
function requireSameBytes(input: number[], output: number[], delimiter: number, width: number): void {
  let at = 0;
  let out = 0;
  const fail = (what: string): never => {
    throw new Error(`${what} at ${at} of the input and ${out} of the output`);
  };
  const copy = (): void => {
    if (input[at] !== output[out]) fail(`${input[at]} became ${output[out]}`);
    at++;
    out++;
  };
  const skipOurs = (missing: number): void => {
    for (let left = missing; left > 0; left--) if (output[out++] !== delimiter) fail('a delimiter is missing');
    for (let cells = 0; cells < verdictColumns.length; cells++) {
      if (output[out++] !== delimiter) fail('a delimiter of ours is missing');
      while (out < output.length && ![delimiter, 10, 13].includes(output[out] ?? 0)) out++;
    }
  };
  const isLineEnd = (): boolean => input[at] === 10 || input[at] === 13;
  const copyCell = (): void => {
    if (input[at] === 34) {
      copy();
      while (at < input.length && (input[at] !== 34 || input[at + 1] === 34)) {
        if (input[at] === 34) copy();
        copy();
      }
      copy();
    }
    while (at < input.length && !isLineEnd() && input[at] !== delimiter) copy();
  };
  if (input[0] === 0xfeff || input[0] === 0xef) for (let left = input[0] === 0xef ? 3 : 1; left > 0; left--) copy();
  // The `sep=` line.
  while (!isLineEnd()) copy();
  while (at < input.length) {
    while (isLineEnd()) copy();
    if (at === input.length) break;
    let cells = 0;
    for (;;) {
      copyCell();
      if (++cells === width) skipOurs(0);
      if (input[at] !== delimiter) break;
      copy();
    }
    if (cells < width) skipOurs(width - cells);
  }
  if (out !== output.length) fail('the output is longer');
}

test(`${lists} lists come back byte for byte, but for our columns`, async () => {
  for (let seed = 1; seed <= lists; seed++) {
    const { bytes, wide, delimiter, width } = generate(seed);
    const stream = inPieces(bytes, seed % 3 === 0 ? 7 + (seed % 90) : 65_536);
    const source = await openRows({ stream, name: 'list.csv' }, { format: 'csv', column: 'email', header: 2 });
    const writer = new RecordWriter(source, verdictColumns);
    let held = writer.head();
    for await (const rows of source.chunks)
      for (const row of rows) held += writer.record(row, () => ['valid', '', '0.95', 'true', '']);
    held += writer.tail();
    const output = Buffer.from(source.charset?.toBytes(held) ?? []);
    if (source.delimiter !== delimiter) throw new Error(`list ${seed}: the delimiter is not found`);
    try {
      requireSameBytes(unitsOf(bytes, wide), unitsOf(output, wide), delimiter.charCodeAt(0), width);
    } catch (error) {
      throw new Error(`list ${seed}: ${JSON.stringify(held.slice(0, 300))}`, { cause: error });
    }
  }
});
