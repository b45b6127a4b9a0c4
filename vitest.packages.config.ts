import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/packages/**/*.test.ts'], testTimeout: 120_000, pool: 'forks', fileParallelism: false },
});
