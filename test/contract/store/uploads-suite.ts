import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EmailsLost } from '../../../src/jobs/uploads/email-record.js';
import { list } from '../../fakes/job-lab.js';
import { job, listedEmails, type OpenStoreLab, type StoreLab, upload, uuid } from './store-lab.js';

/** Tests of uploads, their bytes and their addresses, for each store. */
export function uploadsSuite(open: OpenStoreLab): void {
  let lab: StoreLab;
  beforeEach(async () => {
    lab = await open();
  });
  afterEach(() => lab.close());

  test('reports that it is writable and intact', async () => {
    await expect(lab.store.checkWritable()).resolves.toBeUndefined();
    expect(await lab.store.check()).toEqual([]);
  });

  test('an upload with all its fields is visible to its owner only', async () => {
    const known = { ...upload(uuid(1), 'a'), sourceSize: 5_000_000_000, sourceChanged: 1_790_000_000_000, rowCount: 7 };
    const reading = { encoding: 'shift_jis', skipRows: 2, sample: { rows: 10, seed: 7 } };
    await lab.store.addUpload({ ...known, columns: ['e-mail', 'ü"'], rowCountExact: false, reading });
    const found = await (await lab.openAnother()).getUpload('a', uuid(1));
    expect(found).toEqual({ ...known, columns: ['e-mail', 'ü"'], rowCountExact: false, reading });
    expect(await lab.store.getUpload('b', uuid(1))).toBeNull();
  });

  test('text is stored unchanged, except for NUL', async () => {
    const filename = 'naïve "😀".csv\n\0x';
    await lab.store.addUpload({ ...upload(uuid(1), 'local'), filename });
    expect((await lab.store.getUpload('local', uuid(1)))?.filename).toBe('naïve "😀".csv\n\ufffdx');
  });

  test('unconfirmed uploads are counted, and expire', async () => {
    await lab.store.addUpload({ ...upload(uuid(1), 'a', 100), sourceSize: 30 });
    await lab.store.addUpload({ ...upload(uuid(2), 'a', 200), sourceSize: 12 });
    await lab.store.addUpload(upload(uuid(3), 'a', 100));
    await lab.store.confirmUpload(job(uuid(4), uuid(3), 'a'), false);
    expect(await lab.store.unconfirmed('a')).toEqual({ uploads: 2, bytes: 42 });
    expect(await lab.store.expireUploads(200)).toEqual([uuid(1)]);
    expect(await lab.store.unconfirmed('a')).toEqual({ uploads: 1, bytes: 12 });
    expect(await lab.store.unconfirmed('b')).toEqual({ uploads: 0, bytes: 0 });
  });

  test('a rewritten upload has another id, which its job has, too', async () => {
    await lab.store.addUpload(upload(uuid(1), 'a', 100));
    await lab.store.confirmUpload(job(uuid(2), uuid(1), 'a'), false);
    await lab.store.replaceUpload(uuid(1), { id: uuid(3), reading: { format: 'csv' }, columns: ['email'] }, 'email');
    expect(await lab.store.getUpload('a', uuid(1))).toBeNull();
    expect(await lab.store.getUpload('a', uuid(3))).toMatchObject({ reading: { format: 'csv' } });
    expect(await lab.store.getJob('a', uuid(2))).toMatchObject({ uploadId: uuid(3) });
  });

  test('an unknown upload cannot be confirmed', async () => {
    await expect(lab.store.confirmUpload(job(uuid(3), uuid(9), 'local'), false)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await lab.store.getJob('local', uuid(3))).toBeNull();
  });

  test('several concurrent confirmations of one upload create one job', async () => {
    const path = lab.write(list(30));
    const { upload_id } = await lab.uploads.preview({ path, filename: 'list.csv' }, 'local');
    const confirmed = await Promise.all([1, 2, 3].map(() => lab.uploads.confirm(upload_id, 'email', 'local')));
    const [id, ...others] = new Set(confirmed.map((made) => made.id));
    expect(others).toEqual([]);
    expect((await lab.store.listJobs('local', { skip: 0, limit: 10 })).total).toBe(1);
    expect(await listedEmails(lab.files, id ?? '')).toHaveLength(30);
  });

  test('bytes that are replaced while they are read are read completely', async () => {
    const bytes = Buffer.alloc(2_500_000, 'as many letters as fill some pieces');
    const path = join(lab.home, 'again');
    writeFileSync(path, bytes);
    for (const n of [1, 2, 3, 4]) {
      await lab.files.copyUpload(path, uuid(n));
      const keepAgain = () => lab.files.copyUpload(path, uuid(n));
      const [read] = await Promise.all([lab.files.uploadPath(uuid(n)), keepAgain(), keepAgain()]);
      expect(readFileSync(read).equals(bytes)).toBe(true);
    }
  });

  test('bytes are read as they were written, until they are removed', async () => {
    const bytes = Buffer.alloc(2_500_000, (Math.PI * 1e6).toString(16));
    const path = join(lab.home, 'bytes');
    writeFileSync(path, bytes);
    async function* pieces() {
      for (let offset = 0; offset < bytes.length; offset += 300_007) yield bytes.subarray(offset, offset + 300_007);
    }
    await lab.files.writeUpload(pieces(), uuid(1));
    await lab.files.copyUpload(path, uuid(2));
    await lab.files.moveUpload(path, uuid(3));
    for (const n of [1, 2, 3]) {
      expect(readFileSync(await lab.files.uploadPath(uuid(n))).equals(bytes)).toBe(true);
      await lab.files.removeUpload(uuid(n));
      expect(
        await lab.files
          .uploadPath(uuid(n))
          .then(
            (found) => readFileSync(found),
            () => null,
          )
          .catch(() => null),
      ).toBeNull();
    }
  });

  test('a stream that fails leaves nothing behind', async () => {
    async function* broken() {
      yield Buffer.alloc(1_500_000);
      throw new Error('the pipe broke');
    }
    await expect(lab.files.writeUpload(broken(), uuid(1))).rejects.toThrow('the pipe broke');
    expect(
      await lab.files
        .uploadPath(uuid(1))
        .then(
          (found) => readFileSync(found),
          () => null,
        )
        .catch(() => null),
    ).toBeNull();
  });

  test('the addresses of a job are readable in order once they are complete, and are deleted with it', async () => {
    const writer = await lab.files.writeEmails(uuid(1));
    await writer.write(['a@x', '', ['b@x'], ['a@x', 0]]);
    await writer.write([]);
    await writer.write(Array.from({ length: 3_000 }, (_, n) => `ü"${n}@x`));
    await expect(listedEmails(lab.files, uuid(1))).rejects.toBeInstanceOf(EmailsLost);
    await writer.close();
    const listed = await listedEmails(lab.files, uuid(1));
    expect([listed.length, ...listed.slice(0, 5), listed[3_003]]).toEqual([
      ...[3_004, 'a@x', '', ['b@x'], ['a@x', 0], 'ü"0@x', 'ü"2999@x'],
    ]);
    expect(await listedEmails(lab.files, uuid(1), 2)).toEqual(listed.slice(2_000, 3_000));
    expect(await listedEmails(lab.files, uuid(1), 3)).toEqual(listed.slice(3_000));
    await lab.files.removeJob(uuid(1));
    await expect(listedEmails(lab.files, uuid(1))).rejects.toBeInstanceOf(EmailsLost);
    const unwanted = await lab.files.writeEmails(uuid(2));
    await unwanted.write(['a@x']);
    await unwanted.discard();
    await expect(listedEmails(lab.files, uuid(2))).rejects.toMatchObject({ code: 'storage' });
  });
}
