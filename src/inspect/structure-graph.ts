import type { Json, JsonObject } from '../core/ports/json.ts';
import { asObject } from '../core/util/as-object.ts';
import type { GraphEdge, GraphState, MachineGraph } from '../engine/define/graph.ts';

const kinds = ['node', 'waiting', 'final', 'compound', 'parallel', 'idle'] as const;

/**
 * Builds the graph of a machine from its stored structure (`RunStore.readStructure`). Descriptions and the tags of final states are
 * missing, because replay does not need them.
 */
export function graphOfStructure(structure: JsonObject): MachineGraph {
  return {
    id: text(structure.id),
    version: text(structure.version),
    initial: text(structure.initial),
    states: Object.entries(asObject(structure.states)).map(([path, state]) => toState(path, asObject(state))),
  };
}

function toState(path: string, { kind, parent, initial, node, edges }: JsonObject): GraphState {
  return {
    path,
    kind: kinds.find((known) => known === kind) ?? 'idle',
    parent: text(parent),
    ...(initial === undefined ? {} : { initial: text(initial) }),
    ...(node === undefined ? {} : { node: text(node) }),
    edges: list(edges).map((edge) => toEdge(asObject(edge))),
  };
}

const toEdge = ({ on, guard, target, targets, reenter, actions }: JsonObject): GraphEdge => ({
  on: text(on),
  ...(guard === undefined ? {} : { guard: text(guard) }),
  ...(target === undefined ? {} : { target: text(target) }),
  ...(targets === undefined ? {} : { targets: list(targets).map(text) }),
  reenter: reenter === true,
  actions: list(actions).map(text),
});

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
