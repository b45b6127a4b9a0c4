import type { Sql } from '../store/postgres/database.js';

/** Notifies workers of shards with probes. */
export const shardsChannel = 'mailvet_lanes';

/** Notifies workers of interactive probes; probes of jobs wait for the next poll. */
export const interactiveChannel = 'mailvet_hurry';

/** Notifies processes that one of them has swept. */
export const sweptChannel = 'mailvet_swept';

/** The longest wait of a job's probes and answers for a batch, since a round trip to the database is expensive. */
const jobBatchWaitMs = 100;
const workersPerWait = 10;
const maxWaits = 10;

/**
 * How long a job's probes and answers wait for a batch: longer with many workers, since each notification wakes the connections of
 * all processes.
 */
export function jobBatchMs({ names }: { names: readonly string[] }): number {
  return jobBatchWaitMs * Math.min(Math.max(1, names.length / workersPerWait), maxWaits);
}

/** The channel for the answers of a process. */
export function answersChannel(node: string): string {
  return `mailvet_${node.replaceAll('-', '')}`;
}

/** The same as an SQL expression, for the process in a column. */
export function answersChannelOf(column: string): string {
  return `'mailvet_' || replace(${column}, '-', '')`;
}

/** PostgreSQL allows 8,000 bytes. */
const maxMessageBytes = 7_000;

/** Notifies a channel on commit, in as few messages as possible. */
export async function notify(sql: Sql, channel: string, items: readonly string[]): Promise<void> {
  const messages: string[] = [];
  let message = '';
  for (const item of items) {
    if (Buffer.byteLength(message) + Buffer.byteLength(item) > maxMessageBytes) {
      messages.push(message);
      message = '';
    }
    message += message === '' ? item : `\n${item}`;
  }
  if (message !== '') messages.push(message);
  if (messages.length === 0) return;
  await sql.run('SELECT pg_notify($1, message) FROM unnest($2::text[]) AS given (message)', channel, messages);
}

export function parseMessage(message: string): string[] {
  return message === '' ? [] : message.split('\n');
}
