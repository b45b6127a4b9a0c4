import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bundleForNode } from '../../fakes/bundle.js';
import { claim, lastResults, type OpenStoreLab, queueJob } from './store-lab.js';

const kills = 3;

/** Tests with writers that are killed in the middle of their work, for each store. */
export function crashSuite(open: OpenStoreLab): void {
  let child = { path: '', remove: () => {} };
  beforeAll(async () => {
    child = await bundleForNode('contract/store/store-child.ts');
  });
  afterAll(() => child.remove());

  test('a writer killed in the middle of a transaction leaves complete commits, and its job can be claimed', async () => {
    const lab = await open();
    const id = await queueJob(lab.store, 1);
    await (await lab.files.writeEmails(id)).close();
    let reported = 0;
    for (let kill = 0; kill < kills; kill++) {
      const process = fork(child.path, [lab.address, id], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      const exit = once(process, 'exit');
      process.on('message', (rows) => {
        reported = Number(rows);
        // Kill it within a transaction, not between two.
        if (Math.random() < 0.1) setTimeout(() => process.kill('SIGKILL'), Math.random() * 5);
      });
      await exit;
      // PostgreSQL completes the last statement of a dead client.
      await vi.waitUntil(async () => (await lab.store.getJob('local', id))?.interrupted, { timeout: 20_000 });
      const job = await lab.store.getJob('local', id);
      const rows = (await lastResults(lab.store, id)).map(({ row }) => row).sort((a, b) => a - b);
      expect(job?.processed).toBeGreaterThanOrEqual(reported);
      expect([job?.processed, job?.valid, job?.subCounts['']]).toEqual([rows.length, rows.length, rows.length]);
      expect(rows).toEqual(rows.map((_, index) => index));
    }
    expect(await claim(lab.store, 'next')).toMatchObject({ id, processed: expect.any(Number) });
    expect(await lab.store.check()).toEqual([]);
    await lab.close();
  });
}
