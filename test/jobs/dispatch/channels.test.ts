import { expect, test } from 'vitest';
import { notify, parseMessage } from '../../../src/jobs/dispatch/channels.js';
import type { Sql } from '../../../src/jobs/store/postgres/database.js';

test('a long list of items arrives complete, in messages that PostgreSQL accepts', async () => {
  const messages: string[] = [];
  const run: Sql['run'] = async (_, __, payloads) => messages.push(...(payloads as string[]));
  const sql = { run } as Sql;
  const words = Array.from({ length: 3_000 }, (_, n) => (n % 500 === 0 ? `@Grüße ${n}` : String(100_000_000 + n)));
  await notify(sql, 'anything', words);
  expect(messages.flatMap(parseMessage)).toEqual(words);
  expect(messages.every((message) => Buffer.byteLength(message) < 8_000)).toBe(true);
  await notify(sql, 'anything', []);
  expect(parseMessage('')).toEqual([]);
});
