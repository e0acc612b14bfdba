import { expect, it } from 'vitest';
import pkg from '../../../../package.json' with { type: 'json' };
import { implementation } from '../../../../src/tools/mcp/implementation.ts';

it('is the version of the package', () => {
  expect(implementation).toEqual({ name: pkg.name, version: pkg.version });
});
