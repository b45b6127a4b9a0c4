import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { digestList, openUnfetchedJobs } from '../../src/service/unfetched-jobs.js';
import { freshFolder } from '../cli/run-cli.js';

const day = 24 * 60 * 60_000;

describe('jobs whose rows were not written yet', () => {
  let home: string;
  let time: number;
  const open = () => openUnfetchedJobs(home, () => time);
  beforeEach(() => {
    home = freshFolder();
    time = Date.UTC(2026, 10, 1);
  });

  test('are found by their list until the rows of one of them are written', async () => {
    await open().add('one', ['a', 'b']);
    await open().add('two', ['c']);
    expect(await open().find('one')).toEqual({ ids: ['a', 'b'], sentAt: time });
    await open().removeJobs(['b']);
    expect([await open().find('one'), await open().find('two')]).toEqual([null, { ids: ['c'], sentAt: time }]);
  });

  test('expire within a week, and two weeks of lists leave at most a hundred records', async () => {
    await open().add('first', ['a']);
    for (let list = 0; list < 240; list++) {
      time += (14 * day) / 240;
      await open().add(`list${list}`, [`job${list}`]);
      const records = readdirSync(join(home, 'unfetched')).length;
      expect(records).toBeLessThanOrEqual(100);
    }
    expect(await open().find('first')).toBeNull();
    expect(await open().find('list239')).not.toBeNull();
    time += 7 * day;
    expect(await open().find('list239')).toBeNull();
    await open().add('last', ['z']);
    expect(readdirSync(join(home, 'unfetched'))).toEqual(['last.json']);
  });

  test('a damaged record counts as none, and a missing folder is no failure', async () => {
    expect(await open().find('one')).toBeNull();
    await open().removeJobs(['a']);
    mkdirSync(join(home, 'unfetched'));
    for (const text of ['', '[]', '{"ids":[]}', '{"ids":["a"],"sentAt":"now"}', '{"ids":["a"],"sentAt":9e15}']) {
      writeFileSync(join(home, 'unfetched', 'one.json'), text);
      expect(await open().find('one')).toBeNull();
    }
  });

  test('the digest of a list changes with its content and with how it is vetted, and a pipe has none', async () => {
    const path = join(home, 'list.csv');
    writeFileSync(path, 'email\na@x.example\n');
    const first = await digestList(path, { columns: [0] });
    expect(await digestList(path, { columns: [0] })).toBe(first);
    expect(await digestList(path, { columns: [1] })).not.toBe(first);
    writeFileSync(path, 'email\nb@x.example\n');
    expect(await digestList(path, { columns: [0] })).not.toBe(first);
    expect(await digestList('/dev/null', {})).toBeNull();
    // A list on standard input may be a file, too.
    const file = await openFile(path);
    expect(await digestList(`/dev/fd/${file.fd}`, {})).toBeNull();
    await file.close();
  });
});
