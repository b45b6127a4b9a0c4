import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startDetachedWorker } from '../../../../src/cli/commands/jobs/detached-worker.js';
import { freshFolder } from '../../run-cli.js';

const id = '3f2a91c0-0000-4000-8000-000000000000';

test.each([
  { name: 'its log cannot be written', log: 'missing/worker.log', environment: {}, says: 'ENOENT' },
  { name: 'no process can be started', log: 'worker.log', environment: { A: 'a\0b' }, says: 'ERR_INVALID_ARG_VALUE' },
])(
  'reports a worker that does not start, because $name, with the command to continue',
  async ({ log, environment, says }) => {
    await expect(
      startDetachedWorker(id, join(freshFolder(), log), environment, `mailvet jobs resume ${id}`),
    ).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining(says),
      hint: expect.stringContaining(`mailvet jobs resume ${id}`),
    });
  },
);
