import { toGraph, toMermaid, toXStateConfig } from 'agent-machines/inspect';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { failure, final, logWorkflow, node, says, waiting } from '../../fixtures/log-workflow.ts';
import { scenario } from '../../fixtures/scenario.ts';

describe('toMermaid', () => {
  it('draws states, edges in their order, guards, and waiting states', () => {
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

  it('highlights the path of a run', () => {
    const states = { a: node('a', 'ask'), ask: waiting({ GO: 'done' }), done: final, failed: failure };
    const graph = toGraph(logWorkflow({ states, nodes: { a: says('a') } }).machine);
    const drawing = toMermaid(graph, { path: [{ from: 'a', on: 'done' }], active: ['ask', 'gone'] });
    expect(drawing).toContain('a --> ask: ✓ done');
    expect(drawing).toContain('class a,ask taken');
    expect(drawing).toContain('class ask active');
  });

  it('gives every state a unique id, and escapes words of its own language', () => {
    const state = (path: string, guard: string) => ({
      path,
      kind: 'node' as const,
      parent: '',
      edges: [{ on: 'done', guard, target: '나', reenter: false, actions: [] }],
    });
    const drawing = toMermaid({ id: 'x', version: '1', initial: '가', states: [state('가', 'a\nb --> c; "<b>"'), state('나', 'x')] });
    expect(drawing).toContain('  _: 가\n  __2: 나\n');
    expect(drawing).toContain('  _ --> __2: a b --#62; c#59; #34;#60;b#62;#34;\n');
  });

  it('marks history states, and leads them to the state that is entered first', () => {
    const machine = createMachine({
      id: 'x',
      initial: 'on',
      states: {
        on: {
          initial: 'a',
          states: { a: {}, b: {}, last: { type: 'history', target: 'b' }, all: { type: 'history', history: 'deep' } },
          on: { OFF: 'off' },
        },
        off: { on: { ON: '#x.on.all' } },
      },
    });
    const graph = toGraph(machine);
    const drawn = toMermaid(graph);
    for (const line of ['on_last: last (H)', 'on_all: all (H*)', 'on_last --> on_b: default', 'on_all --> on_a: default']) {
      expect(drawn).toContain(`${line}\n`);
    }
    expect(toGraph(createMachine(toXStateConfig(graph) as never))).toEqual(graph);
  });
});
