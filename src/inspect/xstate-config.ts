import type { JsonObject } from '../core/ports/json.ts';
import { type GraphEdge, type GraphState, type MachineGraph, targetsOf } from '../engine/define/graph.ts';

/**
 * Converts a machine to a config for XState's `createMachine` that contains only data: guards, actions and nodes are names. Stately's
 * editor imports it. `toGraph(createMachine(config))` returns the original graph.
 */
export function toXStateConfig(graph: MachineGraph): JsonObject {
  const { id, version, initial } = graph;
  return { id, version, ...(graph.states.length > 0 ? { initial: keyOf(initial) } : {}), states: statesOf(graph, '') };
}

/** Formats the config as a TypeScript file, which Stately's editor and tools read. */
export const toXStateSource = (graph: MachineGraph): string =>
  `import { createMachine } from "xstate";\n\nexport const machine = createMachine(${JSON.stringify(toXStateConfig(graph), null, 2)});\n`;

const keyOf = (path: string): string => path.split('.').at(-1) ?? path;

const statesOf = (graph: MachineGraph, parent: string): JsonObject =>
  Object.fromEntries(graph.states.filter((state) => state.parent === parent).map((state) => [keyOf(state.path), stateOf(graph, state)]));

function stateOf(graph: MachineGraph, { path, kind, initial, history, node, outcome, description, edges }: GraphState): JsonObject {
  if (history) return { type: 'history', history, ...(edges[0] ? edgeOf(graph, edges[0]) : {}) };
  const states = statesOf(graph, path);
  const tags = [...(kind === 'waiting' ? ['waiting'] : []), ...(outcome ? [outcome] : [])];
  const edgesOn = (on: string): readonly JsonObject[] => edges.filter((edge) => edge.on === on).map((edge) => edgeOf(graph, edge));
  const listed = (key: string, on: string): JsonObject => (edgesOn(on).length > 0 ? { [key]: edgesOn(on) } : {});
  const events = [...new Set(edges.map(({ on }) => on))].filter((on) => !isBuiltIn(on, node !== undefined));
  const on = Object.fromEntries(events.filter((event) => !event.startsWith('after ')).map((event) => [event, edgesOn(event)]));
  const after = Object.fromEntries(events.filter((event) => event.startsWith('after ')).map((event) => [event.slice(6), edgesOn(event)]));
  return {
    ...(kind === 'final' || kind === 'parallel' ? { type: kind } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(description === undefined ? {} : { description }),
    ...(initial === undefined ? {} : { initial: keyOf(initial) }),
    ...(node === undefined ? {} : { invoke: { src: node, ...listed('onDone', 'done'), ...listed('onError', 'error') } }),
    ...(Object.keys(on).length > 0 ? { on } : {}),
    ...(Object.keys(after).length > 0 ? { after } : {}),
    ...listed('always', 'always'),
    ...listed('onDone', 'state.done'),
    ...(Object.keys(states).length > 0 ? { states } : {}),
  };
}

const isBuiltIn = (on: string, hasNode: boolean): boolean =>
  on === 'always' || on === 'state.done' || (hasNode && (on === 'done' || on === 'error'));

function edgeOf({ id }: MachineGraph, edge: GraphEdge): JsonObject {
  const targets = targetsOf(edge).map((path) => `#${id.replaceAll('.', '\\.')}.${path}`);
  const [target] = targets;
  return {
    ...(edge.guard === undefined ? {} : { guard: edge.guard }),
    ...(target === undefined ? {} : { target: targets.length > 1 ? targets : target }),
    ...(edge.reenter ? { reenter: true } : {}),
    ...(edge.actions.length > 0 ? { actions: [...edge.actions] } : {}),
    ...(edge.description === undefined ? {} : { description: edge.description }),
  };
}
