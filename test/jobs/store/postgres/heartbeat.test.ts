import { expect, test } from 'vitest';
import type { Database, Sql } from '../../../../src/jobs/store/postgres/database.js';
import { openHeartbeat } from '../../../../src/jobs/store/postgres/heartbeat.js';

test('a heartbeat in flight when a process unregisters does not register it again', async () => {
  const done: string[] = [];
  let finishBeat = (): void => {};
  let beats = 0;
  const record = async (text: string): Promise<null> => {
    done.push(text.trim().split(' ', 1)[0] ?? '');
    return null;
  };
  const sql = { run: record, get: record } as unknown as Sql;
  const writeRepeatable = async (work: (sql: Sql) => Promise<unknown>): Promise<unknown> => {
    if (done.length === 1 && beats++ === 0) {
      await new Promise<void>((resolve) => {
        finishBeat = resolve;
      });
    }
    return work(sql);
  };
  const heartbeat = openHeartbeat({ writeRepeatable } as unknown as Database, {
    beatMs: 3_600_000,
  });
  await heartbeat.register();
  const late = heartbeat.beat(0);
  const closed = heartbeat.close();
  finishBeat();
  await Promise.all([late, closed]);
  expect(done).toEqual(['WITH', 'WITH', 'DELETE']);
});
