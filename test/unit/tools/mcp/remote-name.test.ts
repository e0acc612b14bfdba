import { toRemoteName } from 'agent-machines/mcp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isToolName } from '../../../../src/core/tool-facts/tool-name.ts';
import { nameProblem, toLocalName } from '../../../../src/tools/mcp/remote-name.ts';
import { codePoint } from '../../../fixtures/code-point.ts';
import { share } from '../../../fixtures/share.ts';

const names = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', '.', '-', '_', '2', 'e', 'f', '/', ' ', '가', 'é') }),
  fc.string({ minLength: 1, maxLength: 12, unit: codePoint }).map((name) => name.toWellFormed()),
);

describe('toLocalName', () => {
  it('is reversible, valid and unique', () => {
    fc.assert(
      fc.property(names, names, (a, b) => {
        const local = toLocalName('s-1', a);
        expect(toRemoteName(local)).toEqual({ server: 's-1', remote: a });
        expect(isToolName(local)).toBe(true);
        expect(toLocalName('s-1', b) === local).toBe(a === b);
      }),
      { numRuns: share(20_000) },
    );
  });

  it.each([
    ['read_file', 'mcp.read_file'],
    ['v1.read', 'mcp.v1.read'],
    ['a..b', 'mcp.a..2e...2e.b'],
    ['.a', 'mcp...2e.a'],
    ['a b', 'mcp.a..20.b'],
  ])('writes %s as %s', (remote, local) => {
    expect(toLocalName('mcp', remote)).toBe(local);
  });

  it.each(['read_file', 'mcp', '.a', 'mcp.a..20b', 'mcp.a..41.', 'mcp.a..110000.b'])('does not accept %s as its own result', (name) => {
    expect(toRemoteName(name)).toBeUndefined();
  });
});

describe('nameProblem', () => {
  it.each(['read_file', 'a.b/c', 'get weather', '날씨_조회', '天気', 'てんき'])('accepts %s', (name) => {
    expect(nameProblem('mcp', name)).toBeUndefined();
  });

  it.each([
    '',
    ' ',
    ' a',
    'a\n',
    'a\u0000',
    'a\u200b',
    'a\u202e',
    'a\u{e0061}',
    'a\u3164',
    'a\u115f',
    'rеad',
    'οne',
    'ｒead',
    'é',
    'a\u0301',
    '\ud800',
    'ㅏ',
    '한'.normalize('NFD'),
    'x'.repeat(125),
  ])('refuses %j', (name) => {
    expect(nameProblem('mcp', name)).toBeTypeOf('string');
  });
});
