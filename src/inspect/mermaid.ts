import { type GraphEdge, type GraphState, type MachineGraph, targetsOf } from '../engine/define/graph.ts';
import type { TakenEdge } from './drawing/drawn-path.ts';
import { historySign } from './drawing/svg-state.ts';

export interface MermaidOptions {
  /** Edges that a run has taken. Their labels start with ✓, and their states are blue. @default [] */
  readonly path?: readonly TakenEdge[];
  /** Paths of the active states of a run. @default [] */
  readonly active?: readonly string[];
}

/**
 * Draws a machine as a Mermaid state diagram, with its states and edges in order and nothing else.
 *
 * @example toMermaid(toGraph(workflow.machine))
 */
export function toMermaid(graph: MachineGraph, { path = [], active = [] }: MermaidOptions = {}): string {
  const taken = new Set(path.map(({ from, on, guard }) => JSON.stringify([from, on, guard])));
  const isTaken = (from: string, { on, guard }: GraphEdge): boolean => taken.has(JSON.stringify([from, on, guard]));
  const drawing: Drawing = { graph, ids: idsOf(graph), isTaken };
  const lines = ['stateDiagram-v2', '  direction TB', ...drawLevel(drawing, '', graph.initial, '  ')];
  const visited = graph.states.flatMap((state) =>
    state.edges.flatMap((edge) => (isTaken(state.path, edge) ? [state.path, ...targetsOf(edge)] : [])),
  );
  const waiting = graph.states.filter(({ kind }) => kind === 'waiting').map((state) => state.path);
  lines.push(
    ...drawClass(drawing, 'waiting', 'fill:#fde68a,stroke:#b45309,color:#451a03', waiting),
    ...drawClass(drawing, 'taken', 'stroke:#2563eb,stroke-width:2px', visited),
    ...drawClass(drawing, 'active', 'fill:#dbeafe,stroke:#2563eb,stroke-width:4px,color:#1f2937', active),
  );
  return `${lines.join('\n')}\n`;
}

interface Drawing {
  readonly graph: MachineGraph;
  /** Mermaid ids of the states, by path. */
  readonly ids: ReadonlyMap<string, string>;
  readonly isTaken: (from: string, edge: GraphEdge) => boolean;
}

function drawClass({ ids }: Drawing, name: string, style: string, paths: readonly string[]): string[] {
  const found = new Set(paths.flatMap((path) => ids.get(path) ?? []));
  return found.size > 0 ? [`  classDef ${name} ${style}`, `  class ${[...found].join(',')} ${name}`] : [];
}

function drawLevel(drawing: Drawing, parent: string, initial: string | undefined, indent: string): string[] {
  const { graph } = drawing;
  const states = graph.states.filter((state) => state.parent === parent);
  const lines: string[] = [];
  const parallel = graph.states.find(({ path }) => path === parent)?.kind === 'parallel';
  states.forEach((state, index) => {
    if (parallel && index > 0) lines.push(`${indent}--`);
    lines.push(...drawState(drawing, state, indent));
  });
  if (!parallel && initial !== undefined) lines.push(`${indent}[*] --> ${idOf(drawing, initial)}`);
  for (const state of states) lines.push(...drawEdges(drawing, state, indent));
  for (const { path } of states.filter(({ kind }) => kind === 'final')) lines.push(`${indent}${idOf(drawing, path)} --> [*]`);
  return lines;
}

function drawState(drawing: Drawing, state: GraphState, indent: string): string[] {
  const id = idOf(drawing, state.path);
  const name = state.path.split('.').at(-1) ?? state.path;
  if (state.history) return [`${indent}${id}: ${escapeText(name)} (${historySign(state.history)})`];
  const label = name === id ? [] : [`${indent}${id}: ${escapeText(name)}`];
  if (state.kind !== 'compound' && state.kind !== 'parallel') return label.length > 0 ? label : [`${indent}${id}`];
  return [...label, `${indent}state ${id} {`, ...drawLevel(drawing, state.path, state.initial, `${indent}  `), `${indent}}`];
}

/** Draws one arrow per pair of states. Its label lists all edges, numbered where the order decides. */
function drawEdges(drawing: Drawing, { path, edges }: GraphState, indent: string): string[] {
  const byTarget = new Map<string, string[]>();
  for (const edge of edges) {
    const label = (drawing.isTaken(path, edge) ? '✓ ' : '') + labelOf(edge, edges);
    for (const target of edge.targets ?? [edge.target ?? path]) byTarget.set(target, [...(byTarget.get(target) ?? []), label]);
  }
  return [...byTarget].map(
    ([target, labels]) => `${indent}${idOf(drawing, path)} --> ${idOf(drawing, target)}: ${escapeText(labels.join(', '))}`,
  );
}

function labelOf(edge: GraphEdge, edges: readonly GraphEdge[]): string {
  const rivals = edges.filter(({ on }) => on === edge.on);
  const turn = rivals.length > 1 ? `${rivals.indexOf(edge) + 1} ` : '';
  const condition = edge.guard ?? (rivals.length > 1 ? 'else' : '');
  if (edge.on === 'done') return `${turn}${condition === '' ? 'done' : condition}`;
  return `${turn}${edge.on}${condition === '' ? '' : ` [${condition}]`}`;
}

const idOf = ({ ids }: Drawing, path: string): string => ids.get(path) ?? toId(path);

/** Creates a unique id for each state. Mermaid ids allow fewer characters than paths, so replaced characters could cause collisions. */
function idsOf({ states }: MachineGraph): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const used = new Set<string>();
  for (const { path } of states) {
    let id = toId(path);
    for (let number = 2; used.has(id); number++) id = `${toId(path)}_${number}`;
    used.add(id);
    ids.set(path, id);
  }
  return ids;
}

const toId = (path: string): string => path.replaceAll(/[^A-Za-z0-9_]/g, '_');

/** Puts a text on one line and escapes the special characters of Mermaid and HTML. */
const escapeText = (text: string): string =>
  text.replaceAll(/\s+/g, ' ').replaceAll(/[#;:<>&"{}%]/g, (letter) => `#${letter.charCodeAt(0)};`);
