import { afterEach, describe, expect, test, vi } from 'vitest';
import { openPostgres } from '../../src/jobs/store/postgres/postgres-store.js';
import { batch, claim, lastResults, queueJob, result, type StoreLab } from '../contract/store/store-lab.js';
import { openPostgresLab } from './postgres-lab.js';
import { server } from './servers.js';

const notes: string[] = [];
const open = (maxRetryMs = 30_000): Promise<StoreLab> =>
  openPostgresLab(server, { maxRetryMs, onNote: (text) => void notes.push(text) });

afterEach(() => {
  notes.length = 0;
});

/** Saves this many commits of ten rows, and more while `shouldContinue` returns true; expects each to be stored once. */
async function saveAll(lab: StoreLab, minCommits: number, shouldContinue: () => boolean = () => false): Promise<void> {
  const id = await queueJob(lab.store, 1);
  await claim(lab.store, 'w');
  let commits = 0;
  for (; commits < minCommits || shouldContinue(); commits++) {
    const rows = Array.from({ length: 10 }, (_, offset) => result(commits * 10 + offset));
    expect(await lab.store.saveBatch(batch(id, 'w', rows))).toBe(true);
  }
  let stored = 0;
  for await (const results of lab.store.readResults(id)) stored += results.length;
  expect(stored).toBe(commits * 10);
  expect(await lastResults(lab.store, id)).toHaveLength(commits * 10);
  expect(await lab.store.getJob('local', id)).toMatchObject({ processed: commits * 10, valid: commits * 10 });
}

describe('a database that goes away and comes back', () => {
  test.each(['fast', 'immediate'] as const)(
    'loses nothing and repeats nothing, and is reported once (%s)',
    async (how) => {
      const lab = await open();
      let restarts = 0;
      const saving = saveAll(lab, 150, () => restarts < 2);
      for (; restarts < 2; restarts++) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        server.stop(how);
        // A commit is tried while the database is away.
        await new Promise((resolve) => setTimeout(resolve, 200));
        server.start();
      }
      await saving;
      const outageNotes = notes.filter((text) => text.includes('keeps trying'));
      const back = notes.filter((text) => text.includes('answers again'));
      expect(outageNotes.length).toBeGreaterThanOrEqual(1);
      expect(outageNotes.length).toBeLessThanOrEqual(2);
      expect(back).toHaveLength(outageNotes.length);
      await lab.close();
    },
  );

  test('gets the results that a worker could not commit meanwhile, however long it was away', async () => {
    const lab = await openPostgresLab(server, { maxRetryMs: 300, processInfo: { kind: 'worker', name: 'w1' } });
    const id = await queueJob(lab.store, 1);
    await claim(lab.store, 'w');
    server.stop('fast');
    const saving = lab.store.saveBatch(batch(id, 'w', [result(0)]));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    server.start();
    expect(await saving).toBe(true);
    expect(await lab.store.getJob('local', id)).toMatchObject({ processed: 1 });
    await lab.close();
  });

  test('does not repeat a commit whose reply was lost', async () => {
    const lab = await open();
    const database = new URL(lab.address).pathname.slice(1);
    let saved = false;
    let broken = 0;
    const saving = saveAll(lab, 100, () => broken < 6).finally(() => {
      saved = true;
    });
    while (!saved) {
      const ended = await server.run(
        'postgres',
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
      );
      broken += ended.length;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
    }
    await saving;
    await lab.close();
  });

  test('ends with a clear Failure, without the password, and there is no change token meanwhile', async () => {
    const lab = await open(300);
    await vi.waitUntil(() => lab.store.changeToken() !== null);
    const before = lab.store.changeToken();
    server.stop('fast');
    try {
      await vi.waitUntil(() => lab.store.changeToken() === null);
      const failed = await lab.store.listKeys().catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 'storage', message: expect.stringContaining('cannot be reached') });
      await expect(lab.store.checkWritable()).rejects.toMatchObject({ code: 'storage' });
      const secret = lab.address.replace('mailvet@', 'mailvet:s3cret@');
      const refused = await openPostgres(secret).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'storage' });
      expect(String((refused as Error).stack) + JSON.stringify(refused)).not.toContain('s3cret');
    } finally {
      server.start();
    }
    await lab.store.checkWritable();
    await vi.waitUntil(() => lab.store.changeToken() !== null, { timeout: 10_000 });
    expect(lab.store.changeToken()).not.toBe(before);
    await lab.close();
  });
});
