import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parseAddress } from '../../src/engine/grammar/parse-address.js';
import { parseUserList } from '../../src/engine/lists/user-lists.js';
import { Failure } from '../../src/model/failure.js';
import { answersQuery, decodeReply, encodeQuery } from '../../src/net/dns/message.js';
import { recordTypes } from '../../src/net/dns/record-types.js';
import { wireForm } from '../../src/net/probe/mailbox-probe.js';
import { parseReplyRules } from '../../src/net/replies/match-phrase.js';
import { readReply } from '../../src/net/replies/read-reply.js';
import { ReplyReader, toReply } from '../../src/net/smtp/reply-parser.js';
import { openRows } from '../../src/rows/open-rows.js';
import { sampleRecords } from '../../src/rows/read/csv/csv-rows.js';
import { openCharset } from '../../src/rows/read/decode/charset.js';
import { encodeRow } from '../../src/rows/write/encode-row.js';
import { parseReplies } from '../../src/service/diagnosis/reply-explanation.js';
import { NoResponse } from '../../src/service/remote/exchange.js';
import { decompress } from '../../src/service/remote/http.js';
import { readJobResults } from '../../src/service/remote/job-results.js';
import { openMultipart } from '../../src/service/remote/multipart.js';
import { retryAfterMs } from '../../src/service/remote/retries.js';
import { readSettingsFile } from '../../src/settings/read-file.js';
import { resolveSettings } from '../../src/settings/resolve.js';
import { parseJson } from '../../src/wire/fields.js';
import { decodeJob, decodeJobPage, decodePreview } from '../../src/wire/job-codec.js';
import { decodeProblem } from '../../src/wire/problem.js';
import { serviceRoot } from '../../src/wire/routes.js';
import { decodeBulk, decodeResult } from '../../src/wire/validation-codec.js';
import {
  bytes,
  cuts,
  dnsMessages,
  dnsName,
  inPieces,
  jsonTexts,
  replyTexts,
  stages,
  tables,
  text,
} from './fuzz-inputs.js';
import { createRandomSource, mutated } from './mutate.js';

/** One kind of hostile input, and what must hold for each case. `run` throws if it does not hold. */
export interface FuzzTarget {
  name: string;
  /** Each case unchanged, and `mutants` random mutations of it. */
  run(numRuns: number, seed: number, mutants?: number): Promise<void>;
  /** Ends what it started. */
  close?(): Promise<void>;
}

function target<Case>(
  name: string,
  cases: fc.Arbitrary<Case>,
  holds: (value: Case) => void | Promise<void>,
): FuzzTarget {
  return {
    name,
    run: (numRuns, seed, mutants = 0) =>
      fc.assert(
        fc.asyncProperty(cases, fc.integer(), async (value, mutation) => {
          await holds(value);
          const roll = createRandomSource(mutation);
          for (let remaining = mutants; remaining > 0; remaining--) await holds(mutated(value, roll));
        }),
        { numRuns, seed },
      ),
  };
}

/** Our code throws a Failure; anything else is a crash. */
function resultOrFailure<Value>(work: () => Value): Value | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure && error.code !== 'internal') return null;
    throw error;
  }
}

async function resultOrFailureAsync<Value>(work: () => Promise<Value>): Promise<Value | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NoResponse || (error instanceof Failure && error.code !== 'internal')) return null;
    throw error;
  }
}

function assertRule(holds: boolean, rule: string): void {
  if (!holds) throw new Error(rule);
}

async function rowsOf(
  pieces: readonly Buffer[],
  format?: 'csv' | 'json' | 'ndjson' | 'lines',
): Promise<(readonly string[])[] | null> {
  return resultOrFailureAsync(async () => {
    const stream = Readable.from(pieces, { objectMode: false });
    const source = await openRows({ stream }, format === undefined ? {} : { format });
    const rows: (readonly string[])[] = [];
    for await (const chunk of source.chunks) for (const { cells } of chunk) rows.push(cells);
    source.notes();
    return rows;
  });
}

/** A list is read in the same way, however the network or the disk cuts it. */
function listTarget(name: string, format?: 'csv' | 'json' | 'ndjson' | 'lines', contents: fc.Arbitrary<string> = text) {
  return target(name, fc.tuple(contents, cuts), async ([content, lengths]) => {
    const whole = await rowsOf([Buffer.from(content)], format);
    const cut = await rowsOf(inPieces(Buffer.from(content), lengths), format);
    assertRule(
      JSON.stringify(whole) === JSON.stringify(cut),
      `${JSON.stringify(whole)} in pieces is ${JSON.stringify(cut)}`,
    );
  });
}

const aboutMailboxes = ['mailbox_not_found', 'mailbox_disabled', 'does_not_accept_mail', 'smtputf8_unsupported'];

function readsReplies([bytes, lengths, stage]: [Buffer, number[], (typeof stages)[number]]): void {
  const reader = new ReplyReader();
  const replies = inPieces(bytes, lengths).flatMap((piece) => reader.push(piece).replies);
  const whole = new ReplyReader().push(bytes).replies;
  assertRule(JSON.stringify(replies) === JSON.stringify(whole), 'replies differ with the pieces they come in');
  for (const raw of replies) {
    const reply = toReply(stage, raw);
    assertRule(!/[\p{Cc}\p{Cs}\u202e]/u.test(reply.text), 'a reply holds what a terminal must not see');
    const read = readReply(reply, { recipient: 'jane@a.com', ourIp: '192.0.2.1', ourName: 'me.example.net' });
    const refused = aboutMailboxes.includes(read.reason);
    assertRule(
      !refused || (stage === 'rcpt' && reply.code >= 500),
      `${reply.code} at ${stage} is read as ${read.reason}`,
    );
    assertRule(
      reply.code < 300 || stage === 'rcpt' || read.reason !== 'accepted',
      'a refusal is read as an acceptance',
    );
  }
}

function readsDns(message: Buffer): void {
  for (const kind of Object.values(recordTypes)) {
    const reply = decodeReply<unknown>(message, { name: dnsName, kind });
    if (reply === null) continue;
    const recordsText = JSON.stringify(reply.records);
    assertRule(
      kind === recordTypes.TXT || /^[\x20-\x7e]*$/.test(recordsText),
      'a record other than text holds odd characters',
    );
    const query = encodeQuery(7, { name: dnsName, kind }, true);
    if (query !== null) answersQuery(message, query);
  }
}

const plainPrototype = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));

function readsAnswer([body, status]: [string, number]): void {
  const value = resultOrFailure(() => parseJson(body));
  const sent = ['jane@example.com', 'b@example.com'];
  const results = [
    resultOrFailure(() => decodeResult(value, 'jane@example.com')),
    ...(resultOrFailure(() => decodeBulk(value, sent)) ?? []),
  ];
  for (const result of results) {
    if (result === null) continue;
    assertRule(!result.is_valid || result.status === 'valid', `${result.status} counts as valid`);
    assertRule(typeof result.email === 'string' && typeof result.confidence === 'number', 'a field has a wrong type');
    JSON.stringify(result);
  }
  const job = resultOrFailure(() => decodeJob(value));
  const page = resultOrFailure(() => decodeJobPage(value, { skip: 0, limit: 10 }));
  const preview = resultOrFailure(() => decodePreview(value, 'list.csv'));
  JSON.stringify([job, page, preview]);
  const problem = decodeProblem(status, value ?? body);
  assertRule(
    !/[\x00-\x1f\x7f-\x9f\u2028\u202e]/.test(problem.message + problem.hint),
    'a control character in a message',
  );
  assertRule(problem.message.length < 500, 'an endless message');
  assertRule(
    JSON.stringify(Object.getOwnPropertyNames(Object.prototype)) === plainPrototype,
    'the prototype was reached',
  );
}

async function readsRows([body, lengths]: [string, number[]]): Promise<void> {
  await resultOrFailureAsync(async () => {
    const stream = Readable.from(inPieces(Buffer.from(body), lengths), { objectMode: false });
    const answer = {
      status: 200,
      contentType: 'application/x-ndjson',
      retryAfter: null,
      location: null,
      text: '',
      stream,
    };
    const { columns, rows } = await readJobResults(answer);
    assertRule(
      columns.every((column) => typeof column === 'string'),
      'a column is no text',
    );
    for await (const some of rows) {
      for (const { cells, email } of some) {
        assertRule(typeof email === 'string' && cells.every((cell) => typeof cell === 'string'), 'a cell is no text');
      }
    }
  });
}

const folder = mkdtempSync(join(tmpdir(), 'mailvet-fuzz-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

function readsSettings([content, variables]: [string, [string, string][]]): void {
  const path = join(folder, 'settings.json');
  writeFileSync(path, content);
  const file = resultOrFailure(() => readSettingsFile(path));
  if (file === null) return;
  const environment = { HOME: folder, ...Object.fromEntries(variables) };
  resultOrFailure(() => resolveSettings({ flags: {}, environment, file }));
}

function readsUserList(content: string): void {
  const list = resultOrFailure(() => parseUserList(content, 'list'));
  const parsed = parseAddress('jane+tag@mail.example.com');
  if (list === null || !parsed.ok) return;
  list.match(parsed.address);
  list.matchHost('constructor');
}

function readsAddress(input: string): void {
  const parsed = parseAddress(input);
  if (!parsed.ok) return;
  const { address } = parsed;
  assertRule(
    !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(`${address.localPart}@${address.domain}`),
    'a control character in an address',
  );
  assertRule(/^[\x21-\x7e]+$/.test(address.domain), 'a domain that is not ASCII');
  assertRule(parseAddress(wireForm(address)).ok, 'an address that does not read back');
}

/** CSV output is read back unchanged, except for what keeps a spreadsheet from running a cell. */
function survivesCsv([cells, delimiter]: [string[], string]): void {
  const record = `${encodeRow(cells, delimiter)}\n`;
  const rows = sampleRecords(record, delimiter, { charset: openCharset('utf-16le', 'en'), most: 9 });
  assertRule(rows.length === 1, 'one row became several, or none');
  const row = rows[0]?.cells ?? [];
  assertRule(row.length === cells.length, 'a cell came or went');
  for (const [index, cell] of cells.entries()) {
    const back = row[index] ?? '';
    const isAddress = /^[^\s@]+@[^\s@]+$/.test(cell.trim());
    const isSame = back === cell || back === `'${cell}` || (isAddress && back === cell.replace(/^[\s\0]+/, ''));
    assertRule(isSame, `${JSON.stringify(cell)} reads back as ${JSON.stringify(back)}`);
    assertRule(
      !/^(?:[\x00-\x1f=＝]|[+\-@＋－＠](?=[\s\S]*(?:[|!]|\p{L}\()))/u.test(back),
      `${JSON.stringify(back)} would run in a spreadsheet`,
    );
  }
}

async function unpacks([data, encoding]: [Buffer, string]): Promise<void> {
  const plain = await resultOrFailureAsync(() => decompress(data, encoding, 10_000));
  assertRule(plain === null || plain.length <= 10_000 || plain === data, 'more than the limit was decompressed');
}

async function namesFile(filename: string): Promise<void> {
  const path = join(folder, 'upload.csv');
  const form = await openMultipart({ path, filename });
  for await (const piece of form.body().body) {
    const head = Buffer.from(piece).toString('utf8').split('\r\n');
    assertRule(
      head.length === 5 && head[2] === 'Content-Type: text/csv' && head[3] === '',
      'a file name broke out of its header',
    );
    assertRule(
      /^Content-Disposition: form-data; name="file"; filename="[^"\r\n]*"$/.test(head[1] ?? ''),
      'a broken header',
    );
    break;
  }
}
writeFileSync(join(folder, 'upload.csv'), 'email\na@b.com\n');

/** All input from outside, by its source. */
export const fuzzTargets: FuzzTarget[] = [
  target(
    'addresses',
    fc.oneof(
      text,
      fc.tuple(text, text).map((parts) => parts.join('@')),
    ),
    readsAddress,
  ),
  listTarget('lists of any format'),
  listTarget('CSV', 'csv'),
  listTarget('JSON', 'json', jsonTexts),
  listTarget(
    'NDJSON',
    'ndjson',
    fc.array(jsonTexts, { maxLength: 4 }).map((lines) => lines.join('\n')),
  ),
  target(
    'binary files',
    fc.tuple(bytes, cuts),
    async ([data, lengths]) => void (await rowsOf(inPieces(data, lengths))),
  ),
  target(
    'gzip',
    fc.tuple(text, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 3 }), cuts),
    async ([content, edits, lengths]) => {
      const packed = gzipSync(content);
      for (const [position, byte] of edits) packed[2 + (position % (packed.length - 2))] = byte;
      await rowsOf(inPieces(packed, lengths));
    },
  ),
  target(
    'CSV written and read',
    fc.tuple(fc.array(text, { minLength: 1, maxLength: 6 }), fc.constantFrom(',', ';', '\t', '|')),
    survivesCsv,
  ),
  target(
    'settings',
    fc.tuple(
      jsonTexts,
      fc.array(
        fc.tuple(
          fc.constantFrom('MAILVET_PROFILE', 'MAILVET_MODE', 'MAILVET_TIMEOUT', 'MAILVET_BASE_URL', 'MAILVET_RESOLVER'),
          text,
        ),
        { maxLength: 2 },
      ),
    ),
    readsSettings,
  ),
  target(
    'SMTP replies',
    fc.tuple(
      fc.oneof(
        replyTexts.map((reply) => Buffer.from(reply)),
        bytes,
      ),
      cuts,
      fc.constantFrom(...stages),
    ),
    readsReplies,
  ),
  target('SMTP replies as text', text, (reply) => void resultOrFailure(() => parseReplies(reply))),
  target('DNS answers', dnsMessages, readsDns),
  target('HTTP answers', fc.tuple(jsonTexts, fc.integer({ min: 300, max: 599 })), readsAnswer),
  target(
    'packed HTTP answers',
    fc.tuple(
      fc.oneof(
        bytes,
        text.map((content) => gzipSync(content)),
      ),
      fc.constantFrom('gzip', 'br', 'deflate', 'identity', 'x', '__proto__'),
    ),
    unpacks,
  ),
  target('Retry-After', text, (header) => void retryAfterMs(header, 0)),
  target('base URLs', text, (url) => void resultOrFailure(() => [serviceRoot(url), serviceRoot(`https://${url}`)])),
  target('rows of jobs', fc.tuple(fc.oneof(jsonTexts, tables), cuts), readsRows),
  target('names of uploads', text, namesFile),
  target('user lists', text, readsUserList),
  target(
    'reply rules',
    fc.oneof(
      text,
      fc.tuple(fc.constantFrom('no_such_user', 'quota', 'x'), text).map((parts) => parts.join(': ')),
    ),
    (rules) => void resultOrFailure(() => parseReplyRules(rules)),
  ),
];
