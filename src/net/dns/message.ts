import { randomInt } from 'node:crypto';
import { type RecordType, readName, skipName } from './record-types.js';

export interface Query<R> {
  /** Lower case, without a trailing dot. */
  name: string;
  kind: RecordType<R>;
}

/** The part of a resolver's reply that answers the query. */
export interface Reply<R> {
  /** One of `replyCodes`, or another. */
  code: number;
  truncated: boolean;
  records: R[];
  /** The smallest TTL on the way to the records, or the negative TTL (RFC 2308 §5); null if there is none. */
  ttlSeconds: number | null;
  /** The alias that the answer ends in, without its records. */
  unresolvedAlias: string | null;
  /** The server refers to others: it does not resolve this name. */
  referral: boolean;
}

/** Response codes (RFC 1035 §4.1.1). */
export const replyCodes = { ok: 0, formatError: 1, nameAbsent: 3, notImplemented: 4, refused: 5, notAuthoritative: 9 };

/** Errors of a server that could not parse or serve the question. */
const headerOnlyCodes = new Set([1, 2, 4]);

/** AA and RA (RFC 1035 §4.1.1). */
const authoritativeFlag = 0x0400;
const recursionFlag = 0x0080;
const typeNs = 2;
const typeCname = 5;
const typeSoa = 6;
const typeOpt = 41;
const classIn = 1;
const headerBytes = 12;
/** The first answers of a message; no resolver needs more, and 64 kB hold thousands that are slow to decode. */
const maxAnswers = 512;
/** RFC 1035 §3.1: 255 bytes, with the length byte of the first label and the root. */
const maxNameLength = 253;
/** One question, recursion desired (RFC 1035 §4.1.1). */
const plainHeader = [0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
/** The same with one additional record: an OPT for 1,232 bytes, which fit into one packet on any path (DNS flag day 2020). */
const ednsHeader = plainHeader.with(11, 1);
const ednsRecord = [0, 0, typeOpt, 1_232 >> 8, 1_232 & 0xff, 0, 0, 0, 0, 0, 0];

/** The encoded query, or null for a name that DNS cannot encode. With `edns`, replies may exceed 512 bytes (RFC 6891). */
export function encodeQuery(id: number, query: Query<unknown>, edns: boolean): Buffer | null {
  const { name, kind } = query;
  if (name === '' || name.length > maxNameLength) return null;
  // From Node's buffer pool: an allocation for each query costs more than the query.
  const bytes = Buffer.allocUnsafe(headerBytes + name.length + 2 + 4 + (edns ? ednsRecord.length : 0));
  bytes.set(edns ? ednsHeader : plainHeader);
  bytes.writeUInt16BE(id, 0);
  let offset = writeName(bytes, name);
  if (offset === -1) return null;
  offset = bytes.writeUInt16BE(kind.code, offset);
  offset = bytes.writeUInt16BE(classIn, offset);
  if (edns) bytes.set(ednsRecord, offset);
  return bytes;
}

function writeName(bytes: Buffer, name: string): number {
  let lengthAt = headerBytes;
  let offset = headerBytes + 1;
  for (let index = 0; index <= name.length; index++) {
    const code = index === name.length ? 0x2e : name.charCodeAt(index);
    if (code !== 0x2e) {
      if (code <= 0x20 || code >= 0x7f || code === 0x5c) return -1;
      bytes[offset++] = code;
      continue;
    }
    const length = offset - lengthAt - 1;
    if (length > 63 || length === 0) return -1;
    bytes[lengthAt] = length;
    lengthAt = offset++;
  }
  bytes[lengthAt] = 0;
  return offset;
}

/** An unpredictable message id (RFC 5452 §9.2). */
export function randomId(): number {
  return randomInt(0x10000);
}

/** Whether the bytes are a reply to the query; a reply to another question may be forged (RFC 5452 §9.1). */
export function answersQuery(bytes: Buffer, query: Buffer): boolean {
  if (bytes.length < headerBytes || bytes[0] !== query[0] || bytes[1] !== query[1]) return false;
  if (((bytes[2] ?? 0) & 0x80) === 0) return false;
  // RFC 5452 §9.1: without the question, only the error of a server that could not parse it is accepted.
  if (bytes.readUInt16BE(4) === 0) return headerOnlyCodes.has((bytes[3] ?? 0) & 0x0f);
  const end = query.indexOf(0, headerBytes) + 5;
  for (let offset = headerBytes; offset < end && offset < bytes.length; offset++) {
    const queryByte = query[offset] ?? 0;
    const replyByte = bytes[offset] ?? 0;
    if (replyByte !== queryByte && lowerByte(replyByte) !== lowerByte(queryByte)) return false;
  }
  return true;
}

function lowerByte(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** Decodes a reply to the query; null if it is malformed. */
export function decodeReply<R>(bytes: Buffer, query: Query<R>): Reply<R> | null {
  try {
    return readReply(bytes, query);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readReply<R>(bytes: Buffer, query: Query<R>): Reply<R> | null {
  const flags = bytes.readUInt16BE(2);
  const reply: Reply<R> = {
    code: flags & 0x0f,
    truncated: (flags & 0x0200) !== 0,
    records: [],
    ttlSeconds: null,
    unresolvedAlias: null,
    referral: false,
  };
  if (reply.truncated) return reply;
  const questions = bytes.readUInt16BE(4);
  let offset = headerBytes;
  for (let index = 0; index < questions; index++) offset = skipName(bytes, offset) + 4;
  const questionName = questions === 1 ? query.name : '';
  const answers = Math.min(maxAnswers, bytes.readUInt16BE(6));
  const owner = followAliases(query.name, readAliases(bytes, offset, answers, questionName), reply);
  if (owner === null) return null;
  const records: R[] = [];
  for (let remaining = answers; remaining > 0 && records.length < query.kind.maxRecords; remaining--) {
    const record = readHeader(bytes, offset, questionName);
    offset = record.end;
    if (record.class !== classIn || record.type !== query.kind.code) continue;
    const data = query.kind.decode(bytes, record.start, record.end, questionName);
    if (data === null) return null;
    if (record.owner !== owner) continue;
    records.push(data);
    reply.ttlSeconds = Math.min(reply.ttlSeconds ?? record.ttl, record.ttl);
  }
  // RFC 2308 §2.1: a name that does not exist has no records.
  if (records.length > 0 && reply.code === replyCodes.nameAbsent) return null;
  // Answers to another question deny nothing.
  if (records.length === 0 && answers > 0 && owner === query.name) return null;
  const countsNoRecord = bytes.readUInt32BE(6) === 0 && bytes.readUInt16BE(10) === 0;
  if (countsNoRecord && offset < bytes.length) return null;
  if (records.length === 0) readDenial(bytes, offset, reply, owner === query.name ? null : owner);
  // A copy without spare capacity, since it stays in the cache.
  else reply.records = records.slice();
  return reply;
}

interface Alias {
  target: string;
  ttl: number;
}

function readAliases(bytes: Buffer, start: number, answers: number, questionName: string): Map<string, Alias> {
  const aliases = new Map<string, Alias>();
  let offset = start;
  for (let remaining = answers; remaining > 0; remaining--) {
    const fields = skipName(bytes, offset);
    if (bytes.readUInt16BE(fields) === typeCname && bytes.readUInt16BE(fields + 2) === classIn) {
      const target = readName(bytes, fields + 10, questionName);
      aliases.set(readName(bytes, offset, questionName), { target, ttl: readTtl(bytes, fields + 4) });
    }
    offset = fields + 10 + bytes.readUInt16BE(fields + 8);
  }
  return aliases;
}

/** The name at the end of the chain; null for a loop. */
function followAliases(start: string, aliases: ReadonlyMap<string, Alias>, reply: Reply<unknown>): string | null {
  let owner = start;
  for (let hops = 0; hops < aliases.size; hops++) {
    const alias = aliases.get(owner);
    if (alias === undefined) break;
    owner = alias.target;
    reply.ttlSeconds = Math.min(reply.ttlSeconds ?? alias.ttl, alias.ttl);
  }
  return aliases.has(owner) ? null : owner;
}

/**
 * A SOA makes an empty answer final; NS records without one are a referral (RFC 2308 §2.2), and so is nothing at all from a server that is
 * not authoritative and does not recurse.
 */
function readDenial(bytes: Buffer, start: number, reply: Reply<unknown>, alias: string | null): void {
  let offset = start;
  let nameServers = 0;
  for (let remaining = Math.min(maxAnswers, bytes.readUInt16BE(8)); remaining > 0; remaining--) {
    const record = readHeader(bytes, offset, '');
    offset = record.end;
    if (record.type === typeNs) nameServers++;
    if (record.type !== typeSoa) continue;
    reply.ttlSeconds = Math.min(record.ttl, bytes.readUInt32BE(record.end - 4));
    return;
  }
  if (reply.code !== replyCodes.ok) return;
  reply.unresolvedAlias = alias;
  const canKnow = (bytes.readUInt16BE(2) & (authoritativeFlag | recursionFlag)) !== 0;
  reply.referral = alias === null && (nameServers > 0 || !canKnow);
}

interface RecordHeader {
  owner: string;
  type: number;
  class: number;
  ttl: number;
  start: number;
  end: number;
}

function readHeader(bytes: Buffer, offset: number, questionName: string): RecordHeader {
  const owner = readName(bytes, offset, questionName);
  const fieldsOffset = skipName(bytes, offset);
  const start = fieldsOffset + 10;
  const end = start + bytes.readUInt16BE(fieldsOffset + 8);
  if (end > bytes.length) throw new RangeError('a record reaches past the end of the message');
  return {
    owner,
    type: bytes.readUInt16BE(fieldsOffset),
    class: bytes.readUInt16BE(fieldsOffset + 2),
    ttl: readTtl(bytes, fieldsOffset + 4),
    start,
    end,
  };
}

/** RFC 2181 §8: a TTL with the top bit set is 0. */
function readTtl(bytes: Buffer, offset: number): number {
  const ttl = bytes.readUInt32BE(offset);
  return ttl > 0x7fff_ffff ? 0 : ttl;
}
