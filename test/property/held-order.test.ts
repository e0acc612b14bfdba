// A plan that is carried out in rounds, with a human between them: nothing twice, nothing unasked, and nothing before what must come first.
import type { Effect, Taint, Tool } from 'agent-machines';
import { executePlan, type PastStep, type PlanStep, parsePlan } from 'agent-machines/tools';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drain, textTool } from '../fixtures/text-tools.ts';

const shape = fc.record({
  effect: fc.constantFrom<Effect>('pure', 'idempotent', 'once'),
  asks: fc.boolean(),
  untrusted: fc.boolean(),
  external: fc.boolean(),
  /** An earlier step, if there is one. */
  needs: fc.option(fc.nat(5)),
  fails: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  pauses: fc.nat(3),
});

it('is made in its order, each step once, and none that was not approved', async () => {
  const rounds: number[] = [];
  const plans = fc.tuple(
    fc.array(shape, { minLength: 1, maxLength: 8 }),
    fc.constantFrom('auto' as const, 'sequential' as const),
    fc.constantFrom('wave' as const, 'end' as const),
  );
  await fc.assert(
    fc.asyncProperty(plans, async ([shapes, execution, until]) => {
      const made: number[] = [];
      const unasked: number[] = [];
      const approvedTools = new Set<string>();
      const tools: readonly Tool[] = shapes.map(({ effect, asks, untrusted, external, fails, pauses }, index) => {
        const name = `t${index}`;
        const execute = async () => {
          made.push(index);
          if (asks && !approvedTools.has(name)) unasked.push(index);
          for (let pause = 0; pause < pauses; pause++) await drain();
          if (fails) throw new Error('no');
          return name;
        };
        return textTool(name, execute, { effect, needsApproval: asks, capabilities: { private: false, untrusted, external } });
      });
      let plan: readonly PlanStep[] = shapes.map(({ needs }, index) => ({
        step_id: index + 1,
        tool: `t${index}`,
        ...(needs !== null && needs < index ? { input_from: `step_${needs + 1}` } : { input: `${index}` }),
      }));
      let history: readonly PastStep[] = [];
      let approved: readonly string[] = [];
      let taint: Taint = { private: false, untrusted: false };
      let round = 0;
      for (; plan.length > 0 && history.every(({ status }) => status === 'success'); round++) {
        const completed = history.map(({ step, status }) => ({ step_id: step.step_id, status }));
        const validated = parsePlan(JSON.stringify({ steps: plan }), { tools, completed });
        const end = await executePlan(validated, { tools, execution, until, history, approved, taint, ofEarlierPlans: 0 });
        expect(end.held.length + end.results.length).toBeGreaterThan(0); // or it would never end
        plan = end.remaining;
        history = [...history, ...end.results];
        taint = end.taint;
        approved = end.held.map(({ signature }) => signature);
        for (const { tool } of end.held) approvedTools.add(tool);
      }
      rounds.push(round);
      expect(unasked).toEqual([]);
      expect(new Set(made).size).toBe(made.length);
      const once = made.filter((index) => shapes[index]?.effect === 'once');
      expect(once).toEqual([...once].sort((a, b) => a - b));
      const isLate = (index: number, place: number): boolean =>
        shapes[index]?.effect !== 'pure' && made.slice(0, place).some((n) => n > index);
      if (execution === 'sequential') expect(made.filter(isLate)).toEqual([]);
      if (history.every(({ status }) => status === 'success')) expect(made).toHaveLength(shapes.length);
    }),
    { numRuns: 300 },
  );
  expect(Math.max(...rounds)).toBeGreaterThan(3);
});
