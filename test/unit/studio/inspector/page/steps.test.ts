import { createRuntime, memoryStore } from 'agent-machines';
import { type MachineGraph, toGraph } from 'agent-machines/inspect';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { describe, expect, it } from 'vitest';
import { type Step, toSteps } from '../../../../../src/studio/inspector/page/client/steps.ts';
import { failure, final, logWorkflow, node, says, waiting } from '../../../../fixtures/log-workflow.ts';

/** The steps of a stored run. */
async function stepsOf(runtime: ReturnType<typeof createRuntime>, runId: string, graph: MachineGraph): Promise<readonly Step[]> {
  const entries = await runtime.history(runId);
  const events = [];
  for await (const event of runtime.events(runId)) events.push(event);
  return toSteps({ graph, events, entries, snapshots: [] });
}

describe('toSteps', () => {
  it('lists each move of a run with its cause', async () => {
    const workflow = planExecute();
    const runtime = createRuntime({ store: memoryStore(), workflows: [workflow] });
    const run = runtime.start(workflow, { input: '3 * 4' });
    await run.result;
    const steps = await stepsOf(runtime, run.id, toGraph(workflow.machine));
    expect(steps.map(({ title }) => title)).toEqual([
      'plan_execute',
      'intent_classifier → planner',
      'planner → executor',
      'executor → final_answer',
      'final_answer → done',
      'done',
    ]);
    expect(steps.map(({ active }) => active.join())).toEqual(['intent_classifier', 'planner', 'executor', 'final_answer', 'done', 'done']);
    expect(steps[2]).toMatchObject({
      key: 'planner#1',
      edges: [{ from: 'planner', on: 'done', guard: 'hasPlan' }],
      entry: { kind: 'node', key: 'planner#1' },
      patch: { plan: [{ tool: 'calculator' }] },
      failed: false,
    });
    expect(steps[3]?.tools).toEqual([expect.objectContaining({ tool: 'calculator', durationMs: expect.any(Number) })]);
    await runtime.close();
  });

  it('shows what a run waits for, and the event that resumed it', async () => {
    const states = { a: node('a', 'ask'), ask: waiting({ GO: 'done' }), done: final, failed: failure };
    const workflow = logWorkflow({ states, nodes: { a: says('a') } });
    const graph = toGraph(workflow.machine);
    const runtime = createRuntime({ store: memoryStore(), workflows: [workflow] });
    const run = runtime.start(workflow, {});
    const result = await run.result;
    expect((await stepsOf(runtime, run.id, graph)).map(({ title }) => title)).toEqual(['log', 'a → ask', 'ask …']);
    await (await runtime.send(run.id, { type: 'GO' }, { interruptId: result.status === 'waiting' ? (result.interrupt?.id ?? '') : '' }))
      .result;
    const steps = await stepsOf(runtime, run.id, graph);
    expect(steps.map(({ title }) => title)).toEqual(['log', 'a → ask', 'ask → done', 'done']);
    expect(steps[2]).toMatchObject({ edges: [{ from: 'ask', on: 'GO' }], entry: { kind: 'event' } });
    await runtime.close();
  });

  it('shows work in progress', () => {
    const events = [
      { type: 'run-start', workflow: 'w', version: '1', runId: 'r', seq: 1, at: 1 },
      { type: 'node-start', key: 'a#1', attempt: 1, seq: 2, at: 2 },
      { type: 'tool-start', callId: 'c', tool: 'look', args: { q: 'x' }, node: 'a#1', seq: 3, at: 3 },
    ] as const;
    const steps = toSteps({ graph: null, events, entries: [], snapshots: [] });
    expect(steps.at(-1)).toMatchObject({ title: 'a …', tools: [{ tool: 'look', args: { q: 'x' } }] });
  });

  it('shows the edges of a snapshot of another app', () => {
    const edges = [
      { from: 'a', on: 'GO' },
      { from: 'b', on: 'always' },
    ];
    const snapshots = [{ seq: 1, at: 1, event: { type: 'GO' }, active: ['c', 'c.d'], edges, status: 'active' }];
    const steps = toSteps({ graph: null, events: [], entries: [], snapshots });
    expect(steps).toMatchObject([{ title: 'GO → c.d', active: ['c.d'], edges }]);
  });
});
