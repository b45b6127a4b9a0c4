import { Failure } from '../../model/failure.js';
import type { Encoding } from './decode-text.js';

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

/** The encoding of an input, judged by its first bytes. An input that is no text at all is a Failure. */
export function sniffEncoding(sample: Buffer, name: string): Encoding {
  const start = sample.subarray(0, 16).toString('latin1');
  const known = foreign.find(({ magic }) => start.startsWith(magic) && (magic !== 'BZh' || /^BZh[1-9]1AY/.test(start)));
  if (known !== undefined) throw notText(name, known.what, known.hint);
  if (start.startsWith('\xef\xbb\xbf')) return 'utf-8';
  if (start.startsWith('\xff\xfe')) return 'utf-16le';
  if (start.startsWith('\xfe\xff')) return 'utf-16be';
  if (sample.includes(0)) return sniffWide(sample, name);
  if (controlShare(sample) > 0.1) throw notText(name, 'a binary file', 'Give a list as lines, CSV, JSON or NDJSON.');
  // Plain ASCII, or UTF-8; the decoder itself goes over to windows-1252 at the first byte that proves it.
  return 'utf-8';
}

/** In UTF-16 every comma, dot, at sign and line end has a NUL on one side, and always on the same one. */
function sniffWide(sample: Buffer, name: string): Encoding {
  const nuls = [0, 0];
  for (let at = 0; at < sample.length; at++) if (sample[at] === 0) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  const many = sample.length / 20;
  if (odd >= many && even === 0) return 'utf-16le';
  if (even >= many && odd === 0) return 'utf-16be';
  throw notText(name, 'a binary file', 'Give a list as lines, CSV, JSON or NDJSON.');
}

function controlShare(sample: Buffer): number {
  let controls = 0;
  for (const byte of sample) if (byte < 32 && (byte < 9 || byte > 13) && byte !== 27) controls++;
  return controls / Math.max(1, sample.length);
}

function notText(name: string, what: string, hint: string): Failure {
  const sentence = `${name} is no list of addresses: it is ${what}.`;
  return new Failure('bad_input', sentence.charAt(0).toUpperCase() + sentence.slice(1), { hint });
}
