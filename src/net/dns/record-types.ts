import { formatIp, parseIp } from '../ip-range.js';
import type { MxRecord } from './records.js';

/** A type of record, and how its data is read: null where the data is broken. `question` is the name at the head of the message. */
export interface RecordType<R> {
  code: number;
  decode(bytes: Buffer, start: number, end: number, question: string): R | null;
}

/** The records we ask for. */
export const recordTypes = {
  A: { code: 1, decode: readAddress(4) },
  AAAA: { code: 28, decode: readAddress(16) },
  NS: { code: 2, decode: readHostName },
  PTR: { code: 12, decode: readHostName },
  MX: { code: 15, decode: readMx },
  TXT: { code: 16, decode: readText },
} satisfies Record<string, RecordType<string> | RecordType<MxRecord>>;

/** Right behind the header. */
const questionAt = 12;
/** 255 bytes, should each of them need an escape. */
const maxTextLength = 4 * 255;
/** In 255 bytes, each label with its length. */
const maxLabels = 128;

/** Where the name that starts here ends; throws a RangeError where it does not. */
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
 * The name that starts here, lower case and without a dot at the end; throws a RangeError for a broken one.
 * Pointers may only go back, so that no message can make us turn in circles (RFC 1035 §4.1.4); most go to the question.
 */
export function readName(bytes: Buffer, start: number, question: string): string {
  let name = '';
  let offset = start;
  let floor = start;
  let jumps = 0;
  for (;;) {
    const length = bytes.readUInt8(offset);
    if (length === 0) return name;
    if (length >= 0xc0) {
      // Each label may lie elsewhere; more jumps only cost time, over and over where many records caller the name.
      if (++jumps > maxLabels) throw new RangeError('a name jumps too often');
      const target = bytes.readUInt16BE(offset) & 0x3fff;
      if (target >= floor) throw new RangeError('a name points forward');
      if (target === questionAt && question !== '') return name === '' ? question : `${name}.${question}`;
      floor = target;
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

/** Lower case; bytes that a host name has no use for are written as RFC 1035 §5.1 does, so that no dot or control slips in. */
function plainLabel(label: string): string {
  if (/^[a-z0-9_-]*$/.test(label)) return label;
  return label.replace(/[^a-zA-Z0-9_-]/g, (byte) => `\\${String(byte.charCodeAt(0)).padStart(3, '0')}`).toLowerCase();
}

function readHostName(bytes: Buffer, start: number, _end: number, question: string): string {
  return readName(bytes, start, question);
}

function readMx(bytes: Buffer, start: number, end: number, question: string): MxRecord | null {
  if (end - start < 3) return null;
  return { preference: bytes.readUInt16BE(start), exchange: readName(bytes, start + 2, question) };
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

/** The name under which an IP address has its names (RFC 1035 §3.5, RFC 3596 §2.5), or null where the text is no address. */
export function reverseName(ip: string): string | null {
  const bytes = parseIp(ip);
  if (bytes === null) return null;
  if (bytes.length === 4) return `${[...bytes].reverse().join('.')}.in-addr.arpa`;
  const nibbles = [...bytes].reverse().flatMap((byte) => [byte & 0x0f, byte >> 4]);
  return `${nibbles.map((nibble) => nibble.toString(16)).join('.')}.ip6.arpa`;
}
