import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/lab/**'],
    testTimeout: 30_000,
    pool: 'forks',
    globalSetup: 'test/temp-folder.ts',
  },
});
