import { toGraph, toMermaid } from 'agent-machines/inspect';
import { describe, expect, it } from 'vitest';
import { failure, final, logWorkflow, node, says, waiting } from '../../fixtures/log-workflow.ts';
import { scenario } from '../../fixtures/scenario.ts';

describe('toMermaid', () => {
  it('draws states, edges in their order, guards, and what waits', () => {
    const workflow = logWorkflow({
      states: {
        a: node('a', [
          { target: 'ask', guard: 'big' },
          { target: 'a', reenter: true },
        ]),
        ask: waiting({ GO: 'done' }, { 1000: 'failed' }),
        done: final,
        failed: failure,
      },
      guards: { big: () => true },
      nodes: { a: says('a') },
    });
    expect(toMermaid(toGraph(workflow.machine))).toBe(`stateDiagram-v2
  direction TB
  a
  ask
  done
  failed
  [*] --> a
  a --> ask: 1 big
  a --> a: 2 else
  a --> failed: error
  ask --> done: GO
  ask --> failed: after 1000
  done --> [*]
  failed --> [*]
  classDef waiting fill:#fde68a,stroke:#b45309,color:#451a03
  class ask waiting
`);
  });

  it('draws parallel regions inside each other', () => {
    const says = async () => ({});
    const drawing = toMermaid(toGraph(scenario({ a: says, left: says, right: says, c: says }).machine));
    expect(drawing).toContain('state both {');
    expect(drawing).toContain('    state both_left {');
    expect(drawing).toContain('    --\n    both_right: right');
    expect(drawing).toContain('both_left_run --> failed: error');
  });
});
