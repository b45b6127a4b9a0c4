import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { programConstants } from './scripts/workbook-worker.mjs';

/** Random and broken input, and networks that fail. Each file has its own process, because one test checks what its process has loaded. */
const hostile = ['test/hostile/**/*.test.ts', 'test/engine/grammar/idna-loading.test.ts'];
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
      // Without isolation, and in one project, so that a process loads the modules once for all files.
      {
        extends: true,
        test: { name: 'main', include: ['test/**/*.test.ts'], exclude: [...hostile, ...apart], isolate: false },
      },
      { extends: true, test: { name: 'hostile', include: hostile } },
    ],
  },
});
