import type { RowScanner } from '../row-reader.js';
import { type BookEntry, createBookScanner } from './scan-book.js';

/** The properties that are read, perhaps in a group: `item1.EMAIL`. A line may be folded after the name. */
const readProperty = /^(?:[\w-]+\.)?(?:BEGIN|END|FN|N|EMAIL)(?:[;:]|$)/i;
/** A parameter in quotes may contain a colon (RFC 6350, section 3.3). */
const property = /^(?:[\w-]+\.)?(\w+)((?:;(?:(?:"[^"]*"|[^":])*|[^:]*))?):(.*)$/is;

/** Scans vCards of versions 2.1 to 4.0: a row for each EMAIL, with the FN, or else the N, of its card. */
export function createVcardScanner(): RowScanner {
  return createBookScanner({
    isRead: (line) => readProperty.test(line),
    hasSoftBreaks: (line) => /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i.test(line),
    read: readCard,
  });
}

function readCard(line: string, entry: BookEntry): void {
  const [, name = '', parameters = '', raw = ''] = property.exec(line) ?? [];
  const value = decodeValue(raw, parameters);
  switch (name.toUpperCase()) {
    case 'BEGIN':
      if (isCard(value)) entry.begin();
      break;
    case 'END':
      if (isCard(value)) entry.finish();
      break;
    case 'FN':
      entry.setName(oneLine(unescapeText(value)));
      break;
    case 'N':
      entry.setOtherName(fullName(value));
      break;
    case 'EMAIL':
      entry.addEmail(unescapeText(value));
  }
}

function isCard(value: string): boolean {
  return value.trim().toUpperCase() === 'VCARD';
}

/** RFC 6350, section 6.2.2: family name, given name, additional names, prefixes, suffixes. */
function fullName(value: string): string {
  const [family = '', given = '', additional = '', prefix = '', suffix = ''] = value
    .split(/(?<!\\);/)
    .map((part) => oneLine(unescapeText(part)));
  return [prefix, given, additional, family, suffix].filter((part) => part !== '').join(' ');
}

/** RFC 6350, section 3.4. */
function unescapeText(value: string): string {
  return value.replace(/\\(.)/gs, (_, char: string) => (/n/i.test(char) ? '\n' : char));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Decodes the quoted-printable and base64 of vCard 2.1 and 3.0; a charset that does not fit is taken for windows-1252. */
function decodeValue(value: string, parameters: string): string {
  const isBase64 = /;(?:ENCODING="?B(?:ASE64)?|BASE64)\b/i.test(parameters);
  if (!isBase64 && !/quoted-printable/i.test(parameters)) return value;
  const bytes = isBase64 ? Buffer.from(value, 'base64') : unquotePrintable(value);
  const [, charset = 'utf-8'] = /;CHARSET="?([\w-]+)/i.exec(parameters) ?? [];
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function unquotePrintable(value: string): Buffer {
  // Other characters are already decoded.
  const text = value.replace(/=([\da-f]{2})|[^\0-\x7f]+/gi, (match, code: string | undefined) =>
    code === undefined ? Buffer.from(match).toString('latin1') : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(text, 'latin1');
}
