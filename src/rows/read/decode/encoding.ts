import { Failure } from '../../../model/failure.js';

/** Names that other programs use for encodings of TextDecoder. */
const aliases: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  ms932: 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  uhc: 'euc-kr',
  cp950: 'big5',
  cp65001: 'utf-8',
  cp866: 'ibm866',
  'mac-roman': 'macintosh',
  'latin-1': 'latin1',
  'utf-8-sig': 'utf-8',
};

/** The encoding that a user names. An unknown one is a Failure. */
export function parseEncoding(name: string): string {
  const label = name.trim().toLowerCase();
  const encoding = aliases[label] ?? label;
  try {
    return new TextDecoder(encoding).encoding;
  } catch (cause) {
    throw new Failure('usage', `"${name}" is not a supported encoding.`, {
      hint: 'Supported: utf-8, utf-16le, utf-16be, windows-1250 to windows-1258, iso-8859-1 to -16, shift_jis, euc-jp, gb18030, big5, euc-kr, koi8-r and more.',
      cause,
    });
  }
}

const unpackHint = (tool: string) => `Unpack it first, for example: ${tool} FILE | mailvet bulk -`;
const exportHint = 'Open it in a spreadsheet program and save it as xlsx or CSV (UTF-8).';

/** Files that are often given by mistake, by their first bytes. */
const binaryFormats: readonly { magic: string; what: string; hint: string }[] = [
  { magic: 'PK\x03\x04', what: 'a ZIP archive', hint: 'Unpack it, and give the list that is in it.' },
  { magic: '\xd0\xcf\x11\xe0', what: 'an old Excel workbook', hint: exportHint },
  { magic: '\x28\xb5\x2f\xfd', what: 'compressed with zstd', hint: unpackHint('zstdcat') },
  { magic: '\xfd7zXZ', what: 'compressed with xz', hint: unpackHint('xzcat') },
  { magic: 'BZh', what: 'compressed with bzip2', hint: unpackHint('bzcat') },
  { magic: '\x1f\x8b', what: 'compressed with gzip twice', hint: unpackHint('zcat') },
  ...['\xff\xd8\xff', '\x89PNG', 'GIF8', 'RIFF', 'II*\0', 'MM\0*'].map((magic) => ({
    magic,
    what: 'a picture or a recording',
    hint: 'Give a list as lines, CSV, Excel (xlsx), JSON or NDJSON.',
  })),
  { magic: '%PDF-', what: 'a PDF document', hint: 'Save the list as CSV or as plain text.' },
  { magic: 'SQLite format 3', what: 'an SQLite database', hint: 'Export the table as CSV.' },
  { magic: '\xff\xfe\0\0', what: 'in UTF-32', hint: 'Save it as UTF-8.' },
];

/**
 * The encoding that the first bytes show: UTF-16, otherwise what the user declared, null for any 8-bit encoding. An input
 * that is not text is a Failure.
 */
export function detectEncoding(sample: Buffer, name: string, declared: string | null): string | null {
  const start = sample.subarray(0, 16).toString('latin1');
  const binaryFormat = binaryFormats.find(
    ({ magic }) => start.startsWith(magic) && (magic !== 'BZh' || /^BZh[1-9]1AY/.test(start)),
  );
  const isOpenDocument = sample.subarray(30, 80).includes('mimetypeapplication/vnd.oasis.opendocument');
  if (isOpenDocument) throw notTextFailure(name, 'an OpenDocument file', 'Open it and save it as xlsx or CSV (UTF-8).');
  if (binaryFormat !== undefined) throw notTextFailure(name, binaryFormat.what, binaryFormat.hint);
  const mark = start.startsWith('\xff\xfe') ? 'utf-16le' : start.startsWith('\xfe\xff') ? 'utf-16be' : null;
  // A byte order mark states the byte order, which the name UTF-16 does not.
  if (declared !== null) return mark !== null && declared.startsWith('utf-16') ? mark : declared;
  if (mark !== null || start.startsWith('\xef\xbb\xbf')) return mark;
  const utf16 = sample.includes(0) ? detectUtf16(sample) : null;
  if (utf16 === null && isBinary(sample))
    throw notTextFailure(name, 'a binary file', 'Give a list as lines, CSV, Excel (xlsx), JSON or NDJSON.');
  return utf16;
}

/** In UTF-16 every ASCII character has a NUL on the same side, and hardly any character has one on the other. */
function detectUtf16(sample: Buffer): string | null {
  const nuls = [0, 0];
  for (let index = sample.indexOf(0); index !== -1; index = sample.indexOf(0, index + 1))
    nuls[index % 2] = (nuls[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  const text = sample.toString('latin1');
  // The @ of an address has a NUL on one side.
  const isPlain = (text.match(/[\w.+-]@\w/g)?.length ?? 0) > (text.match(/\0@|@\0/g)?.length ?? 0);
  if (isPlain || Math.max(even, odd) < sample.length / 16) return null;
  if (even * 20 <= odd) return 'utf-16le';
  return odd * 20 <= even ? 'utf-16be' : null;
}

/** A few NULs are padding of fixed-width fields, or end lines (`find -print0`); with other control characters they are not text. */
function isBinary(sample: Buffer): boolean {
  const text = sample.toString('latin1');
  const countOf = (bytes: RegExp): number => text.match(bytes)?.length ?? 0;
  const nuls = countOf(/\0/g);
  const controls = countOf(/[\x01-\x08\x0e-\x19\x1c-\x1f]/g);
  return controls > sample.length / (nuls === 0 ? 10 : 20) || nuls > sample.length / 3;
}

function notTextFailure(name: string, what: string, hint: string): Failure {
  const sentence = `${name} cannot be read as text: it is ${what}.`;
  return new Failure('bad_input', sentence.charAt(0).toUpperCase() + sentence.slice(1), { hint });
}
