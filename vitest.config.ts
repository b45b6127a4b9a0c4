import { defineConfig } from 'vitest/config';

/** Tests that start servers or programs, kill them, or run one suite over both back ends. */
const integration = [
  'test/{contract,e2e,server,jobs}/**/*.test.ts',
  'test/net/{dns,pool,probe,smtp}/**/*.test.ts',
  'test/service/{diagnosis,local,remote}/**/*.test.ts',
  'test/cli/completion.test.ts',
  'test/cli/commands/{jobs,serve,upload}/**/*.test.ts',
  'test/cli/commands/bulk/remote.test.ts',
  // It looks at what its process has loaded.
  'test/engine/grammar/idna-loading.test.ts',
];
/** Random and broken input, and networks that fail. */
const hostile = ['test/hostile/**/*.test.ts'];
/** They have commands of their own. */
const apart = ['test/lab/**', 'test/browser/**', 'test/cluster/**'];

export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
  test: {
    testTimeout: 30_000,
    pool: 'forks',
    // The default leaves a core idle: half of the machine where there are two.
    maxWorkers: '100%',
    globalSetup: 'test/temp-folder.ts',
    projects: [
      {
        extends: true,
        // One process for many files: a process for each costs more than twice the CPU of the tests themselves.
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...integration, ...hostile, ...apart],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'integration', include: integration } },
      { extends: true, test: { name: 'hostile', include: hostile } },
    ],
  },
});
