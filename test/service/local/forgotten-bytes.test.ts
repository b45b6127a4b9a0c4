import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalJobs, openLocalJobs } from '../../../src/service/local/jobs.js';
import { askerOf } from '../../fakes/asker.js';
import { canonical, knownAnswer, makeHome } from '../../fakes/job-lab.js';

describe('the bytes of the data directory', () => {
  let home: string;
  let jobs: LocalJobs;
  beforeEach(() => {
    home = makeHome();
    jobs = openLocalJobs({
      ...{ home, canonical, level: 'smtp', maxOpenRows: 100 },
      openAsker: async () =>
        askerOf(async (email) => ({
          ...knownAnswer(email),
          did_you_mean: email.includes('gmial') ? email.replace('gmial', 'gmail') : null,
        })),
    });
  });
  afterEach(async () => {
    await jobs.close();
    rmSync(home, { recursive: true, force: true });
  });
  const run = async (text: string, column = 'email', reading = {}): Promise<string> => {
    const path = join(home, 'list.csv');
    writeFileSync(path, text);
    const { upload_id } = await jobs.previewUpload({ path, filename: 'list.csv' }, { reading });
    const job = await jobs.jobs.confirm(upload_id, column, {}).finally(() => rmSync(path));
    await jobs.jobs.work(job.id);
    return job.id;
  };
  const filesWith = (text: string): string[] =>
    readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const path = join(home, name);
      return statSync(path).isFile() && readFileSync(path).includes(text);
    });
  const others = (count: number): string =>
    Array.from({ length: count }, (_, index) => `user${index}@gmial.example,\n`).join('');

  test('have no trace of a forgotten address', async () => {
    await run(
      `email,note\n${others(400)}typo@gmial.example,\nann@gmail.example,\nbo@x.example,ask ann@gmail.example\n`,
    );
    expect(filesWith('ann@gmail.example')).not.toEqual([]);
    await jobs.jobs.forget('ann@gmail.example');
    expect(filesWith('ann@gmail.example')).toEqual([]);
  });

  test('have no trace of an address that was only suggested for another', async () => {
    const id = await run(`email,note\n${others(400)}typo@gmial.example,\n`);
    expect(filesWith('typo@gmail.example')).not.toEqual([]);
    expect(await jobs.jobs.forget('typo@gmail.example')).toEqual({ cached: 0, lists: 1, rows: 0, unfinished: [] });
    expect(filesWith('typo@gmail.example')).toEqual([]);
    expect(filesWith('typo@gmial.example')).not.toEqual([]);
    expect(await jobs.getJob(id)).toMatchObject({ total: 401, processed: 401 });
  });

  test('have no trace of an address in the header, which may name the column of the addresses', async () => {
    const text = 'Mail for ann@x.example,Seen by ann@x.example\nbo@x.example,yes\n';
    const id = await run(text, 'Mail for ann@x.example', { header: 1 });
    await jobs.jobs.forget('ann@x.example');
    expect(filesWith('ann@x.example')).toEqual([]);
    const { rows, close } = await jobs.jobResults(id);
    const cells: unknown[] = [];
    for await (const chunk of rows) for (const row of chunk) cells.push(row.cells);
    await close?.();
    expect(cells).toEqual([['bo@x.example', 'yes']]);
  });

  test('have no trace of an address in a list that was deleted before', async () => {
    const id = await run(`email,note\n${others(400)}typo@gmial.example,\n`);
    await jobs.deleteJob(id);
    await jobs.jobs.forget('typo@gmail.example');
    expect(filesWith('typo@gm')).toEqual([]);
  });

  test('have no suggested spelling in clear among the answers for later runs', async () => {
    const id = await run('email\ntypo@gmial.example\nbo@x.example\n');
    const answers = await (await jobs.store()).findAnswers('smtp', ['typo@gmial.example', 'bo@x.example']);
    expect(answers.get('typo@gmial.example')?.answer).toMatchObject({ did_you_mean: 'typo@gmail.example' });
    await jobs.deleteJob(id);
    await (await jobs.store()).compact();
    expect(filesWith('typo@gmail.example')).toEqual([]);
  });
});
