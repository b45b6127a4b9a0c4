import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { programConstants } from './scripts/workbook-worker.mjs';

/** Tests that start servers or programs, kill them, or run one suite over both back ends. */
const integration = [
  'test/{contract,e2e,jobs}/**/*.test.ts',
  'test/net/{dns,pool,probe,smtp}/**/*.test.ts',
  'test/service/{diagnosis,local,remote}/**/*.test.ts',
  'test/bounces/simulated-mailings.test.ts',
  'test/cli/completion.test.ts',
  'test/cli/commands/{jobs,serve,upload}/**/*.test.ts',
  'test/cli/commands/bulk/remote.test.ts',
];
/** Random and broken input, and networks that fail. Each file has its own process, because one test checks what its process has loaded. */
const hostile = ['test/hostile/**/*.test.ts', 'test/engine/grammar/idna-loading.test.ts'];
const server = ['test/server/**/*.test.ts'];
/** These have their own commands. */
const apart = ['test/lab/**', 'test/packages/**', 'test/browser/**', 'test/cluster/**', 'test/runtimes/**'];

export default defineConfig({
  define: await programConstants('0.0.0-test'),
  test: {
    testTimeout: 30_000,
    pool: 'forks',
    // One more than the cores: many tests wait for sockets, timers and child processes.
    maxWorkers: availableParallelism() + 1,
    globalSetup: 'test/temp-folder.ts',
    projects: [
      // Without isolation: a process for each of these small files costs more CPU than the tests themselves.
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...integration, ...hostile, ...server, ...apart],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'integration', include: integration, isolate: false } },
      { extends: true, test: { name: 'server', include: server, isolate: false } },
      { extends: true, test: { name: 'hostile', include: hostile } },
    ],
  },
});
