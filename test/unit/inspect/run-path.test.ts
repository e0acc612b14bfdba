import { createRuntime, type RunEvent } from 'agent-machines';
import { runPath, toGraph } from 'agent-machines/inspect';
import { describe, expect, it } from 'vitest';
import { failure, final, logWorkflow, node, says } from '../../fixtures/log-workflow.ts';

/** Path of a run of these states. */
async function pathOf(states: Parameters<typeof logWorkflow>[0]['states'], guards: Record<string, () => boolean> = {}) {
  const workflow = logWorkflow({ states, guards, nodes: { a: says('a') } });
  const runtime = createRuntime({ workflows: [workflow] });
  const run = runtime.start(workflow, {});
  await run.result;
  const events: RunEvent[] = [];
  for await (const event of runtime.events(run.id)) events.push(event);
  await runtime.close();
  const { path, active } = runPath(toGraph(workflow.machine), events);
  return { path: path.map(({ from, on, guard }) => `${from} ${on}${guard ? ` [${guard}]` : ''}`), active };
}

const guards = { yes: () => true, no: () => false };

describe('runPath', () => {
  it('contains the eventless edges of a move', async () => {
    const states = {
      a: node('a', 'check'),
      check: { always: [{ target: 'failed', guard: 'no' }, { target: 'group' }] },
      group: { initial: 'in', states: { in: { always: 'out' }, out: { type: 'final' } }, onDone: 'done' },
      done: final,
      failed: failure,
    };
    expect(await pathOf(states as never, guards)).toEqual({
      path: ['a done', 'check always', 'group.in always', 'group state.done'],
      active: ['done'],
    });
  });

  it('leaves them out where several ways lead to the same state', async () => {
    const states = {
      a: node('a', 'check'),
      check: { always: [{ target: 'done', guard: 'yes' }, { target: 'done' }] },
      done: final,
      failed: failure,
    };
    expect(await pathOf(states as never, guards)).toEqual({ path: ['a done'], active: ['done'] });
  });
});
