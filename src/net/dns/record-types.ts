import { formatIp, parseIp } from '../ip-address.js';
import type { MxRecord } from './records.js';

/** A record type and its decoder, which returns null for malformed data. `question` is the name at the head of the message. */
export interface RecordType<R> {
  code: number;
  /** More records of one answer are ignored. */
  maxRecords: number;
  decode(bytes: Buffer, start: number, end: number, question: string): R | null;
}

/** The record types that we ask for. */
export const recordTypes = {
  A: { code: 1, maxRecords: 64, decode: readAddress(4) },
  AAAA: { code: 28, maxRecords: 64, decode: readAddress(16) },
  NS: { code: 2, maxRecords: 64, decode: readHostName },
  PTR: { code: 12, maxRecords: 64, decode: readHostName },
  MX: { code: 15, maxRecords: 64, decode: readMx },
  // Large companies publish more than a hundred.
  TXT: { code: 16, maxRecords: 512, decode: readText },
} satisfies Record<string, RecordType<string> | RecordType<MxRecord>>;

/** The question follows the header. */
const questionOffset = 12;
/** The length of 255 bytes if each is escaped. */
const maxTextLength = 4 * 255;
/** The most labels that fit in 255 bytes. */
const maxLabels = 128;

/** The offset after the name; throws a RangeError for a malformed one. */
export function skipName(bytes: Buffer, start: number): number {
  let offset = start;
  for (;;) {
    const length = bytes.readUInt8(offset);
    if (length === 0) return offset + 1;
    if (length >= 0xc0) return offset + 2;
    if (length > 63) throw new RangeError('a label of an unknown kind');
    offset += length + 1;
  }
}

/**
 * The name at an offset, lower case, without a trailing dot; throws a RangeError for a malformed one. Pointers may only go back, so
 * that they cannot loop (RFC 1035 §4.1.4).
 */
export function readName(bytes: Buffer, start: number, questionName: string): string {
  let name = '';
  let offset = start;
  let lowestOffset = start;
  let jumps = 0;
  for (;;) {
    const length = bytes.readUInt8(offset);
    if (length === 0) return name;
    if (length >= 0xc0) {
      // A valid name has no more jumps than labels.
      if (++jumps > maxLabels) throw new RangeError('a name jumps too often');
      const target = bytes.readUInt16BE(offset) & 0x3fff;
      if (target >= lowestOffset) throw new RangeError('a name points forward');
      if (target === questionOffset && questionName !== '')
        return name === '' ? questionName : `${name}.${questionName}`;
      lowestOffset = target;
      offset = target;
      continue;
    }
    const end = offset + 1 + length;
    if (length > 63 || end > bytes.length) throw new RangeError('a label is too long');
    const label = plainLabel(bytes.toString('latin1', offset + 1, end));
    name = name === '' ? label : `${name}.${label}`;
    if (name.length > maxTextLength) throw new RangeError('a name is too long');
    offset = end;
  }
}

/** Lower case; other bytes than those of host names are escaped (RFC 1035 §5.1), so that no dot or control character gets in. */
function plainLabel(label: string): string {
  if (/^[a-z0-9_-]*$/.test(label)) return label;
  return label.replace(/[^a-zA-Z0-9_-]/g, (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`).toLowerCase();
}

function readHostName(bytes: Buffer, start: number, _end: number, questionName: string): string {
  return readName(bytes, start, questionName);
}

function readMx(bytes: Buffer, start: number, end: number, questionName: string): MxRecord | null {
  if (end - start < 3) return null;
  return { preference: bytes.readUInt16BE(start), exchange: readName(bytes, start + 2, questionName) };
}

function readText(bytes: Buffer, start: number, end: number): string | null {
  let text = '';
  for (let offset = start; offset < end; ) {
    const next = offset + 1 + bytes.readUInt8(offset);
    if (next > end) return null;
    text += bytes.toString('utf8', offset + 1, next);
    offset = next;
  }
  return text;
}

function readAddress(size: 4 | 16): (bytes: Buffer, start: number, end: number) => string | null {
  return (bytes, start, end) => (end - start === size ? formatIp(bytes.subarray(start, end)) : null);
}

/** The name for the reverse lookup of an IP address (RFC 1035 §3.5, RFC 3596 §2.5); null if the text is not an address. */
export function reverseName(ip: string): string | null {
  const bytes = parseIp(ip);
  if (bytes === null) return null;
  if (bytes.length === 4) return `${[...bytes].reverse().join('.')}.in-addr.arpa`;
  const nibbles = [...bytes].reverse().flatMap((byte) => [byte & 0x0f, byte >> 4]);
  return `${nibbles.map((nibble) => nibble.toString(16)).join('.')}.ip6.arpa`;
}
