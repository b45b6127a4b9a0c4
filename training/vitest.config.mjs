import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { silent: 'passed-only', testTimeout: 60_000, hookTimeout: 60_000 } });
