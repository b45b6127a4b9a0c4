import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LocalJobs, openLocalJobs } from '../../../src/service/local/jobs.js';
import { lastResults } from '../../contract/store/store-lab.js';
import { textCell, workbookOf } from '../../fakes/archives.js';
import { askerOf } from '../../fakes/asker.js';
import { canonical, knownAnswer, makeHome } from '../../fakes/job-lab.js';

describe('forgetting an address', () => {
  let home: string;
  let jobs: LocalJobs;
  let asked: string[];
  beforeEach(() => {
    home = makeHome();
    asked = [];
    jobs = openLocalJobs({
      ...{ home, canonical, level: 'smtp', maxOpenRows: 100 },
      openAsker: async () =>
        askerOf(async (email) => {
          asked.push(email);
          const did_you_mean = email.includes('gmial') ? email.replace('gmial', 'gmail') : null;
          return { ...knownAnswer(email), status: email.startsWith('ann') ? 'invalid' : 'valid', did_you_mean };
        }),
    });
  });
  afterEach(async () => {
    await jobs.close();
    rmSync(home, { recursive: true, force: true });
  });
  const confirm = async (
    text: string | Buffer,
    column = 'email',
    filename = 'list.csv',
    reading = {},
  ): Promise<string> => {
    const path = join(home, filename);
    writeFileSync(path, text);
    const { upload_id } = await jobs.previewUpload({ path, filename }, { reading });
    const job = await jobs.confirmUpload(upload_id, column, {}).finally(() => rmSync(path));
    return job.id;
  };
  const run = async (...list: Parameters<typeof confirm>): Promise<string> => {
    const id = await confirm(...list);
    await jobs.jobs.work(id);
    return id;
  };
  /** Each row of the results as `cells: status`. */
  const results = async (id: string): Promise<string[]> => {
    const { rows, close } = await jobs.jobResults(id);
    const lines: string[] = [];
    for await (const chunk of rows)
      for (const { cells, verdict } of chunk) lines.push(`${cells.join('|')}: ${verdict?.status ?? ''}`);
    await close?.();
    return lines;
  };
  /** Files of the data directory that contain the text. */
  const filesWith = (text: string): string[] =>
    readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => {
      const path = join(home, name);
      return statSync(path).isFile() && readFileSync(path, 'utf8').toLowerCase().includes(text);
    });

  test('deletes its rows, empties cells with it, and keeps all other rows unchanged', async () => {
    const text = [
      ...['name,email,manager', '"Bo, Jr",bo@x.example,Ann <ANN@x.example>', 'Ann,ann@x.example,'],
      ...['Joann,joann@x.example,"joann@x.example.org"', 'Ann again,Ann@X.example,', 'Cy,cy@x.example,', ''],
    ].join('\r\n');
    const id = await run(text);
    expect(await jobs.jobs.forget('ann@x.example')).toEqual({ cached: 2, lists: 1, rows: 2, unfinished: [] });
    expect(filesWith('"ann@')).toEqual([]);
    expect(filesWith('<ann@')).toEqual([]);
    expect(filesWith(',ann@')).toEqual([]);
    expect(await results(id)).toEqual([
      'Bo, Jr|bo@x.example|: valid',
      'Joann|joann@x.example|joann@x.example.org: valid',
      'Cy|cy@x.example|: valid',
    ]);
    expect(await jobs.getJob(id)).toMatchObject({ total: 3, processed: 3, invalid_count: 0, forgotten_count: 2 });
  });

  test('gives no verdict of a deleted row to a row without an address', async () => {
    const id = await run('name,email\nBo,bo@x.example\nAnn,ann@x.example\nNone,\nBook of Ann,Ann <ann@x.example>\n');
    await jobs.jobs.forget('ann@x.example');
    expect(await results(id)).toEqual(['Bo|bo@x.example: valid', 'None|: empty']);
  });

  test('deletes texts that were vetted with the address in them', async () => {
    const id = await run('name,email\nA,ann@x.example.\nB,ann@x.example bo@x.example\nC,cy@x.example\n');
    expect(await jobs.jobs.forget('ann@x.example')).toMatchObject({ lists: 1, rows: 2 });
    expect(filesWith('ann@')).toEqual([]);
    expect(await results(id)).toEqual(['C|cy@x.example: valid']);
  });

  test('accepts an address with characters that are special in patterns', async () => {
    const email = "mary-ann.o'neil+a/b{c}|d^e$f*g?h@x-y.example";
    const id = await run(`email,note\n${email},\nbo@x.example,${email} asked\nmaryXann@x-y.example,\n`);
    expect(await jobs.jobs.forget(email)).toMatchObject({ lists: 1, rows: 1 });
    expect(await results(id)).toEqual(['bo@x.example|: valid', 'maryXann@x-y.example|: valid']);
    expect(filesWith('mary-ann')).toEqual([]);
  });

  test('works for a list of several slices, and leaves other repeats their answers', async () => {
    const others = Array.from({ length: 2_500 }, (_, n) => `user${n % 2_400}@x.example,\n`);
    const id = await run(`email,note\nann@x.example,\n${others.join('')}ann@x.example,again\n`);
    expect(await jobs.jobs.forget('ann@x.example')).toMatchObject({ lists: 1, rows: 2 });
    expect(filesWith('ann@x')).toEqual([]);
    expect(await results(id)).toEqual(others.map((line) => `${line.slice(0, -2)}|: valid`));
    expect(await jobs.jobs.forget('ann@x.example')).toMatchObject({ lists: 0, rows: 0 });
  });

  test('leaves the other rows of a list whose file is gone', async () => {
    const id = await run('email\nann@x.example\nbo@x.example\n');
    await jobs.jobs.forget('ann@x.example');
    rmSync(join(home, 'uploads'), { recursive: true });
    mkdirSync(join(home, 'uploads'));
    expect(await results(id)).toEqual(['bo@x.example: valid']);
  });

  test('keeps the columns of a workbook, whatever its title', async () => {
    const head = `<row>${textCell('A1', 'sep=;')}</row><row>${textCell('A2', 'id')}${textCell('B2', 'email')}</row>`;
    const rows = ['ann', 'bo', 'cy'].map(
      (name) => `<row>${textCell('A3', name)}${textCell('B3', `${name}@x.example`)}</row>`,
    );
    const id = await run(workbookOf(head + rows.join('')), 'email', 'list.xlsx');
    expect(await jobs.jobs.forget('ann@x.example')).toMatchObject({ lists: 1, rows: 1 });
    expect(await results(id)).toEqual(['bo|bo@x.example: valid', 'cy|cy@x.example: valid']);
  });

  test('a second run finds nothing', async () => {
    await run('email\nann@x.example\nbo@x.example\n');
    await jobs.jobs.forget('ann@x.example');
    expect(await jobs.jobs.forget('ann@x.example')).toEqual({ cached: 0, lists: 0, rows: 0, unfinished: [] });
  });

  test('the address is checked again when it is uploaded again', async () => {
    await run('email\nann@x.example\n');
    await jobs.jobs.forget('ann@x.example');
    asked = [];
    const id = await run('email\nann@x.example\n');
    expect(asked).toEqual(['ann@x.example']);
    expect(await results(id)).toEqual(['ann@x.example: invalid']);
  });

  test.each([
    ['lines', 'list.txt', 'bo@x.example\nann@x.example\ncy@x.example\n'],
    ['JSON', 'list.json', '[{"email":"bo@x.example"},{"email":"ann@x.example"},{"email":"cy@x.example"}]'],
    ['UTF-16', 'list.csv', Buffer.from('\ufeffemail\nbo@x.example\nann@x.example\ncy@x.example\n', 'utf16le')],
  ])('a list of %s', async (_name, filename, text) => {
    const id = await run(text, 'email', filename);
    expect(await jobs.jobs.forget('ann@x.example')).toMatchObject({ lists: 1, rows: 1 });
    expect(await results(id)).toEqual(['bo@x.example: valid', 'cy@x.example: valid']);
    expect(filesWith('ann@')).toEqual([]);
  });

  test.each(['', 'sep=;\r\n', '\ufeff', '\ufeffsep=;\n'])(
    'titles above a header stay there, after %j',
    async (start) => {
      const titles = `${start}Export;;\nOf today;;\n`;
      const rows = '1;bo@x.example;a\n2;ann@x.example;b\n3;cy@x.example;c\n4;di@x.example;d\n';
      const id = await run(`${titles}Nr;E-Mail;Note\n${rows}`, 'E-Mail');
      for (const email of ['ann@x.example', 'bo@x.example']) {
        expect(await jobs.jobs.forget(email)).toMatchObject({ lists: 1, rows: 1 });
      }
      const { columns, layout, close } = await jobs.jobResults(id);
      await close?.();
      const above = layout?.charset?.show(layout.preamble ?? '');
      expect([columns, layout?.hasHeader, above]).toEqual([['Nr', 'E-Mail', 'Note'], true, titles]);
      expect(await results(id)).toEqual(['3|cy@x.example|c: valid', '4|di@x.example|d: valid']);
    },
  );

  test('deletes the address above the header, too, even if the addresses of a job were lost', async () => {
    const lost = await run('email\nbo@x.example\n');
    rmSync(join(home, 'emails', lost));
    const id = await run('Exported by ann@x.example\n\nemail,name\nbo@x.example,Bo\ncy@x.example,Cy\n');
    expect(await jobs.jobs.forget('ann@x.example')).toMatchObject({ lists: 1, rows: 0 });
    expect(filesWith('ann@')).toEqual([]);
    expect(await results(id)).toEqual(['bo@x.example|Bo: valid', 'cy@x.example|Cy: valid']);
  });

  test('the spelling that its verdict suggests is deleted, too', async () => {
    const id = await run('email\ntypo@gmial.example\nbo@x.example\n');
    const suggestions = async (): Promise<unknown[]> => {
      return (await lastResults(await jobs.store(), id)).map(({ verdict }) => verdict.did_you_mean);
    };
    expect(await suggestions()).toEqual(['typo@gmail.example', null]);
    await jobs.jobs.forget('typo@gmial.example');
    expect(await suggestions()).toEqual([null, null]);
    expect(await results(id)).toEqual(['bo@x.example: valid']);
  });

  test('files that a crash left without an upload or job are removed after an hour', async () => {
    await run('email\nbo@x.example\n');
    const orphans = ['uploads', 'emails'].map((folder) => join(home, folder, randomUUID()));
    const fresh = join(home, 'uploads', randomUUID());
    for (const path of [...orphans, fresh]) writeFileSync(path, 'ann@x.example\n');
    const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
    for (const path of orphans) utimesSync(path, twoDaysAgo, twoDaysAgo);
    const id = await run('email\ncy@x.example\n');
    expect(orphans.map((path) => existsSync(path))).toEqual([true, true]);
    await jobs.jobs.forget('ann@x.example');
    expect(orphans.map((path) => existsSync(path))).toEqual([false, false]);
    expect(existsSync(fresh)).toBe(true);
    expect(await results(id)).toEqual(['cy@x.example: valid']);
  });

  test('a list with only that address stays as an empty one', async () => {
    const id = await run('email\nann@x.example\n');
    await jobs.jobs.forget('ann@x.example');
    expect(await results(id)).toEqual([]);
  });

  test('a list that has not ended is named and stays unchanged, and one that only mentions it is rewritten', async () => {
    const waiting = await confirm('email\nann@x.example\n');
    const id = await run('email,note\nbo@x.example,see ann@x.example\n');
    expect(await jobs.jobs.forget('ann@x.example')).toEqual({ cached: 0, lists: 1, rows: 0, unfinished: [waiting] });
    expect(await results(id)).toEqual(['bo@x.example|: valid']);
    await jobs.jobs.work(waiting);
    expect(await jobs.jobs.forget('ANN@x.example')).toMatchObject({ lists: 1, rows: 1, unfinished: [] });
  });

  const others = (count: number): string =>
    Array.from({ length: count }, (_, index) => `user${index}@gmial.example,\n`).join('');

  test('leaves no trace of a forgotten address', async () => {
    await run(
      `email,note\n${others(400)}typo@gmial.example,\nann@gmail.example,\nbo@x.example,ask ann@gmail.example\n`,
    );
    expect(filesWith('ann@gmail.example')).not.toEqual([]);
    await jobs.jobs.forget('ann@gmail.example');
    expect(filesWith('ann@gmail.example')).toEqual([]);
  });

  test('leaves no trace of an address that was only suggested for another', async () => {
    const id = await run(`email,note\n${others(400)}typo@gmial.example,\n`);
    expect(filesWith('typo@gmail.example')).not.toEqual([]);
    expect(await jobs.jobs.forget('typo@gmail.example')).toEqual({ cached: 0, lists: 1, rows: 0, unfinished: [] });
    expect(filesWith('typo@gmail.example')).toEqual([]);
    expect(filesWith('typo@gmial.example')).not.toEqual([]);
    expect(await jobs.getJob(id)).toMatchObject({ total: 401, processed: 401 });
  });

  test('leaves no trace of an address in the header, which may name the column of the addresses', async () => {
    const text = 'Mail for ann@x.example,Seen by ann@x.example\nbo@x.example,yes\n';
    const id = await run(text, 'Mail for ann@x.example', 'list.csv', { header: 1 });
    await jobs.jobs.forget('ann@x.example');
    expect(filesWith('ann@x.example')).toEqual([]);
    expect(await results(id)).toEqual(['bo@x.example|yes: valid']);
  });

  test('leaves no trace of an address in a list that was deleted before', async () => {
    const id = await run(`email,note\n${others(400)}typo@gmial.example,\n`);
    await jobs.deleteJob(id);
    await jobs.jobs.forget('typo@gmail.example');
    expect(filesWith('typo@gm')).toEqual([]);
  });

  test('leaves no suggested spelling in clear among the answers for later runs', async () => {
    const id = await run('email\ntypo@gmial.example\nbo@x.example\n');
    const answers = await (await jobs.store()).findAnswers('smtp', ['typo@gmial.example', 'bo@x.example']);
    expect(answers.get('typo@gmial.example')?.answer).toMatchObject({ did_you_mean: 'typo@gmail.example' });
    await jobs.deleteJob(id);
    await (await jobs.store()).compact();
    expect(filesWith('typo@gmail.example')).toEqual([]);
  });
});
