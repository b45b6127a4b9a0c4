import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newIdentity } from '../../../src/disk/process-identity.js';
import { type DiskFiles, openJobFiles } from '../../../src/jobs/uploads/job-files.js';
import { listedEmails } from '../../contract/store/store-lab.js';
import { makeHome } from '../../fakes/job-lab.js';

const id = '00000000-0000-4000-8000-000000000001';
const dead = newIdentity().split('~').with(3, '4194305').join('~');

describe('the files of jobs', () => {
  let home: string;
  let files: DiskFiles;
  beforeEach(() => {
    home = makeHome();
    files = openJobFiles(home);
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const filesIn = (folder: string): string[] => readdirSync(join(home, folder));
  async function* pieces(...texts: string[]) {
    for (const text of texts) yield Buffer.from(text);
  }

  test.each(['', 'x', '..', '../../etc/passwd', `${id}/..`, `${id}.log`, id.toUpperCase().replace('0', 'A')])(
    'the id %j never becomes a path',
    async (wanted) => {
      await expect(files.uploadPath(wanted)).rejects.toMatchObject({ code: 'not_found' });
      expect(() => files.logPath(wanted)).toThrowError(expect.objectContaining({ code: 'not_found' }));
    },
  );

  test('addresses are readable once the file is complete', async () => {
    const writer = await files.writeEmails(id);
    await writer.write(['a@x.example', 'b\n"@x.example']);
    await writer.write([]);
    await expect(listedEmails(files, id)).rejects.toMatchObject({ code: 'storage' });
    await writer.write(['ü@x.example', ['met@x.example'], ['a@x.example', 0]]);
    await writer.close();
    expect(await listedEmails(files, id)).toEqual([
      ...['a@x.example', 'b\n"@x.example', 'ü@x.example', ['met@x.example'], ['a@x.example', 0]],
    ]);
    expect(statSync(join(home, 'emails', id)).mode & 0o777).toBe(0o600);
  });

  test('discarded addresses leave no file', async () => {
    const writer = await files.writeEmails(id);
    await writer.write(['a@x.example']);
    await writer.discard();
    expect(filesIn('emails')).toEqual([]);
  });

  test('a failing disk is a storage Failure, and leaves no file', async () => {
    const writer = await files.writeEmails(id);
    rmSync(home, { recursive: true });
    await expect(writer.close()).rejects.toMatchObject({ code: 'storage' });
    await writer.discard();
    await expect(files.writeEmails(id)).rejects.toMatchObject({ code: 'storage' });
    await expect(files.removeLeftovers()).rejects.toMatchObject({ code: 'storage' });
    await expect(files.copyUpload('/dev/null', id)).rejects.toMatchObject({ code: 'storage' });
  });

  test('truncated bytes leave no file', async () => {
    async function* broken() {
      yield Buffer.from('id,email\n');
      throw new Error('the pipe broke');
    }
    await expect(files.writeUpload(broken(), id)).rejects.toThrow('the pipe broke');
    expect(filesIn('uploads')).toEqual([]);
    await files.writeUpload(pieces('id,', 'email\n'), id);
    expect(filesIn('uploads')).toEqual([id]);
  });

  test('a source that cannot be read leaves no file', async () => {
    await expect(files.copyUpload(join(home, 'nowhere'), id)).rejects.toMatchObject({ code: 'storage' });
    expect(filesIn('uploads')).toEqual([]);
  });

  test('a job is removed with its notes, even if its files are gone', async () => {
    const writer = await files.writeEmails(id);
    await writer.close();
    writeFileSync(files.logPath(id), 'note\n');
    await files.removeJob(id);
    await files.removeJob(id);
    await files.removeUpload(id);
    expect([...filesIn('emails'), ...filesIn('logs')]).toEqual([]);
  });

  test('partial files of a killed process are removed; those of a live one, and all others, stay', async () => {
    const writer = await files.writeEmails(id);
    writeFileSync(join(home, 'uploads', `${id}.${dead}.part`), 'half');
    writeFileSync(join(home, 'emails', `${id}.${dead}.part`), 'half');
    writeFileSync(join(home, 'uploads', `${id}.elsewhere~~~1~~x~1.part`), 'who knows');
    writeFileSync(join(home, 'uploads', 'notes.part'), 'of the user');
    writeFileSync(join(home, 'uploads', id), 'whole');
    await files.removeLeftovers();
    await writer.close();
    expect(filesIn('emails')).toEqual([id]);
    expect(filesIn('uploads').sort()).toEqual([id, `${id}.elsewhere~~~1~~x~1.part`, 'notes.part'].sort());
  });

  test('folders that others can read are made private', () => {
    chmodSync(join(home, 'emails'), 0o755);
    openJobFiles(home);
    expect(statSync(join(home, 'emails')).mode & 0o777).toBe(0o700);
    expect(existsSync(files.lockPath('..'))).toBe(true);
  });

  test.each(
    ['uploads', 'emails', 'logs', 'locks'].flatMap((folder) => [
      { folder, to: 'a folder', target: 'others' },
      { folder, to: 'nothing', target: 'missing' },
    ]),
  )('a link to $to in place of $folder is refused, and its target stays unchanged', ({ folder, target }) => {
    mkdirSync(join(home, 'others'));
    chmodSync(join(home, 'others'), 0o755);
    rmSync(join(home, folder), { recursive: true });
    symlinkSync(join(home, target), join(home, folder));
    expect(() => openJobFiles(home)).toThrowError(
      expect.objectContaining({ code: 'storage', message: expect.stringContaining(join(home, folder)) }),
    );
    expect(statSync(join(home, 'others')).mode & 0o777).toBe(0o755);
    expect(existsSync(join(home, 'missing'))).toBe(false);
  });
});
