import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReference, referencePattern } from '../../../../src/plan/gate/step-reference.ts';
import { codePoint } from '../../../fixtures/code-point.ts';

describe('parseReference', () => {
  it.each<[string, { stepId: number; pointer: string[] }]>([
    ['step_1', { stepId: 1, pointer: [] }],
    ['step_20', { stepId: 20, pointer: [] }],
    ['step_999999999', { stepId: 999_999_999, pointer: [] }],
    ['step_2#/results/0/url', { stepId: 2, pointer: ['results', '0', 'url'] }],
    ['step_2#/', { stepId: 2, pointer: [''] }],
    ['step_2#/a//b', { stepId: 2, pointer: ['a', '', 'b'] }],
    ['step_2#/a~1b/m~0n/~01', { stepId: 2, pointer: ['a/b', 'm~n', '~1'] }],
    ['step_2#/가 나#/é', { stepId: 2, pointer: ['가 나#', 'é'] }],
    ['step_2#/__proto__', { stepId: 2, pointer: ['__proto__'] }],
  ])('reads %j', (text, expected) => {
    expect(parseReference(text)).toEqual(expected);
  });

  it.each([
    '',
    'step_',
    'step_0',
    'step_01',
    'step_-1',
    'step_+1',
    'step_1.5',
    'step_1e3',
    'step_1000000000',
    'step_1#',
    'step_1#results',
    'step_1/results',
    'step_1 ',
    ' step_1',
    'step_1\n',
    'Step_1',
    'STEP_1',
    'step-1',
    'step1',
    'step_١',
    'step_１',
    'ѕtep_1',
    'step_1,step_2',
    '{{step_1}}',
  ])('finds no reference in %j', (text) => {
    expect(parseReference(text)).toBeUndefined();
  });

  it('reads every reference that follows the rules of JSON Pointer', () => {
    const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), fc.array(fc.string({ unit: codePoint })), (stepId, pointer) => {
        const text = `step_${stepId}${pointer.length === 0 ? '' : `#${pointer.map((key) => `/${escapeKey(key)}`).join('')}`}`;
        expect(parseReference(text)).toEqual({ stepId, pointer });
      }),
    );
  });
});

describe('referencePattern', () => {
  it('matches exactly the texts that parseReference reads', () => {
    const piece = fc.constantFrom('step_', 'Step_', '0', '1', '9', '12345678', '#', '/', '~0', '~', 'a', '\n', ' ', '가');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        expect(new RegExp(referencePattern, 'u').test(text)).toBe(parseReference(text) !== undefined);
      }),
      { numRuns: 2_000, examples: [[['step_', '1']], [['step_', '1', '#', '/', 'a']], [['step_', '1', '\n']]] },
    );
  });
});
