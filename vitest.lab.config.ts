import { defineConfig } from 'vitest/config';

export default defineConfig({
  define: { __VERSION__: JSON.stringify('0.0.0-test') },
  test: { include: ['test/lab/**/*.test.ts'], testTimeout: 60_000, pool: 'forks', fileParallelism: false },
});
