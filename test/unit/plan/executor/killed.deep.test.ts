import { existsSync, readFileSync } from 'node:fs';
import { createRuntime, type RunResult } from 'agent-machines';
import type { PlanExecuteOutput } from 'agent-machines/machines/plan-execute';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../../fixtures/child.ts';
import { planWorkflow } from '../../../fixtures/plan-workflow.ts';
import { sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const files = sqliteFiles('killed-');

/** What the answer was made from, without what differs from run to run. */
const outline = (result: RunResult<unknown>): unknown => {
  if (result.status !== 'done') throw new Error(JSON.stringify(result));
  const { answer, pastSteps } = result.output as PlanExecuteOutput;
  return {
    answer,
    finalState: result.finalState,
    steps: pastSteps.map(({ startedAt: _, durationMs: __, ...record }) => record),
  };
};

const callsIn = (file: string): readonly string[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);

describe('a process that is killed after any journal entry of a plan, and its successor', () => {
  it('returns the same answer, and repeats no once call', async () => {
    const calm = files.newPath();
    const expected = outline(await createRuntime().start(planWorkflow(`${calm}.calls`), { input: 'q' }).result);
    const seen = { killed: 0, inDoubt: 0 };
    for (let entry = 1; ; entry++) {
      const path = files.newPath();
      const calls = `${path}.calls`;
      const child = startChild('plan-process.ts', [path, calls, String(entry)]);
      await child.ended;
      if (child.lines.includes('done')) break;
      seen.killed++;
      const store = files.openStore(path);
      const runtime = createRuntime({ store, workflows: [planWorkflow(calls)] });
      const [info] = await runtime.list();
      if (!info) throw new Error('There is no run.');
      const before = callsIn(calls);
      let result = await (await runtime.resume(info.id, { force: true })).result;
      for (; result.status === 'in_doubt'; seen.inDoubt++) {
        const [call] = result.calls;
        if (!call) throw new Error('Nothing is in doubt.');
        const { args } = call.describe as { readonly args: { readonly text: string } };
        // the human looks whether it has happened
        const happened = before.filter((line) => line.startsWith('pay ')).length > callsCommitted(await runtime.history(info.id));
        const resolution = happened ? ({ as: 'done', output: `pay(${args.text})` } as const) : ({ as: 'retry' } as const);
        result = await (await runtime.resolve(info.id, call.callId, resolution)).result;
      }
      expect([entry, outline(result)]).toEqual([entry, expected]);
      const paid = callsIn(calls).filter((line) => line.startsWith('pay '));
      expect([entry, paid.length, new Set(paid).size]).toEqual([entry, 2, 2]);
      await runtime.close();
    }
    // 2 nodes, 8 steps and 2 intents, the visit, the replan, 2 steps, the second visit, the answer
    expect(seen.killed).toBeGreaterThanOrEqual(18);
    expect(seen.inDoubt).toBeGreaterThanOrEqual(2);
  });
});

const callsCommitted = (entries: readonly { readonly kind: string; readonly key: string }[]): number =>
  entries.filter(({ kind, key }) => kind === 'step' && /executor#1\/step_[25]$/.test(key)).length;
