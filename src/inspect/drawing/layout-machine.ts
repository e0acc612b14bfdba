import type { MachineGraph } from '../../engine/define/graph.ts';
import { type Columns, placeColumns } from './columns.ts';
import { type EdgeLine, edgeLines, type Route } from './edge-lines.ts';
import type { Box, EdgeShape, MachineLayout, StateShape } from './machine-layout.ts';
import { type Ports, portsOf } from './ports.ts';
import { routeLines } from './rails.ts';
import { dotRoom, placeRows, type Rows } from './rows.ts';
import { type Frame, shapeEdge } from './shape-edge.ts';
import { descendants, isGroup, isParallel, type TreeState, toTree } from './state-tree.ts';
import { fitText, textWidth } from './text-width.ts';

/** Font sizes of the names of leaf states and groups. */
export const nameSizePx = 12;
export const titleSizePx = 11;
const maxColumns = 40;
const padding = 14;

/**
 * Computes the layout of a machine: one column of states in order of declaration, with rails beside it. Forward edges are on the right;
 * backward edges and errors are on the left. Text is not measured, so the result is the same on every platform.
 */
export function layoutMachine(graph: MachineGraph): MachineLayout {
  const root = toTree(graph);
  const states = descendants(root);
  const rankOf = new Map(states.map((state, rank) => [state, rank]));
  const lines = edgeLines(states);
  const routes = routeLines(lines, rankOf);
  const ports = portsOf(states, routes, rankOf);
  const rows = placeRows(root, ports, routes);
  const leaves = states.filter((state) => !isGroup(state));
  const width = Math.ceil(Math.max(72, ...leaves.map((state) => textWidth(nameOf(state), nameSizePx) + (hasSign(state) ? 48 : 28))));
  const titleWidth = (state: TreeState): number => Math.ceil(textWidth(titleOf(state), titleSizePx) + 24);
  const columns = placeColumns({ root, routes, ports, rows, width, titleWidth });
  return inPlace({ states, lines, routes, ports, rows, columns, width });
}

interface LayoutParts {
  readonly states: readonly TreeState[];
  readonly lines: readonly EdgeLine[];
  readonly routes: ReadonlyMap<EdgeLine, Route>;
  readonly ports: ReadonlyMap<TreeState, Ports>;
  readonly rows: ReadonlyMap<TreeState, Rows>;
  readonly columns: Columns;
  readonly width: number;
}

/** Returns all shapes, relative to the upper left corner of the drawing. */
function inPlace({ states, lines, routes, ports, rows, columns, width }: LayoutParts): MachineLayout {
  const { left, right } = columns.borders;
  const reach = (side: 'left' | 'right'): number =>
    Math.max(0, ...columns.borders[side].values(), ...[...columns.rails].map(([rail, at]) => (rail.side === side ? at : 0)));
  const x = Math.ceil(padding + reach('left'));
  const boxOf = (state: TreeState): Box => {
    const { top, bottom } = rows.get(state) ?? { top: 0, bottom: 0 };
    const [before, after] = [left.get(state) ?? 0, right.get(state) ?? 0];
    return { x: x - before, y: padding + top, width: before + width + after, height: bottom - top };
  };
  const frame: Frame = { x, y: padding, width, boxOf, ports, rails: columns.rails };
  const edges = lines.map((line) => shapeEdge(line, routes.get(line) ?? 'down', frame));
  const shapes = states.map((state) => shapeState(state, boxOf(state), x + width / 2));
  return { ...extent(x + width + reach('right'), shapes, edges), states: shapes, edges };
}

function extent(
  right: number,
  states: readonly StateShape[],
  edges: readonly EdgeShape[],
): { readonly width: number; readonly height: number } {
  const labels = edges.flatMap(({ label }) => (label ? [label] : []));
  const rights = [...states, ...labels].map(({ x, width }) => x + width);
  const bottoms = [...states, ...labels].map(({ y, height }) => y + height);
  return { width: Math.ceil(Math.max(right, ...rights) + padding), height: Math.ceil(Math.max(0, ...bottoms) + padding) };
}

function shapeState(tree: TreeState, box: Box, middle: number): StateShape {
  const group = isGroup(tree);
  const size = group ? titleSizePx : nameSizePx;
  const name = group ? titleOf(tree) : nameOf(tree);
  const width = textWidth(name, size);
  const text = group
    ? { x: box.x + 10, y: box.y + 5, width, height: 14 }
    : { x: box.x + (box.width - width) / 2, y: box.y + box.height / 2 - 8, width, height: 16 };
  const region = tree.parent !== undefined && isParallel(tree.parent);
  const dot = tree.initial && !region ? { dot: { x: middle, y: box.y - dotRoom + 6 } } : {};
  return { ...box, ...dot, state: stateOf(tree), name, group, region, text };
}

/** The root has no state and no shape. */
const stateOf = ({ state, path }: TreeState): StateShape['state'] => state ?? { path, kind: 'idle', parent: '', edges: [] };

const lastKey = ({ path, parent }: TreeState): string => (parent?.path ? path.slice(parent.path.length + 1) : path);

const nameOf = (state: TreeState): string => fitText(lastKey(state), maxColumns);

const titleOf = (state: TreeState): string => nameOf(state) + (isParallel(state) ? ' · parallel' : '');

/** True for a state with an icon next to its name. */
const hasSign = ({ state }: Pick<TreeState, 'state'>): boolean => state?.kind === 'waiting' || state?.outcome === 'failure';
