import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
  test: {
    include: ['test/cluster/**/*.test.ts'],
    // Takes minutes: `npm run test:cluster:kill` runs it, as .ci/nightly does.
    exclude: process.env['MAILVET_MATRIX'] === undefined ? ['test/cluster/matrix/**'] : [],
    globalSetup: 'test/temp-folder.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // They wait for leases, restarts and idle processes most of the time.
    maxWorkers: 2,
  },
});
