import type { GraphEdge, GraphState, MachineGraph } from '../workflow/graph.ts';

/**
 * Draws a machine as a Mermaid state diagram: its states and edges, in their order, and nothing that is not in the machine.
 *
 * @example toMermaid(toGraph(workflow.machine))
 */
export function toMermaid(graph: MachineGraph): string {
  const lines = ['stateDiagram-v2', '  direction TB', ...drawLevel(graph, '', graph.initial, '  ')];
  const waiting = graph.states.filter(({ kind }) => kind === 'waiting').map(({ path }) => toId(path));
  if (waiting.length > 0)
    lines.push('  classDef waiting fill:#fde68a,stroke:#b45309,color:#451a03', `  class ${waiting.join(',')} waiting`);
  return `${lines.join('\n')}\n`;
}

function drawLevel(graph: MachineGraph, parent: string, initial: string | undefined, indent: string): string[] {
  const states = graph.states.filter((state) => state.parent === parent);
  const lines: string[] = [];
  const parallel = graph.states.find(({ path }) => path === parent)?.kind === 'parallel';
  states.forEach((state, index) => {
    if (parallel && index > 0) lines.push(`${indent}--`);
    lines.push(...drawState(graph, state, indent));
  });
  if (!parallel && initial !== undefined) lines.push(`${indent}[*] --> ${toId(initial)}`);
  for (const state of states) lines.push(...drawEdges(state, indent));
  for (const { path } of states.filter(({ kind }) => kind === 'final')) lines.push(`${indent}${toId(path)} --> [*]`);
  return lines;
}

function drawState(graph: MachineGraph, state: GraphState, indent: string): string[] {
  const id = toId(state.path);
  const name = state.path.split('.').at(-1) ?? state.path;
  const label = name === id ? [] : [`${indent}${id}: ${name}`];
  if (state.kind !== 'compound' && state.kind !== 'parallel') return label.length > 0 ? label : [`${indent}${id}`];
  return [...label, `${indent}state ${id} {`, ...drawLevel(graph, state.path, state.initial, `${indent}  `), `${indent}}`];
}

/** One arrow for each pair of states: its label names every edge, with the number of its turn where the order decides. */
function drawEdges({ path, edges }: GraphState, indent: string): string[] {
  const byTarget = new Map<string, string[]>();
  for (const edge of edges) {
    for (const target of edge.targets ?? [edge.target ?? path]) {
      byTarget.set(target, [...(byTarget.get(target) ?? []), labelOf(edge, edges)]);
    }
  }
  return [...byTarget].map(([target, labels]) => `${indent}${toId(path)} --> ${toId(target)}: ${labels.join(', ')}`);
}

function labelOf(edge: GraphEdge, edges: readonly GraphEdge[]): string {
  const rivals = edges.filter(({ on }) => on === edge.on);
  const turn = rivals.length > 1 ? `${rivals.indexOf(edge) + 1} ` : '';
  const condition = edge.guard ?? (rivals.length > 1 ? 'else' : '');
  if (edge.on === 'done') return `${turn}${condition === '' ? 'done' : condition}`;
  return `${turn}${edge.on}${condition === '' ? '' : ` [${condition}]`}`;
}

const toId = (path: string): string => path.replaceAll(/[^A-Za-z0-9_]/g, '_');
