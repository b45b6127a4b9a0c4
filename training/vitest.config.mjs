import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['test/**/*.test.mjs'], silent: 'passed-only', testTimeout: 60_000 } });
