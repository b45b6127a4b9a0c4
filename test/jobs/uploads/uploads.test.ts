import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, renameSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JobFiles } from '../../../src/jobs/store/files.js';
import { createUploads, uploadLifeMs } from '../../../src/jobs/uploads/uploads.js';
import { Failure } from '../../../src/model/failure.js';
import { workbookOf } from '../../fakes/archives.js';
import { canonical, type Lab, list, openLab, plainReader } from '../../fakes/job-lab.js';

describe('uploads', () => {
  let lab: Lab;
  let now = 1_000_000;
  beforeEach(async () => {
    lab = await openLab('wasm', { now: () => now });
  });
  afterEach(() => lab.close());
  const preview = (filename = 'list.csv') => lab.uploads.preview({ path: lab.write(list(30)), filename }, 'local');

  test('a preview has the columns, the suggested one, some rows and their number', async () => {
    expect(await preview()).toEqual({
      upload_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      filename: 'list.csv',
      columns: ['id', 'email'],
      suggested_email_column: 'email',
      sample_rows: [expect.anything(), expect.anything(), expect.anything()],
      row_count: 30,
      row_count_exact: true,
    });
  });

  test('a preview copies nothing; a confirmation does', async () => {
    const { upload_id } = await preview();
    expect(readdirSync(join(lab.home, 'uploads'))).toEqual([]);
    await lab.uploads.confirm(upload_id, 'email', 'local');
    expect(readdirSync(join(lab.home, 'uploads'))).toEqual([upload_id]);
  });

  test('the bytes of a pipe, which can be read only once, are stored at its preview', async () => {
    const path = join(lab.home, 'pipe');
    execFileSync('mkfifo', [path]);
    const [found] = await Promise.all([
      lab.uploads.preview({ path, filename: 'pipe' }, 'local'),
      writeFile(path, list(7)),
    ]);
    expect(found).toMatchObject({ row_count: 7, columns: ['id', 'email'] });
    const job = await lab.uploads.confirm(found.upload_id, 'email', 'local');
    expect(job.total).toBe(7);
  });

  test('a sheet of a workbook that comes through a pipe is stored, and not looked for again', async () => {
    const path = join(lab.home, 'pipe');
    execFileSync('mkfifo', [path]);
    const book = new URL('../../fixtures/exports-of-other-programs/libreoffice-7.4-errors.xlsx', import.meta.url);
    const [found] = await Promise.all([
      lab.uploads.preview({ path, filename: 'pipe' }, 'local', { reading: { sheet: 'Old', header: 1 } }),
      writeFile(path, await readFile(book)),
    ]);
    expect(found).toMatchObject({ columns: ['Email'], sample_rows: [['bob@python.org'], ['eve@python.org']] });
    expect((await lab.store.getUpload('local', found.upload_id))?.reading).toEqual({ header: 1, warnings: [] });
  });

  test('a workbook is stored as CSV, with the warning about its other sheets', async () => {
    const path = join(lab.home, 'people.xlsx');
    const book = new URL('../../fixtures/exports-of-other-programs/libreoffice-7.4-errors.xlsx', import.meta.url);
    await writeFile(path, await readFile(book));
    const { upload_id: id } = await lab.uploads.preview({ path, filename: 'people.xlsx' }, 'an owner', { move: true });
    expect(await readFile(await lab.files.uploadPath(id), 'utf8')).toMatch(/^Email,Plan,Ratio\nada@python.org,#N\/A,/);
    const warnings = [expect.stringContaining('"Old" (2 rows)')];
    expect((await lab.store.getUpload('an owner', id))?.reading).toEqual({ warnings });
  });

  test('a workbook with too many rows leaves nothing behind', async () => {
    const path = join(lab.home, 'people.xlsx');
    const rows = '<row><c t="str"><v>ada@python.org</v></c></row>';
    await writeFile(path, workbookOf(rows.repeat(10)));
    const preview = lab.uploads.preview({ path, filename: 'people.xlsx' }, 'an owner', { move: true, maxRows: 8 });
    await expect(preview).rejects.toMatchObject({ code: 'too_large' });
    expect(readdirSync(join(lab.home, 'uploads'))).toEqual([]);
  });

  test.each([
    ['is no table', new Failure('bad_input', 'There is nothing in "PATH".'), 'nothing in "'],
    ['is not a table, with a hint', new Failure('bad_input', 'No: "PATH".', { hint: 'Look.' }), 'No'],
    ['fails with an internal error', new TypeError('x is undefined'), 'x is undefined'],
  ])('a pipe that %s leaves nothing behind, and the message names it', async (_name, fault, says) => {
    await lab.close();
    const broken = async (kept: string): Promise<never> => {
      fault.message = fault.message.replace('PATH', kept);
      throw fault;
    };
    lab = await openLab('wasm', { reader: { ...plainReader, preview: broken } });
    const path = join(lab.home, 'pipe');
    execFileSync('mkfifo', [path]);
    const [refused] = await Promise.allSettled([
      lab.uploads.preview({ path, filename: 'pipe' }, 'local'),
      writeFile(path, 'x'),
    ]);
    const { message, hint } = (refused as PromiseRejectedResult).reason as Failure;
    expect(message).toContain(says);
    expect(message).not.toContain('uploads');
    expect(hint ?? null).toBe(fault instanceof Failure ? fault.hint : null);
    expect(readdirSync(join(lab.home, 'uploads'))).toEqual([]);
  });

  test('a disk that is full while the addresses are written leaves nothing behind', async () => {
    const full = new Failure('storage', 'The disk is full.');
    let written = 0;
    const writeEmails: JobFiles['writeEmails'] = async (id) => {
      const writer = await lab.files.writeEmails(id);
      return { ...writer, write: (emails) => (++written === 3 ? Promise.reject(full) : writer.write(emails)) };
    };
    const files = { ...lab.files, writeEmails };
    const uploads = createUploads({ ...{ store: lab.store, files, reader: plainReader, canonical } });
    const { upload_id } = await uploads.preview({ path: lab.write(list(3_000)), filename: 'list.csv' }, 'local');
    await expect(uploads.confirm(upload_id, 'email', 'local')).rejects.toBe(full);
    expect(readdirSync(join(lab.home, 'emails'))).toEqual([]);
    expect(readdirSync(join(lab.home, 'uploads'))).toEqual([]);
    expect(await lab.uploads.confirm(upload_id, 'email', 'local')).toMatchObject({ total: 3_000 });
  });

  test('a list with more mailboxes than fit in memory gets a warning', async () => {
    const uploads = createUploads({ ...lab, reader: plainReader, canonical, maxMailboxes: 2 });
    const { upload_id } = await uploads.preview({ path: lab.write(list(3)), filename: 'list.csv' }, 'local');
    const warnings: string[] = [];
    const onRead = (report: { warnings: string[] }) => void warnings.push(...report.warnings);
    await uploads.confirm(upload_id, 'email', 'local', { onRead });
    expect(warnings).toEqual([expect.stringContaining('more distinct addresses')]);
  });

  test('a confirmation that fails leaves no copy behind, and can be tried again', async () => {
    const { upload_id } = await preview();
    await expect(lab.uploads.confirm(upload_id, 'email', 'local', { maxRows: 3 })).rejects.toThrow();
    expect(readdirSync(join(lab.home, 'uploads'))).toEqual([]);
    expect(await lab.uploads.confirm(upload_id, 'email', 'local')).toMatchObject({ total: 30 });
  });

  test('a file that the caller hands over is moved', async () => {
    const path = lab.write(list(5), 'taken.csv');
    const { upload_id } = await lab.uploads.preview({ path, filename: 'x' }, 'local', { move: true });
    expect(existsSync(path)).toBe(false);
    const job = await lab.uploads.confirm(upload_id, 'email', 'local');
    expect(job.total).toBe(5);
  });

  test('a file name that contains a path is reduced to a name', async () => {
    const { upload_id } = await preview('../../etc/passwd');
    const job = await lab.uploads.confirm(upload_id, 'email', 'local');
    expect(job.filename).toBe('../../etc/passwd');
    expect(readdirSync(join(lab.home, 'uploads'))).toEqual([upload_id]);
  });

  test('a column that does not exist is refused with a list of the columns', async () => {
    const { upload_id } = await preview();
    await expect(lab.uploads.confirm(upload_id, 'mail', 'local')).rejects.toMatchObject({
      code: 'bad_input',
      hint: 'Its columns are: id, email.',
    });
  });

  test.each([
    { name: 'changed', spoil: (path: string) => appendFileSync(path, '99,late@x.example\n') },
    { name: 'gone', spoil: (path: string) => renameSync(path, `${path}.away`) },
  ])('a file that is $name since its preview is refused', async ({ spoil }) => {
    const { upload_id } = await preview();
    spoil(join(lab.home, 'list.csv'));
    await expect(lab.uploads.confirm(upload_id, 'email', 'local')).rejects.toMatchObject({ code: 'conflict' });
  });

  test('an upload expires unless it was confirmed', async () => {
    const { upload_id } = await preview();
    const kept = await preview();
    await lab.uploads.confirm(kept.upload_id, 'email', 'local');
    now += uploadLifeMs + 1;
    await expect(lab.uploads.confirm(upload_id, 'email', 'local')).rejects.toMatchObject({ code: 'not_found' });
    expect(await lab.uploads.expire()).toBe(1);
    expect(await lab.uploads.confirm(kept.upload_id, 'email', 'local')).toMatchObject({ total: 30 });
  });

  test('more rows than allowed are refused and leave nothing behind', async () => {
    const { upload_id } = await preview();
    await expect(lab.uploads.confirm(upload_id, 'email', 'local', { maxRows: 29 })).rejects.toMatchObject({
      code: 'too_large',
      message: 'The list has more than 29 rows, the limit of this server.',
    });
    expect(readdirSync(join(lab.home, 'emails'))).toEqual([]);
  });

  test.each(['', 'x', '../../../etc/passwd', '00000000-0000-4000-8000-000000000000'])(
    'the id %j is not an upload',
    async (id) => {
      await expect(lab.uploads.confirm(id, 'email', 'local')).rejects.toMatchObject({ code: 'not_found' });
    },
  );
});
