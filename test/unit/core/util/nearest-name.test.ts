import { describe, expect, it } from 'vitest';
import { nearestByWords, nearestName } from '../../../../src/core/util/nearest-name.ts';

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
  ])('returns for %j: %j', (typed, meant) => {
    expect(nearestName(typed, names)).toBe(meant);
  });

  it('lists names with similar words, nearest first', () => {
    const codes = ['RUN_BUSY', 'NODE_TIMEOUT', 'NO_EDGE', 'NODE_UNKNOWN', 'STORE_LOST'];
    expect(nearestByWords('NOPE', codes, 2)).toEqual(['NODE_TIMEOUT', 'NODE_UNKNOWN']);
    expect(nearestByWords('lost-store', codes, 5)).toEqual(['STORE_LOST']);
    expect([nearestByWords('', codes, 5), nearestByWords('이름', codes, 5), nearestByWords('zzzzzz', codes, 5)]).toEqual([[], [], []]);
  });

  it('returns at once for a very long name', () => {
    expect(nearestName('x'.repeat(1_000_000), names)).toBeUndefined();
  });
});
