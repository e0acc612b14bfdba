import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['@agent-machines/source', 'module', 'node', 'development|production'] } },
  test: { include: ['test/**/*.test.ts'], exclude: ['test/system/**', '**/node_modules/**'] },
});
