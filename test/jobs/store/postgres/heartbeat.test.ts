import { expect, test } from 'vitest';
import type { Database, Sql } from '../../../../src/jobs/store/postgres/database.js';
import { openHeartbeat } from '../../../../src/jobs/store/postgres/heartbeat.js';

test('a sign of life that is under way when a process signs out does not sign it in again', async () => {
  const done: string[] = [];
  let finishBeat = (): void => {};
  let beats = 0;
  const sql = { run: async (text: string) => done.push(text.trim().split(' ', 1)[0] ?? '') } as unknown as Sql;
  const writeRepeatable = async (work: (sql: Sql) => Promise<unknown>): Promise<unknown> => {
    if (done.length === 1 && beats++ === 0) {
      await new Promise<void>((resolve) => {
        finishBeat = resolve;
      });
    }
    return work(sql);
  };
  const presence = openHeartbeat({ writeRepeatable } as unknown as Database, { beatMs: 3_600_000 });
  await presence.register();
  const late = presence.beat(0);
  const closed = presence.close();
  finishBeat();
  await Promise.all([late, closed]);
  expect(done).toEqual(['INSERT', 'INSERT', 'DELETE']);
});
