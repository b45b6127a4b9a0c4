import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startWorker } from '../../../../src/cli/commands/jobs/detached-worker.js';
import type { Settings } from '../../../../src/settings/resolve.js';
import { freshFolder } from '../../run-cli.js';

const id = '3f2a91c0-0000-4000-8000-000000000000';

test.each([
  { name: 'its log cannot be written', folder: `logs/${id}.log`, environment: {}, says: 'EISDIR' },
  { name: 'no process can be started', folder: 'logs', environment: { A: 'a\0b' }, says: 'ERR_INVALID_ARG_VALUE' },
])(
  'reports a worker that does not start, because $name, with the command to continue',
  async ({ folder, environment, says }) => {
    const dataDir = freshFolder();
    mkdirSync(join(dataDir, folder), { recursive: true });
    const settings = () => ({ dataDir, store: null, proxy: null, mode: 'local', apiKey: null }) as Settings;
    const command = (...words: string[]) => `mailvet ${words.join(' ')}`;
    const unassigned = { assignWorker: () => Promise.reject(new Error('it did not start')) };
    await expect(startWorker({ settings, environment, command }, unassigned, id)).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining(says),
      hint: expect.stringContaining(`mailvet jobs resume ${id}`),
    });
  },
);
