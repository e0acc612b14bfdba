import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

// What needs more than npm: see .ci/run.
export default defineConfig({ ...base, test: { include: ['test/system/*.test.ts'] } });
