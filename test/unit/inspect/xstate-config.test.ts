import { type GraphEdge, type MachineGraph, toGraph, toXStateConfig, toXStateSource } from 'agent-machines/inspect';
import { planExecute } from 'agent-machines/machines/plan-execute';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine, fromPromise, transition } from 'xstate';
import { drafts } from '../../fixtures/drafts.ts';
import { flatMachines, flatWorkflow } from '../../fixtures/flat-machines.ts';
import { says } from '../../fixtures/log-workflow.ts';
import { scenario } from '../../fixtures/scenario.ts';

const nothing = async () => ({});
const workflows = {
  ...Object.fromEntries(drafts),
  'nested and parallel': scenario({ a: nothing, left: nothing, right: nothing, c: nothing }),
};
const machines = Object.entries(workflows).map(([name, { machine }]) => [name, machine] as const);

const rebuild = (graph: MachineGraph): AnyStateMachine => createMachine(toXStateConfig(graph) as never);

describe('toXStateConfig', () => {
  it.each(machines)('is a config whose machine has the same graph: %s', (_, machine) => {
    expect(toGraph(rebuild(toGraph(machine)))).toEqual(toGraph(machine));
  });

  it.each(machines)('is a config whose machine moves alike for every result of its guards: %s', (_, machine) => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.array(fc.boolean(), { minLength: 40, maxLength: 40 })), { maxLength: 12 }), (moves) => {
        expect(walk(rebuild(toGraph(machine)), moves)).toEqual(walk(machine, moves));
      }),
      { numRuns: 60 },
    );
  });

  it('holds for random machines', () => {
    fc.assert(
      fc.property(flatMachines, (plan) => {
        const graph = toGraph(flatWorkflow(plan, says('x')).machine);
        expect(toGraph(rebuild(graph))).toEqual(graph);
      }),
      { numRuns: 100 },
    );
  });

  it('contains only data', () => {
    for (const [, machine] of machines) {
      const config = toXStateConfig(toGraph(machine));
      expect(JSON.parse(JSON.stringify(config))).toEqual(config);
    }
  });
});

describe('toXStateSource', () => {
  it('is a module that makes the machine', async () => {
    const graph = toGraph(planExecute().machine);
    const source = toXStateSource(graph);
    const made = new Function('createMachine', source.replace(/^import.*$/m, '').replace('export const machine =', 'return'))(
      createMachine,
    );
    expect(toGraph(made)).toEqual(graph);
  });
});

/** The states that a machine goes through: each move picks an event that the state knows, and what every guard says. */
function walk(machine: AnyStateMachine, moves: readonly (readonly [number, readonly boolean[]])[]): readonly unknown[] {
  const names = [...new Set(toGraph(machine).states.flatMap(({ edges }) => edges.flatMap(({ guard }) => guard ?? [])))];
  let says: readonly boolean[] = [];
  const provided = machine.provide({
    guards: Object.fromEntries(names.map((name, index) => [name, () => says[index] ?? false])),
    actors: Object.fromEntries(toGraph(machine).states.flatMap(({ node }) => (node ? [[node, fromPromise(nothing)]] : []))),
    actions: Object.fromEntries(actionsOf(machine).map((name) => [name, () => undefined])),
  });
  let snapshot = provided.resolveState({ value: provided.root.initial.target[0]?.key ?? '', context: { log: [] } } as never);
  const seen: unknown[] = [snapshot.value];
  for (const [pick, answers] of moves) {
    says = answers;
    const events = [...new Set((snapshot._nodes as AnyStateMachine['root'][]).flatMap(({ transitions }) => [...transitions.keys()]))];
    const type = events[pick % Math.max(1, events.length)];
    if (type === undefined) break;
    [snapshot] = transition(provided, snapshot, { type } as never);
    seen.push(type, snapshot.value, snapshot.status);
  }
  return seen;
}

const actionsOf = (machine: AnyStateMachine): readonly string[] =>
  toGraph(machine).states.flatMap(({ edges }) => edges.flatMap(({ actions }: GraphEdge) => actions));
