import { defineConfig } from 'vitest/config';
import base, { everywhere } from './vitest.config.ts';

// What needs more than npm: see .ci/run.
// CommonJS is imported as Node imports it.
export default defineConfig((env) => ({
  ...base(env),
  test: { ...everywhere, include: ['test/system/*.test.ts'], deps: { interopDefault: false } },
}));
