import { expect, test } from 'vitest';
import type { Database, Sql } from '../../../../src/jobs/store/postgres/database.js';
import { openHeartbeat } from '../../../../src/jobs/store/postgres/heartbeat.js';

test('a heartbeat in flight when a process unregisters does not register it again', async () => {
  const done: string[] = [];
  let finishBeat = (): void => {};
  let beats = 0;
  const record = async (text: string): Promise<unknown[]> => {
    done.push(text.trim().split(' ', 1)[0] ?? '');
    return [];
  };
  const sql = { run: record, allPrepared: record } as unknown as Sql;
  const runRepeatable = async (work: (sql: Sql) => Promise<unknown>): Promise<unknown> => {
    if (done.length === 1 && beats++ === 0) {
      await new Promise<void>((resolve) => {
        finishBeat = resolve;
      });
    }
    return work(sql);
  };
  const heartbeat = openHeartbeat({ runRepeatable, writeRepeatable: runRepeatable } as unknown as Database, {
    beatMs: 3_600_000,
  });
  await heartbeat.register();
  const late = heartbeat.beat(0);
  const closed = heartbeat.close();
  finishBeat();
  await Promise.all([late, closed]);
  expect(done).toEqual(['WITH', 'WITH', 'DELETE']);
});
