import type { PlanStep } from 'agent-machines/tools';
import { expect, it } from 'vitest';
import { ReferenceCheck } from '../../../../src/plan/gate/reference-check.ts';

it('reads the references of a step once per check, however many form a cycle', () => {
  const count = 20;
  let reads = 0;
  const steps = Array.from({ length: count }, (_, index): PlanStep => {
    const from = Object.fromEntries(
      Array.from({ length: 500 }, (_, n) => [`a${n}`, `step_${1 + ((index + 1 + (n % (count - 1))) % count)}`]),
    );
    return {
      step_id: index + 1,
      tool: 't',
      get input_from() {
        reads++;
        return from;
      },
    };
  });
  const issues: string[] = [];
  const references = new ReferenceCheck(steps, []);
  for (const [index, step] of steps.entries())
    references.check(step, index, `/steps/${index}`, (code, path) => issues.push(`${code} ${path}`));
  expect(issues[0]).toBe('CYCLE /steps/0/input_from/a0');
  expect(issues.filter((issue) => !issue.startsWith('CYCLE'))).toEqual([]);
  expect(issues.length).toBeGreaterThan(4_000);
  expect(reads).toBe(2 * count);
});
