import { existsSync, statSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { changeToken } from '../../../../src/jobs/store/sqlite/sqlite-store.js';
import { drivers, openLab } from '../../../fakes/job-lab.js';

test.each(drivers)(
  'the change token of a store stays while it is read, and changes when it is written (%s)',
  async (driver) => {
    const lab = await openLab(driver);
    const path = lab.files.storePath;
    const laterMs = Date.now() + 60_000;
    // The connection that created the store may stay open, and cleans up when it closes.
    await lab.store.listKeys();
    if (driver === 'wasm') await vi.waitUntil(() => !existsSync(`${path}-wal`));
    await lab.store.listKeys();
    const before = changeToken(path, laterMs);
    expect(before).not.toBeNull();
    await lab.store.listKeys();
    expect(changeToken(path, laterMs)).toBe(before);
    if (driver === 'wasm') await vi.waitUntil(() => !existsSync(`${path}-wal`));
    await lab.store.listKeys();
    expect(changeToken(path, laterMs)).toBe(before);
    await lab.submit('id,email\n1,a@b.example\n');
    expect(changeToken(path, laterMs)).not.toBe(before);
    // Just after a change the next one could get the same time stamp.
    expect(changeToken(path, statSync(path).mtimeMs + 50)).toBeNull();
    await lab.close();
  },
);
