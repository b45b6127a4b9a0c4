import { setTimeout as sleep } from 'node:timers/promises';

/** A query, the right reply to it, and where its parts begin. */
export interface Exchange {
  query: Buffer;
  reply: Buffer;
  /** Offsets in the first answer: its name is a pointer of two bytes, then type, class, TTL, length and data. */
  answerAt: number;
}

interface Line {
  name: string;
  /** What is sent, in order; a number is a pause in milliseconds. */
  send(exchange: Exchange): readonly (Buffer | number)[];
  /** The reply over TCP to a truncated one, with its length; null: the right one. */
  tcp?(exchange: Exchange): Buffer | 'silence' | 'hang_up';
}

const edit = (change: (bytes: Buffer, at: number) => void) => (exchange: Exchange) => {
  const bytes = Buffer.from(exchange.reply);
  change(bytes, exchange.answerAt);
  return [bytes];
};
/** Replaces the answers by these bytes. */
const answers =
  (count: number, ...records: (readonly number[])[]) =>
  ({ reply, answerAt }: Exchange) => {
    const head = Buffer.from(reply.subarray(0, answerAt));
    head.writeUInt16BE(count, 6);
    head.fill(0, 8, 12);
    return [Buffer.concat([head, ...records.map((record) => Buffer.from(record))])];
  };
/** The reply with a code and no answer. */
const code = (rcode: number) => (exchange: Exchange) => {
  const [bytes = exchange.reply] = answers(0)(exchange);
  bytes.writeUInt8(0x80 | rcode, 3);
  return [bytes];
};
const cut = (length: (reply: Buffer) => number) => (exchange: Exchange) => [
  exchange.reply.subarray(0, length(exchange.reply)),
];
const truncated = edit((bytes) => bytes.writeUInt8(bytes.readUInt8(2) | 0x02, 2));
const framed = (bytes: Buffer, length = bytes.length): Buffer => {
  const head = Buffer.alloc(2);
  head.writeUInt16BE(length);
  return Buffer.concat([head, bytes]);
};
const overTcp = (change: (bytes: Buffer, at: number) => void) => (exchange: Exchange) =>
  framed(edit(change)(exchange)[0] ?? exchange.reply);
const ptr = [0xc0, 0x0c];
const record = (type: number, data: readonly number[], name: readonly number[] = ptr, length = data.length) => [
  ...name,
  ...[type >> 8, type & 255, 0, 1, 0, 0, 0, 60, length >> 8, length & 255],
  ...data,
];
const cname = (data: readonly number[], name?: readonly number[]) => record(5, data, name);
const label = (text: string) => [text.length, ...Buffer.from(text)];

/** One behavior per line. Each runs for the MX of a domain and for the A of its mail host. */
export const dnsBehaviors: readonly Line[] = [
  { name: 'silence', send: () => [] },
  { name: 'a late reply', send: ({ reply }) => [300, reply] },
  { name: 'a reply after the deadline', send: ({ reply }) => [4_000, reply] },
  { name: 'the reply twice', send: ({ reply }) => [reply, reply] },
  { name: 'the reply 50 times', send: ({ reply }) => Array.from({ length: 50 }, () => reply) },
  { name: 'another id', send: edit((bytes) => bytes.writeUInt16BE((bytes.readUInt16BE(0) + 1) & 0xffff, 0)) },
  { name: 'the id with its bytes swapped', send: edit((bytes) => bytes.subarray(0, 2).swap16()) },
  { name: 'the query as an echo', send: ({ query }) => [query] },
  { name: 'the query, then the reply', send: ({ query, reply }) => [query, reply] },
  { name: 'a forged denial with another id', send: (each) => [...forgedDenial(each), each.reply] },
  { name: 'not a response', send: edit((bytes) => bytes.writeUInt8(bytes.readUInt8(2) & 0x7f, 2)) },
  { name: 'opcode 1', send: edit((bytes) => bytes.writeUInt8(0x88, 2)) },
  { name: 'opcode 2', send: edit((bytes) => bytes.writeUInt8(0x90, 2)) },
  { name: 'opcode 5', send: edit((bytes) => bytes.writeUInt8(0xa8, 2)) },
  { name: 'opcode 15', send: edit((bytes) => bytes.writeUInt8(0xf8, 2)) },
  { name: 'authoritative', send: edit((bytes) => bytes.writeUInt8(0x85, 2)) },
  { name: 'all reserved bits', send: edit((bytes) => bytes.writeUInt8(0xf0, 3)) },
  // RFC 1035 §4.1.1, RFC 2136 §2.2.
  ...[1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].map((rcode) => ({ name: `code ${rcode}`, send: code(rcode) })),
  { name: 'SERVFAIL with answers', send: edit((bytes) => bytes.writeUInt8(0x82, 3)) },
  { name: 'REFUSED with answers', send: edit((bytes) => bytes.writeUInt8(0x85, 3)) },
  { name: 'NXDOMAIN with answers', send: edit((bytes) => bytes.writeUInt8(0x83, 3)) },
  { name: 'no question, and answers', send: edit((bytes) => bytes.writeUInt16BE(0, 4)) },
  { name: 'a header alone', send: (each) => cut(() => 12)({ ...each, reply: withCounts(each.reply, 0, 0) }) },
  { name: 'a denial without a question', send: denialWithoutQuestion },
  { name: 'two questions counted', send: edit((bytes) => bytes.writeUInt16BE(2, 4)) },
  { name: '65,535 questions counted', send: edit((bytes) => bytes.writeUInt16BE(65_535, 4)) },
  { name: 'one answer too many counted', send: edit((bytes) => bytes.writeUInt16BE(bytes.readUInt16BE(6) + 1, 6)) },
  { name: '65,535 answers counted', send: edit((bytes) => bytes.writeUInt16BE(65_535, 6)) },
  { name: '65,535 authorities counted', send: edit((bytes) => bytes.writeUInt16BE(65_535, 8)) },
  { name: '65,535 additionals counted', send: edit((bytes) => bytes.writeUInt16BE(65_535, 10)) },
  { name: 'nothing in a packet', send: () => [Buffer.alloc(0)] },
  { name: 'one byte', send: cut(() => 1) },
  { name: '11 bytes', send: cut(() => 11) },
  { name: 'cut in the question', send: cut(() => 16) },
  { name: 'cut after the question', send: ({ reply, answerAt }) => [reply.subarray(0, answerAt)] },
  { name: 'cut in the answer', send: ({ reply, answerAt }) => [reply.subarray(0, answerAt + 7)] },
  { name: 'cut before the last byte', send: cut(({ length }) => length - 1) },
  { name: 'bytes after the end', send: ({ reply }) => [Buffer.concat([reply, Buffer.alloc(400, 0xff)])] },
  { name: 'random bytes', send: ({ reply }) => [Buffer.alloc(reply.length, 0xa5)] },
  { name: 'random bytes after the id', send: edit((bytes) => bytes.fill(0xa5, 2)) },
  { name: 'zeros after the id', send: edit((bytes) => bytes.fill(0, 2)) },
  { name: 'another name in the question', send: edit((bytes) => bytes.writeUInt8(bytes.readUInt8(13) ^ 3, 13)) },
  { name: 'another type in the question', send: edit((bytes, at) => bytes.writeUInt16BE(16, at - 4)) },
  { name: 'another class in the question', send: edit((bytes, at) => bytes.writeUInt16BE(3, at - 2)) },
  { name: 'another case in the question', send: edit((bytes) => bytes.writeUInt8(bytes.readUInt8(13) ^ 0x20, 13)) },
  { name: 'a pointer to itself', send: edit((bytes, at) => bytes.writeUInt16BE(0xc000 | at, at)) },
  { name: 'a pointer forward', send: edit((bytes, at) => bytes.writeUInt16BE(0xc000 | (at + 12), at)) },
  { name: 'a pointer past the end', send: edit((bytes, at) => bytes.writeUInt16BE(0xffff, at)) },
  { name: 'a pointer into the header', send: edit((bytes, at) => bytes.writeUInt16BE(0xc000, at)) },
  { name: 'a label of 64 bytes', send: edit((bytes, at) => bytes.writeUInt8(0x40, at)) },
  { name: 'a label of 128 bytes', send: edit((bytes, at) => bytes.writeUInt8(0x80, at)) },
  { name: 'a label past the end', send: edit((bytes, at) => bytes.writeUInt8(63, at)) },
  {
    name: 'answers for another name',
    send: edit((bytes, at) => bytes.writeUInt16BE(0xc000 | (13 + bytes.readUInt8(12)), at)),
  },
  { name: 'answers of another class', send: edit((bytes, at) => bytes.writeUInt16BE(3, at + 4)) },
  { name: 'answers of another type', send: edit((bytes, at) => bytes.writeUInt16BE(99, at + 2)) },
  { name: 'data of no bytes', send: edit((bytes, at) => bytes.writeUInt16BE(0, at + 10)) },
  { name: 'data of one byte', send: edit((bytes, at) => bytes.writeUInt16BE(1, at + 10)) },
  {
    name: 'data one byte too short',
    send: edit((bytes, at) => bytes.writeUInt16BE(bytes.readUInt16BE(at + 10) - 1, at + 10)),
  },
  {
    name: 'data one byte too long',
    send: edit((bytes, at) => bytes.writeUInt16BE(bytes.readUInt16BE(at + 10) + 1, at + 10)),
  },
  { name: 'data of 65,535 bytes', send: edit((bytes, at) => bytes.writeUInt16BE(65_535, at + 10)) },
  { name: 'a TTL of 0', send: edit((bytes, at) => bytes.writeUInt32BE(0, at + 6)) },
  { name: 'a negative TTL', send: edit((bytes, at) => bytes.writeUInt32BE(0xffff_ffff, at + 6)) },
  { name: 'an alias to itself', send: answers(1, cname(ptr)) },
  { name: 'an alias to a name that never answers', send: answers(1, cname([...label('nowhere'), ...label('com'), 0])) },
  { name: 'an alias of no bytes', send: answers(1, cname([])) },
  {
    name: 'an alias with a pointer to itself',
    send: ({ reply, answerAt }) => answers(1, cname([0xc0, answerAt + 12]))({ query: reply, reply, answerAt }),
  },
  { name: 'an alias with a broken label', send: answers(1, cname([70, 1, 2])) },
  { name: 'an alias past its data', send: answers(1, record(5, [3, 97], ptr, 2)) },
  { name: 'truncated, then silence', send: truncated, tcp: () => 'silence' },
  { name: 'truncated, then a disconnect', send: truncated, tcp: () => 'hang_up' },
  { name: 'truncated, then the reply', send: truncated, tcp: overTcp(() => {}) },
  { name: 'truncated, and again', send: truncated, tcp: overTcp((bytes) => bytes.writeUInt8(0x83, 2)) },
  { name: 'truncated, then another id', send: truncated, tcp: overTcp((bytes) => bytes.writeUInt16BE(1, 0)) },
  { name: 'truncated, then SERVFAIL', send: truncated, tcp: overTcp((bytes) => bytes.writeUInt8(0x82, 3)) },
  {
    name: 'truncated, then NXDOMAIN with answers',
    send: truncated,
    tcp: overTcp((bytes) => bytes.writeUInt8(0x83, 3)),
  },
  { name: 'truncated, then half', send: truncated, tcp: ({ reply }) => framed(reply.subarray(0, 20), reply.length) },
  { name: 'truncated, then a length of 0', send: truncated, tcp: () => framed(Buffer.alloc(0)) },
  { name: 'truncated, then 64 kB of zeros', send: truncated, tcp: () => framed(Buffer.alloc(65_535)) },
  { name: 'truncated, then HTTP', send: truncated, tcp: () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n') },
  { name: 'truncated, then one byte', send: truncated, tcp: () => Buffer.from([0]) },
  { name: 'a reply in two packets', send: ({ reply }) => [reply.subarray(0, 20), 10, reply.subarray(20)] },
  { name: 'a denial, then the reply', send: (each) => [...denialOfAnother(each), each.reply] },
  { name: 'garbage, then the reply', send: ({ reply }) => [Buffer.alloc(40, 0x5a), reply] },
  { name: '1,000 empty packets, then the reply', send: ({ reply }) => [...Array(1_000).fill(Buffer.alloc(0)), reply] },
  { name: 'the reply after a refusal of another id', send: (each) => [...refusalWithOtherId(each), each.reply] },
  { name: 'NOTIMP with answers', send: edit((bytes) => bytes.writeUInt8(0x84, 3)) },
  { name: 'FORMERR with answers', send: edit((bytes) => bytes.writeUInt8(0x81, 3)) },
  { name: 'recursion not available', send: edit((bytes) => bytes.writeUInt8(bytes.readUInt8(3) & 0x7f, 3)) },
  { name: 'recursion not available, and no answer', send: withoutRecursion },
  { name: 'authenticated data', send: edit((bytes) => bytes.writeUInt8(bytes.readUInt8(3) | 0x20, 3)) },
  { name: 'checking disabled', send: edit((bytes) => bytes.writeUInt8(bytes.readUInt8(3) | 0x10, 3)) },
  { name: 'one question too few', send: ({ reply }) => [withCounts(reply, 0, 1)] },
  { name: 'no answer counted', send: ({ reply }) => [withCounts(reply, 1, 0)] },
  { name: 'one authority counted, none sent', send: edit((bytes) => bytes.writeUInt16BE(1, 8)) },
  { name: 'one additional counted, none sent', send: edit((bytes) => bytes.writeUInt16BE(1, 10)) },
  { name: 'the root as the name of the answer', send: answers(1, record(1, [127, 7, 0, 1], [0])) },
  { name: 'an empty TXT in place of the answer', send: answers(1, record(16, [0])) },
  { name: 'an address of three bytes', send: answers(1, record(1, [127, 7, 0])) },
  { name: 'an address of five bytes', send: answers(1, record(1, [127, 7, 0, 1, 9])) },
  { name: 'an IPv6 address in four bytes', send: answers(1, record(28, [127, 7, 0, 1])) },
  { name: 'an MX without a name', send: answers(1, record(15, [0, 10])) },
  { name: 'an MX of one byte', send: answers(1, record(15, [0])) },
  { name: 'an MX with a pointer past the end', send: answers(1, record(15, [0, 10, 0xff, 0xff])) },
  { name: 'an MX with a control character', send: answers(1, record(15, [0, 10, 3, 7, 27, 0, 0])) },
  { name: 'an MX with a dot in its label', send: answers(1, record(15, [0, 10, ...label('a.b'), 0])) },
  { name: 'an MX with a slash', send: answers(1, record(15, [0, 10, ...label('a/../b'), ...label('com'), 0])) },
  { name: 'an MX that never answers', send: answers(1, record(15, [0, 10, ...label('nowhere'), ...label('com'), 0])) },
  { name: 'an alias and an answer of one name', send: answers(2, cname(ptr), record(1, [127, 7, 0, 1])) },
  { name: 'a DNAME', send: answers(1, record(39, [...label('nowhere'), ...label('com'), 0])) },
  { name: 'an OPT as the answer', send: answers(1, record(41, [])) },
  {
    name: 'truncated, then two replies',
    send: truncated,
    tcp: ({ reply }) => Buffer.concat([framed(reply), framed(reply)]),
  },
  { name: 'truncated, then a longer length', send: truncated, tcp: ({ reply }) => framed(reply, 65_535) },
];

function withCounts(reply: Buffer, questions: number, answerCount: number): Buffer {
  const bytes = Buffer.from(reply);
  bytes.writeUInt16BE(questions, 4);
  bytes.writeUInt16BE(answerCount, 6);
  return bytes;
}

function denialWithoutQuestion({ reply }: Exchange): Buffer[] {
  const bytes = withCounts(reply, 0, 0).subarray(0, 12);
  bytes.writeUInt8(0x83, 3);
  return [bytes];
}

/** A denial of the question, with the id of another query. */
function denialOfAnother(exchange: Exchange): Buffer[] {
  const [bytes = exchange.reply] = code(3)(exchange);
  bytes.writeUInt16BE(bytes.readUInt16BE(0) ^ 0x8000, 0);
  return [bytes];
}

function refusalWithOtherId(exchange: Exchange): Buffer[] {
  const [bytes = exchange.reply] = code(5)(exchange);
  bytes.writeUInt16BE(bytes.readUInt16BE(0) ^ 1, 0);
  return [bytes];
}

function withoutRecursion(exchange: Exchange): Buffer[] {
  const [bytes = exchange.reply] = answers(0)(exchange);
  bytes.writeUInt8(0, 3);
  return [bytes];
}

function forgedDenial(exchange: Exchange): Buffer[] {
  const [bytes = exchange.reply] = code(3)(exchange);
  bytes.writeUInt16BE((bytes.readUInt16BE(0) + 7) & 0xffff, 0);
  return [bytes];
}

/** Sends the parts with their pauses. */
export async function sendParts(parts: readonly (Buffer | number)[], send: (bytes: Buffer) => void): Promise<void> {
  for (const part of parts) {
    if (typeof part === 'number') await sleep(part, undefined, { ref: false });
    else send(part);
  }
}
