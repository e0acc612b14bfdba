import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// What needs more than npm: see .ci/run.
// CommonJS is imported as Node imports it.
export default defineConfig((env) => ({
  ...base(env),
  test: { include: ['test/system/*.test.ts'], deps: { interopDefault: false }, setupFiles: 'test/fixtures/seed-properties.ts' },
}));
