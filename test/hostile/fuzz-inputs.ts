import { encode } from 'dns-packet';
import fc from 'fast-check';

/** Characters that often break parsers. */
export const hostilePieces = [
  ...['"', '""', ',', ';', '\t', '\n', '\r', '\r\n', '\\', "'", '|', '@', '.', '=', '+', '-', ' ', '#', ':', '*', '…'],
  ...['\0', '\x1b[31m', '\x7f', '\x85', '\u2028', '\ufeff', '\ufffd', '\u202e', '\ud800', '\udc00', 'é', '界', '😀'],
  ...['\u0301'],
  ...['[', ']', '{', '}', '<', '>', '(', ')', 'null', 'true', '-0', '1e999', '1e-999', '__proto__', 'constructor'],
  ...['toString', 'email', 'jane@example.com', 'a', '1', 'sep=;', '\\u0000', '\\ud800', '&#160;', '<title>', '%0d%0a'],
];
/** Text that contains such characters. */
export const text = fc.oneof(
  fc.array(fc.constantFrom(...hostilePieces), { maxLength: 40 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
);
/** Any bytes. */
export const bytes = fc.uint8Array({ maxLength: 200 }).map((data) => Buffer.from(data));
/** The lengths of the pieces into which an input is cut. */
export const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 6 });

const keys = fc.constantFrom(
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'toJSON', 'hasOwnProperty', 'then', 'length', ''],
  ...['email', 'status', 'sub_status', 'is_valid', 'confidence', 'safe_to_send', 'details', 'catchall', 'metadata'],
  ...['features_used', 'results', 'items', 'data', 'jobs', 'job', 'id', 'job_id', 'columns', 'rows', 'cells'],
  ...['verdict'],
  ...['error', 'errors', 'message', 'detail', 'code', 'hint', 'upload_id', 'sample_rows', 'preview', 'evidence'],
  ...['total'],
  ...['created_at', 'eta_seconds', 'retry_at', 'reasons', 'did_you_mean', 'sub_status_counts', 'profile', 'profiles'],
  ...['default', 'api_key', 'base_url', 'mode', 'timeout', 'resolver', 'mail_from', 'proxy', 'ai_enhancement'],
);
const leaf = fc.oneof(
  fc.constantFrom('valid', 'invalid', 'VALID ', 'local', 'default', 'jane@example.com', '0.5', 'true', '', '\x1b[2J'),
  fc.constantFrom(null, true, false, 0, 1, -1, 1e308, 5e-324, 0.95, 1_700_000_000, 8.64e15 + 1, 2 ** 53),
  text,
);
const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 6 }),
  ),
}))['value'] as fc.Arbitrary<unknown>;

/** As JSON text, with each list of pairs as an object: only text can hold a key such as `__proto__`. */
function jsonText(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value) ?? 'null';
  const pairs = value.length > 0 && value.every((item) => Array.isArray(item) && typeof item[0] === 'string');
  if (!pairs) return `[${value.map(jsonText).join(',')}]`;
  return `{${value.map(([key, inner]: [string, unknown]) => `${JSON.stringify(key)}:${jsonText(inner)}`).join(',')}}`;
}
/** JSON of every shape we read, and text that is nearly JSON. */
export const jsonTexts = fc.oneof(
  { weight: 5, arbitrary: json.map(jsonText) },
  { weight: 1, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.tuple(json.map(jsonText), fc.nat(), text).map(([whole, at, piece]) => spliced(whole, at, piece)),
  },
);

function spliced(whole: string, at: number, piece: string): string {
  const place = at % (whole.length + 1);
  return whole.slice(0, place) + piece + whole.slice(place + piece.length);
}

/** The same bytes, cut. */
export function inPieces(data: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let position = 0;
  for (const length of lengths) {
    if (length === 0 || position >= data.length) continue;
    pieces.push(data.subarray(position, position + length));
    position += length;
  }
  if (position < data.length) pieces.push(data.subarray(position));
  return pieces;
}

/** The moments at which a mail server may send data. */
export const stages = ['banner', 'ehlo', 'mail', 'rcpt'] as const;

/** Replies, and text that is nearly a reply. */
export const replyTexts = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        ...['250', '220', '252', '354', '421', '450', '451', '452', '500', '530', '550', '551', '554', '556', '999'],
        ...['25'],
      ),
      fc.constantFrom(' ', '-', '', '\t'),
      fc.array(
        fc.oneof(
          fc.constantFrom(
            ...['5.1.1', '4.7.1', '5.7.1', '2.1.5', '5.4.1', 'User unknown', 'blocked', 'greylisted', '<jane@a.com>'],
          ),
          fc.constantFrom(
            ...['try again in 5 minutes', '99:99:99', 'mailbox full', 'no such user', 'access denied', '5.1.10'],
          ),
          text,
        ),
        { maxLength: 4 },
      ),
      fc.constantFrom('\r\n', '\n', '\r', ''),
    ),
    { maxLength: 6 },
  )
  .map((lines) => lines.map(([code, mark, words, end]) => code + mark + words.join(' ') + end).join(''));

/** The name that DNS is asked for. */
export const dnsName = 'host.example.com';
/** Real answers with bytes changed or cut off, and noise. */
export const dnsMessages = fc.oneof(
  bytes,
  fc
    .tuple(
      fc.constantFrom('MX', 'A', 'AAAA', 'TXT', 'NS', 'CNAME' as const),
      fc.nat({ max: 3 }),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 6 }),
      fc.nat(),
    )
    .map(([type, count, edits, cut]) => {
      const message = realMessage(type, count);
      for (const [position, byte] of edits) message[position % message.length] = byte;
      return cut % 3 === 0 ? message.subarray(0, cut % (message.length + 1)) : message;
    }),
);
const dnsData: Record<string, unknown> = {
  MX: { preference: 10, exchange: `mx.${dnsName}` },
  A: '192.0.2.1',
  AAAA: '2001:db8::1',
  TXT: ['v=spf1 -all', 'more'],
  NS: `ns.${dnsName}`,
  CNAME: `alias.${dnsName}`,
};
function realMessage(type: string, count: number): Buffer {
  const answers = Array.from({ length: count }, () => ({ type, name: dnsName, ttl: 300, data: dnsData[type] }));
  const message = {
    type: 'response',
    id: 7,
    questions: [{ type, name: dnsName }],
    answers,
    authorities: [{ type: 'NS', name: 'example.com', ttl: 300, data: 'ns.example.com' }],
  };
  return encode(message as Parameters<typeof encode>[0]);
}

/** Rows as a service might list them: objects of nearly one shape. */
export const tables = fc
  .tuple(
    fc.array(keys, { maxLength: 3 }),
    fc.array(fc.array(fc.tuple(keys, json), { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
    fc.boolean(),
  )
  .map(([columns, rows, lines]) => {
    const objects = rows.map(jsonText);
    if (!lines) return `{"columns":${JSON.stringify(columns)},"rows":[${objects.join(',')}]}`;
    return [JSON.stringify({ columns }), ...objects].join('\n');
  });
