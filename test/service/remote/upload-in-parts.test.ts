import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { ListService } from '../../../src/lists/pipeline.js';
import { partsFailure, uploadInParts } from '../../../src/service/remote/upload-in-parts.js';
import { codeOf } from '../../contract/validation-service.js';
import { remoteLab } from './remote-lab.js';

const folder = mkdtempSync(join(tmpdir(), 'mailvet-parts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lab = remoteLab();
let service: ListService;
beforeEach(async () => {
  service = await lab.open();
});

function csv(name: string, rows: number, header = 'name,email\n') {
  const path = join(folder, name);
  const lines = Array.from({ length: rows }, (_, index) => `"Row, ${index + 1}",user${index + 1}@site.example\n`);
  writeFileSync(path, header + lines.join(''));
  return { path, filename: name };
}

const files = () => lab.fake.seen.flatMap(({ file }) => (file === null ? [] : [file]));
const byName = () => files().sort((a, b) => a.filename.localeCompare(b.filename));

describe('a file', () => {
  test('that fits is sent unchanged', async () => {
    const upload = await uploadInParts(service, csv('small.csv', 3), { maxRows: 3 });
    expect(files()).toEqual([{ filename: 'small.csv', text: expect.stringMatching(/^name,email\n"Row, 1"/) }]);
    expect(upload.preview).toMatchObject({
      filename: 'small.csv',
      columns: ['name', 'email'],
      suggested_email_column: 'email',
      row_count: 3,
      sample_rows: [
        ['Row, 1', 'user1@site.example'],
        ['Row, 2', 'user2@site.example'],
        ['Row, 3', 'user3@site.example'],
      ],
    });
  });

  test('asks for the limit of the service, which may be below the default', async () => {
    const account = async () => ({ name: '', plan: '', credits: null, maxRows: 1_000 });
    expect((await uploadInParts({ ...service, account }, csv('large.csv', 2_500))).parts).toHaveLength(3);
  });

  test('of any size is sent as one list if the service states its limit, otherwise in parts', async () => {
    const file = csv('long.csv', 10_001);
    const account = async () => ({ name: '', plan: '', credits: null, maxRows: 20_000 });
    await uploadInParts({ ...service, account }, file);
    expect(files().map(({ filename }) => filename)).toEqual(['long.csv']);
    await uploadInParts(service, file);
    expect(byName().map(({ filename }) => filename)).toEqual(['long.csv', 'long.part-1.csv', 'long.part-2.csv']);
  });

  test('that is larger than the service takes is refused before it is sent', async () => {
    const account = async () => ({ name: '', plan: '', credits: null, maxRows: 20_000, maxFileBytes: 9_999 });
    await expect(uploadInParts({ ...service, account }, csv('large.csv', 10_001))).rejects.toMatchObject({
      code: 'too_large',
      message: 'large.csv is 1 MB; the service accepts at most 1 MB.',
    });
    expect(files()).toEqual([]);
  });

  test('that does not fit is sent in parts, each with the header, and no row is lost', async () => {
    const upload = await uploadInParts(service, csv('large.csv', 25), { maxRows: 10 });
    expect(byName().map(({ filename }) => filename)).toEqual([
      'large.part-1.csv',
      'large.part-2.csv',
      'large.part-3.csv',
    ]);
    expect(byName().map(({ text }) => text.trim().split('\n').length - 1)).toEqual([10, 10, 5]);
    expect(byName().every(({ text }) => text.startsWith('name,email\n'))).toBe(true);
    expect(upload.parts.map(({ number, rows, firstRow }) => [number, rows, firstRow])).toEqual([
      [1, 10, 1],
      [2, 10, 11],
      [3, 5, 21],
    ]);
    expect(upload.preview).toMatchObject({ filename: 'large.csv', row_count: 25 });
    expect((await upload.confirm('Email')).map(({ job }) => job?.status)).toEqual(['queued', 'queued', 'queued']);
    expect(lab.fake.jobs).toHaveLength(3);
    expect(lab.fake.violations).toEqual([]);
  });

  test('without a header gets one, so that its first address is not lost', async () => {
    await uploadInParts(service, csv('bare.csv', 2, ''), { maxRows: 10 });
    expect(files()).toEqual([{ filename: 'bare.csv', text: expect.stringMatching(/^column_1,column_2\n/) }]);
  });

  test.each(['people.ndjson', 'people.jsonl.gz'])('of JSON is sent as CSV, also by its name: %s', async (name) => {
    const path = join(folder, name);
    const text = '{"email":"ann@site.example","n":1}\n';
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
    await uploadInParts(service, { path, filename: name });
    expect(files()).toEqual([{ filename: 'people.csv', text: 'email,n\nann@site.example,1\n' }]);
  });

  test('leaves nothing behind in the temporary folder', async () => {
    // Other processes have their folders there.
    const ownFolders = (): string[] =>
      readdirSync(tmpdir()).filter((name) => name.startsWith('mailvet-upload-') && name.includes(`~${process.pid}~`));
    await uploadInParts(service, csv('large.csv', 25), { maxRows: 10 });
    expect(ownFolders()).toEqual([]);
  });

  test.each([
    { name: 'that does not exist', file: { path: join(folder, 'none.csv'), filename: 'none.csv' }, want: 'bad_input' },
  ])('$name is a Failure', async ({ file, want }) => expect(await codeOf(uploadInParts(service, file))).toBe(want));
});

describe('a part that fails', () => {
  test('at its confirmation is not confirmed twice when the others are', async () => {
    let confirms = 0;
    lab.fake.misbehave(({ path }) => (path.endsWith('/confirm') && ++confirms === 1 ? { status: 402 } : undefined));
    const upload = await uploadInParts(service, csv('large.csv', 25), { maxRows: 10 });
    await upload.confirm('email');
    expect(upload.parts.filter(({ job }) => job === null)).toHaveLength(1);
    await upload.confirm('email');
    expect(confirms).toBe(4);
    expect(partsFailure(upload.parts)).toBeNull();
  });

  test('is sent again alone, by a later start that knows the jobs of the others', async () => {
    let confirms = 0;
    lab.fake.misbehave(({ path }) => (path.endsWith('/confirm') && ++confirms === 2 ? { status: 402 } : undefined));
    const options = { maxRows: 10 };
    let states: readonly string[] = [];
    const first = await uploadInParts(service, csv('large.csv', 25), options);
    const onState = async (current: readonly string[]): Promise<void> => {
      states = [...current];
    };
    await first.confirm('email', { onState });
    expect(partsFailure(first.parts)?.message).toMatch(/^Part \d of 3 failed; /);
    expect(states.map((state) => state.startsWith('upload ')).sort()).toEqual([false, false, true]);
    const second = await uploadInParts(service, csv('large.csv', 25), options);
    await second.confirm('email', { known: states });
    expect(partsFailure(second.parts)).toBeNull();
    expect(confirms).toBe(4);
    expect(new Set(second.parts.map(({ job }) => job?.id)).size).toBe(3);
  });

  test('fails the upload only if every part fails', async () => {
    lab.fake.misbehave(() => ({ status: 402 }));
    expect(await codeOf(uploadInParts(service, csv('large.csv', 25), { maxRows: 10 }))).toBe('no_credits');
  });

  test('a column that does not exist is refused before anything is confirmed', async () => {
    const upload = await uploadInParts(service, csv('large.csv', 25), { maxRows: 10 });
    await expect(upload.confirm('e-mial')).rejects.toMatchObject({
      code: 'usage',
      hint: expect.stringContaining('"email"'),
    });
    expect(lab.fake.jobs).toHaveLength(0);
  });
});
