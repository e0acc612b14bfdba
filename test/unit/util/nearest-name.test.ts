import { describe, expect, it } from 'vitest';
import { nearestName } from '../../../src/util/nearest-name.ts';

const names = ['idleMs', 'reasoningEffort', 'extraBody', 'baseUrl', 'name', 'models'];

describe('nearestName', () => {
  it.each([
    ['idle_ms', 'idleMs'],
    ['idelMs', 'idleMs'],
    ['baseURL', 'baseUrl'],
    ['base-url', 'baseUrl'],
    ['reasoning', undefined],
    ['reasoningEfort', 'reasoningEffort'],
    ['model', 'models'],
    ['nmae', 'name'],
    ['temperature', undefined],
    ['', undefined],
    ['이름', undefined],
  ])('finds for %j: %j', (typed, meant) => {
    expect(nearestName(typed, names)).toBe(meant);
  });

  it('takes no time for a name that nobody types', () => {
    expect(nearestName('x'.repeat(1_000_000), names)).toBeUndefined();
  });
});
