import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Failure } from '../../model/failure.js';
import { countLines } from '../../model/text/count-lines.js';
import { openTable } from '../../rows/open-rows.js';
import { columnByName } from '../../rows/read/email-column.js';
import { isPlaceholder } from '../../rows/read/find-addresses.js';
import type { Classified } from './classify-failure.js';
import type { MessageReading } from './parse-notice.js';
import { bareId } from './parse-notice.js';
import { readDate } from './read-date.js';
import { bouncesOf, classifyTyped, namesOutcome } from './read-events.js';

/** What was read, and where it is: `inbox.mbox:18432` is a byte, `events.csv:12` a record. */
export type LocatedReading = MessageReading & { source: string };

export interface TableOptions {
  signal: AbortSignal;
  /** The columns with the address and the reply; otherwise found by their names. */
  column?: string | undefined;
  replyColumn?: string | undefined;
}

/** Names of columns. Of replies, exact names come before words that may be a subject. */
const columnNames = {
  reply: /^(?:smtp|remote|server|full|bounce)?[ _-]?(?:reply|response|diagnostic(?:[ _-]?codes?)?|details?)$/i,
  replyText:
    /^(?:(?:bounce|error|failure|smtp)?[ _-]?(?:reason|message|error|description)|(?:smtp|dsn)[ _-]?(?:code|status|diag)|status[ _-]?(?:message|text))$/i,
  bounceType: /^bounce[ _-]?type$/i,
  type: /^(?:event|record)?[ _-]?type$/i,
  event: /^event(?:[ _-]?name)?$/i,
  date: /^(?:date|time|timestamp|when|(?:bounced|created|received|occurred)?[ _-]?(?:at|on|date|time))$/i,
  id: /^(?:smtp|internet|original)?[ _-]?message[ _-]?id$/i,
  status: /^(?:(?:dsn|enhanced|smtp)?[ _-]?status(?:[ _-]?code)?)$/i,
};

/** Reads a CSV of bounces. */
export async function* readTable(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  { column, replyColumn, signal }: TableOptions,
): AsyncGenerator<LocatedReading> {
  const input = { stream: Readable.from(pieces, { objectMode: false }), name: JSON.stringify(name) };
  const table = await openTable(input, { signal, ...(column !== undefined && { column }) });
  const { columns, emailColumn } = table;
  const find = (pattern: RegExp): number =>
    columns.findIndex((each, at) => at !== emailColumn && pattern.test(each.trim()));
  const findReply = (): number => {
    const exact = find(columnNames.reply);
    return exact === -1 ? find(columnNames.replyText) : exact;
  };
  const reply = replyColumn === undefined ? findReply() : columnByName(replyColumn, columns);
  const [bounceType, type, event] = [find(columnNames.bounceType), find(columnNames.type), find(columnNames.event)];
  if (emailColumn === null || [reply, bounceType, type, event].every((each) => each === -1))
    throw noColumn(name, columns, emailColumn === null);
  const [date, id, status] = [find(columnNames.date), find(columnNames.id), find(columnNames.status)];
  // The parser drops empty lines.
  let line =
    1 + countLines(table.preamble ?? '') + (table.hasHeader ? Math.max(1, countLines(table.headerText ?? '')) : 0);
  for await (const rows of table.chunks) {
    for (const { cells, email, text = '' } of rows) {
      const source = `${name}:${line}`;
      line += Math.max(1, countLines(text));
      const cell = (at: number): string => cells[at]?.trim() ?? '';
      const code = /^[45]\.\d{1,3}\.\d{1,3}$/.exec(cell(status))?.[0] ?? null;
      const bounceWord = cell(bounceType);
      // It may be one that mailvet does not know, but not `none` or `-`.
      const statedBounce = isPlaceholder(bounceWord) && !namesOutcome(bounceWord) ? '' : bounceWord;
      const stated =
        statedBounce || cell(type) || cell(event) || (/bounce|defer|deliver/i.test(cell(status)) ? cell(status) : '');
      const isTold = cell(reply) !== '' || code !== null || statedBounce !== '' || namesOutcome(stated);
      const classify = (address: string): Classified | null =>
        isTold ? classifyTyped(stated, address, cell(reply), code) : null;
      const common = { date: readDate(cell(date)), reporting_mta: '', message_id: bareId(cell(id)) };
      const bounces = bouncesOf(email, cell(reply), common, classify);
      // Without an address, only a clear failure is more than some other row.
      if (bounces.length === 0 || (email === '' && classify('')?.kind === 'unreadable')) {
        yield { type: /defer|delay/i.test(stated) ? 'delay' : 'other', source };
        continue;
      }
      const noticeId = createHash('sha256').update(cells.join('\0')).digest('hex');
      yield { type: 'bounce', bounces, noticeId, source };
    }
  }
}

function noColumn(name: string, columns: readonly string[], isAddress: boolean): Failure {
  const what = isAddress ? 'addresses' : 'replies';
  const flag = isAddress ? '--column' : '--reply-column';
  return new Failure('bad_input', `No column of ${name} looks like ${what}.`, {
    hint: `Name one with ${flag} NAME or NUMBER. The columns are: ${columns.join(', ')}.`,
  });
}
