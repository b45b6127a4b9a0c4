import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jobResults } from '../../../src/jobs/results/job-results.js';
import { createRunner } from '../../../src/jobs/run/runner.js';
import { encodeChunk } from '../../../src/jobs/store/results.js';
import { openSqlite } from '../../../src/jobs/store/sqlite/open-sqlite.js';
import type { JobStore } from '../../../src/jobs/store/store.js';
import { result, verdict } from '../../contract/store/store-lab.js';
import { askerOf } from '../../fakes/asker.js';
import { canonical, drivers, knownAnswer, type Lab, list, openLab, plainReader } from '../../fakes/job-lab.js';

const day = 86_400_000;

describe.each(drivers)('records that mailvet did not write, on %s', (driver) => {
  let lab: Lab;
  let id: string;
  beforeEach(async () => {
    lab = await openLab(driver);
    id = await lab.submit(list(5), { cacheScope: 'dns', maxAgeMs: 30 * day });
    await run();
  });
  afterEach(() => lab.close());

  /** Runs the next job. Returns how it ended, and what was asked. */
  const run = async () => {
    const asked: string[] = [];
    const vet = (email: string) => {
      asked.push(email);
      return knownAnswer(email);
    };
    const ran = await createRunner({ ...lab, canonical, openAsker: async () => askerOf(vet) }).runNext();
    return { end: ran?.end, asked };
  };

  const change = async (statement: string, ...values: string[]): Promise<void> => {
    const sqlite = await openSqlite(lab.files.storePath, { driver });
    await sqlite.write((sql) => sql.run(statement, ...values));
    await sqlite.close();
  };
  const readAll = async (): Promise<unknown[]> => {
    const { rows } = await jobResults({ ...lab, reader: plainReader }, 'local', id);
    const all = [];
    for await (const some of rows) all.push(...some);
    return all;
  };

  const damaged = ['[]', '[["valid"]]', '[[0,1,2,3]]', '[0]'].map((verdicts) => `${verdicts},"rows":[0,0]`);
  const rows = ['-1,0', '0.5,0', '"0",0', '0', '0,1'].map((pair) => `[["valid","",1,1]],"rows":[${pair}]`);
  test.each(['', '{', '7', '{}', '[[0]]', ...[...damaged, ...rows].map((verdicts) => `{"verdicts":${verdicts}}`)])(
    'results that are %j are reported as damaged, and never shown',
    async (data) => {
      await change('UPDATE chunks SET data = ?', data);
      await expect(readAll()).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining('damaged') });
    },
  );

  test('a job whose results are damaged fails once, with that message', async () => {
    await change(`UPDATE jobs SET state = 'queued', processed = 0`);
    await change('UPDATE chunks SET data = ?', '[');
    expect((await run()).end).toBe('failed');
    expect((await lab.store.getJob('local', id))?.error).toContain('damaged');
  });

  test('results of rows that the file does not have are left out', async () => {
    await change(
      'INSERT INTO chunks (job, data) VALUES (1, ?)',
      '{"verdicts":[["valid","",1,1]],"rows":[4000000000,0,7,0],"waits":[[1,9,null]]}',
    );
    expect(await readAll()).toHaveLength(5);
    await change(`UPDATE jobs SET state = 'queued'`);
    expect((await run()).end).toBe('completed');
  });

  test('neighbors with one verdict are stored as a run', async () => {
    const data = encodeChunk([0, 1, 2, 4].map((row) => result(row)));
    expect(JSON.parse(data)).toMatchObject({ rows: [0, 0, -2, 4, 0] });
    await change('UPDATE chunks SET data = ?', data);
    const { status } = verdict;
    const verdicts = [{ status }, { status }, { status }, null, { status }];
    expect(await readAll()).toMatchObject(verdicts.map((each) => ({ verdict: each })));
  });

  test('unknown fields of results are ignored', async () => {
    await change('UPDATE chunks SET data = ?', '{"verdicts":[["valid","",0.5,1,null,"later"]],"rows":[0,0],"later":1}');
    expect((await readAll())[0]).toMatchObject({ verdict: { status: 'valid', confidence: 0.5 } });
  });

  test.each<{ name: string; column: string; look(store: JobStore): Promise<unknown> }>([
    { name: 'options', column: 'options', look: (store) => store.getJob('local', id) },
    { name: 'counts', column: 'sub_counts', look: (store) => store.listJobs('local', { skip: 0, limit: 1 }) },
  ])('$name of a job that cannot be read are reported as damaged', async ({ column, look }) => {
    await change(`UPDATE jobs SET ${column} = 'x'`);
    await expect(look(lab.store)).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining(column) });
  });

  test.each(['', '[]', '{"a":1}', '["valid"]', '["valid","",1,"yes",null]', '["valid","",1,true,null,"later"]'])(
    'an address whose stored answer is %j is asked for again',
    async (verdict) => {
      await change('UPDATE answers SET answer = ?', verdict);
      expect(await lab.store.findAnswers('dns', ['person0@host0.example'])).toEqual(new Map());
      await lab.submit(list(5), { cacheScope: 'dns', maxAgeMs: 30 * day });
      expect((await run()).asked).toHaveLength(5);
    },
  );

  test.each([
    { name: 'a day ahead, as after a wrong clock', aheadMs: day, want: 5 },
    // An unknown answer is never reused.
    { name: 'an hour old', aheadMs: -3_600_000 + 1000, want: 1 },
    { name: 'too old', aheadMs: -31 * day, want: 5 },
  ])('an answer that is $name: $want of 5 rows are asked for again', async ({ aheadMs, want }) => {
    await change('UPDATE answers SET checked_at = ?', String(Date.now() + aheadMs));
    await lab.submit(list(5), { cacheScope: 'dns', maxAgeMs: 30 * day });
    expect((await run()).asked).toHaveLength(want);
  });
});
