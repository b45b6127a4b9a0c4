import { Failure } from '../../../model/failure.js';
import type { Encoding } from './encoding.js';

const unpackHint = (tool: string) => `Unpack it first, for example: ${tool} FILE | mailvet bulk -`;
const exportHint = 'Open it in a spreadsheet program and save it as CSV (UTF-8).';

/** Files that are often given by mistake, by how they begin. */
const foreign: readonly { magic: string; what: string; hint: string }[] = [
  { magic: 'PK\x03\x04', what: 'a ZIP archive or an Excel workbook', hint: exportHint },
  { magic: '\xd0\xcf\x11\xe0', what: 'an old Excel workbook', hint: exportHint },
  { magic: '\x28\xb5\x2f\xfd', what: 'compressed with zstd', hint: unpackHint('zstdcat') },
  { magic: '\xfd7zXZ', what: 'compressed with xz', hint: unpackHint('xzcat') },
  { magic: 'BZh', what: 'compressed with bzip2', hint: unpackHint('bzcat') },
  { magic: '\x1f\x8b', what: 'compressed with gzip twice', hint: unpackHint('zcat') },
  { magic: '%PDF-', what: 'a PDF document', hint: 'Save the list as CSV or as plain text.' },
  { magic: 'SQLite format 3', what: 'an SQLite database', hint: 'Export the table as CSV.' },
  { magic: '\xff\xfe\0\0', what: 'in UTF-32', hint: 'Save it as UTF-8.' },
];

/** How an input begins: its encoding, and whether a byte order mark says so. */
interface Opening {
  encoding: Encoding;
  hasMark: boolean;
}

const marks: readonly { bytes: string; encoding: Encoding }[] = [
  { bytes: '\xef\xbb\xbf', encoding: 'mixed' },
  { bytes: '\xff\xfe', encoding: 'utf-16le' },
  { bytes: '\xfe\xff', encoding: 'utf-16be' },
];

/** The encoding of an input: what the user says, else judged by its first bytes. An input that is no text at all is a Failure. */
export function sniffEncoding(sample: Buffer, name: string, said?: Encoding): Opening {
  const start = sample.subarray(0, 16).toString('latin1');
  const known = foreign.find(({ magic }) => start.startsWith(magic) && (magic !== 'BZh' || /^BZh[1-9]1AY/.test(start)));
  if (known !== undefined) throw notText(name, known.what, known.hint);
  const mark = marks.find(({ bytes }) => start.startsWith(bytes));
  if (said !== undefined) {
    // A mark knows the order of bytes better than a name that says only UTF-16.
    const isWide = said.startsWith('utf-16') && mark?.encoding.startsWith('utf-16') === true;
    return { encoding: isWide && mark !== undefined ? mark.encoding : said, hasMark: mark !== undefined };
  }
  if (mark !== undefined) return { encoding: mark.encoding, hasMark: true };
  const wide = sample.includes(0) ? sniffWide(sample) : null;
  if (wide !== null) return { encoding: wide, hasMark: false };
  if (isBinary(sample)) throw notText(name, 'a binary file', 'Give a list as lines, CSV, JSON or NDJSON.');
  return { encoding: 'mixed', hasMark: false };
}

/** In UTF-16 every comma, dot, at sign and line end has a NUL on one side, always on the same one, and not just a few do. */
function sniffWide(sample: Buffer): Encoding | null {
  const nuls = { even: 0, odd: 0 };
  for (let at = sample.indexOf(0); at !== -1; at = sample.indexOf(0, at + 1)) nuls[at % 2 === 0 ? 'even' : 'odd']++;
  const units = sample.length / 2;
  const firstEnd = sample.findIndex((byte) => byte === 10 || byte === 13);
  const at = firstEnd === -1 ? null : firstEnd % 2;
  if (nuls.odd >= units / 8 && nuls.even === 0 && at !== 1 && sample[firstEnd + 1] === 0) return 'utf-16le';
  if (nuls.even >= units / 8 && nuls.odd === 0 && at !== 0 && sample[firstEnd - 1] === 0) return 'utf-16be';
  // Without a line end there is nothing to hold on to but the share.
  if (at === null && nuls.odd >= units / 2 && nuls.even === 0) return 'utf-16le';
  return at === null && nuls.even >= units / 2 && nuls.odd === 0 ? 'utf-16be' : null;
}

/** A few NULs are what fields of fixed width leave behind. */
function isBinary(sample: Buffer): boolean {
  // A list has ten thousands of bytes, and a loop over them is slow until V8 has seen many.
  const text = sample.toString('latin1');
  const countOf = (bytes: RegExp): number => text.match(bytes)?.length ?? 0;
  const controls = countOf(/[\x01-\x08\x0e-\x19\x1c-\x1f]/g);
  return controls > sample.length / 10 || countOf(/\0/g) > sample.length / 3;
}

function notText(name: string, what: string, hint: string): Failure {
  const sentence = `${name} is not a list of addresses: it is ${what}.`;
  return new Failure('bad_input', sentence.charAt(0).toUpperCase() + sentence.slice(1), { hint });
}
