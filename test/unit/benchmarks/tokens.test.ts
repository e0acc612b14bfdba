import { describe, expect, it } from 'vitest';
import type { TokenCount } from '../../../benchmarks/tokens/count-tokens.ts';
import { measureTokens } from '../../../benchmarks/tokens/measure-tokens.ts';

const total = ({ sent, replied }: TokenCount): number => sent + replied;

describe('measureTokens', () => {
  it.each([
    ['independent', 1, 1.1],
    ['independent', 2, 1.1],
    ['independent', 4, 1],
    ['independent', 8, 1],
    ['dependent', 2, 1.1],
    ['dependent', 4, 1],
    ['dependent', 8, 1],
  ] as const)('compares plan-execute with ReAct, %s, %i calls: at most %d of its tokens', async (shape, calls, most) => {
    const planned = await measureTokens('plan-execute', calls, shape);
    const react = await measureTokens('ReAct', calls, shape);
    expect([planned.requests, react.requests]).toEqual([3, shape === 'independent' ? 2 : calls + 1]);
    expect(total(planned) / total(react)).toBeLessThan(most);
  });
});
