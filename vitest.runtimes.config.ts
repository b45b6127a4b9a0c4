import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/runtimes/**/*.test.ts'],
    globalSetup: 'test/temp-folder.ts',
    testTimeout: 60_000,
    hookTimeout: 300_000,
    pool: 'forks',
  },
});
