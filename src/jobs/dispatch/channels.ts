import type { Sql } from '../store/postgres/database.js';

/** Where workers hear of lanes that have something to ask. */
export const shardsChannel = 'mailvet_lanes';

/** Where workers hear that somebody waits for one of those lanes; what jobs ask for has time until the next look. */
export const interactiveChannel = 'mailvet_hurry';

/** Where processes hear that one of them has put things in order. */
export const sweptChannel = 'mailvet_swept';

/** How long what is asked for a job, and its answer, may wait for more of the kind: each trip to the database costs as much as many rows. */
export const jobBatchWaitMs = 100;

/** Where a process hears of its answers. */
export function answersChannel(node: string): string {
  return `mailvet_${node.replaceAll('-', '')}`;
}

/** The same in a statement, of the process in a column. */
export function answersChannelOf(column: string): string {
  return `'mailvet_' || replace(${column}, '-', '')`;
}

/** What PostgreSQL carries in one message, with room to spare. */
const longestMessage = 7_000;

/** Says all of it on a channel when the transaction is committed, in as few messages as hold it. */
export async function notify(sql: Sql, channel: string, words: readonly string[]): Promise<void> {
  const messages: string[] = [];
  let message = '';
  for (const word of words) {
    if (Buffer.byteLength(message) + Buffer.byteLength(word) > longestMessage) {
      messages.push(message);
      message = '';
    }
    message += message === '' ? word : `\n${word}`;
  }
  if (message !== '') messages.push(message);
  if (messages.length === 0) return;
  await sql.run('SELECT pg_notify($1, said) FROM unnest($2::text[]) AS given (said)', channel, messages);
}

/** The words of one message. */
export function parseMessage(message: string): string[] {
  return message === '' ? [] : message.split('\n');
}
