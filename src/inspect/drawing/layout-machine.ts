import type { MachineGraph } from '../../engine/define/graph.ts';
import { type Columns, placeColumns } from './columns.ts';
import { type EdgeLine, edgeLines, type Route } from './edge-lines.ts';
import type { Box, EdgeShape, MachineLayout, StateShape } from './machine-layout.ts';
import { type Ports, portsOf } from './ports.ts';
import { routeLines } from './rails.ts';
import { type Beside, columnOf, enclosed, withMoreRows } from './regions.ts';
import { dotRoom, placeRows, type Rows } from './rows.ts';
import { type Frame, middleOf, type Place, shapeEdge } from './shape-edge.ts';
import { descendants, isGroup, type TreeState, toTree } from './state-tree.ts';
import { fitText, textWidth } from './text-width.ts';

/** Font sizes of the names of leaf states and groups. */
export const nameSizePx = 12;
export const titleSizePx = 11;
const maxColumns = 40;
const padding = 14;

/** Maximum width of regions side by side, in pixels. Wider ones take more rows. */
const maxRowWidth = 680;

/**
 * Computes the layout of a machine: one column of states in order of declaration, with rails beside it. Forward edges are on the right;
 * backward edges and errors are on the left. Regions of a parallel state stand side by side if they fit. Text is not measured, so the result
 * is the same on every platform.
 */
export function layoutMachine(graph: MachineGraph): MachineLayout {
  const root = toTree(graph);
  const states = descendants(root);
  const tree: Tree = { root, states, rankOf: new Map(states.map((state, rank) => [state, rank])), lines: edgeLines(states) };
  const parallel = [root, ...states].filter((state) => state.parallel && state.children.length > 1);
  let beside: Beside = new Map(parallel.map((state) => [state, state.children.length]));
  for (;;) {
    const { parts, tooLong } = arrange(tree, beside);
    if (tooLong.length === 0) return inPlace(parts);
    beside = withMoreRows(beside, tooLong);
  }
}

interface Tree {
  readonly root: TreeState;
  readonly states: readonly TreeState[];
  readonly rankOf: ReadonlyMap<TreeState, number>;
  readonly lines: readonly EdgeLine[];
}

/** Places all parts, and returns the parallel states whose rows of regions are too long. */
function arrange(
  { root, states, rankOf, lines }: Tree,
  beside: Beside,
): { readonly parts: LayoutParts; readonly tooLong: readonly TreeState[] } {
  const routes = routeLines(lines, rankOf, beside);
  const ports = portsOf(states, routes, rankOf);
  const rows = placeRows(root, ports, routes, beside);
  const leaves = Map.groupBy(
    states.filter((state) => !isGroup(state)),
    (state) => columnOf(state, beside),
  );
  const widths = new Map([...leaves].map(([column, own]) => [column, Math.ceil(Math.max(minWidth, ...own.map(leafWidth)))]));
  const widthOf = (column: TreeState): number => widths.get(column) ?? minWidth;
  const titleWidth = (state: TreeState): number => Math.ceil(textWidth(titleOf(state), titleSizePx) + 24);
  const columns = placeColumns({ root, routes, ports, rows, beside, widthOf, titleWidth });
  const tooWide = [...columns.rowWidths].flatMap(([state, width]) => (width > maxRowWidth ? [state] : []));
  const blocked = enclosed(routes, beside);
  return { parts: { root, states, lines, routes, ports, rows, columns, beside, widthOf }, tooLong: blocked.length > 0 ? blocked : tooWide };
}

const minWidth = 72;

const leafWidth = (state: TreeState): number =>
  textWidth(nameOf(state), nameSizePx) + (state.state?.history ? 56 : hasSign(state) ? 48 : 28);

interface LayoutParts {
  readonly root: TreeState;
  readonly states: readonly TreeState[];
  readonly lines: readonly EdgeLine[];
  readonly routes: ReadonlyMap<EdgeLine, Route>;
  readonly ports: ReadonlyMap<TreeState, Ports>;
  readonly rows: ReadonlyMap<TreeState, Rows>;
  readonly columns: Columns;
  readonly beside: Beside;
  readonly widthOf: (column: TreeState) => number;
}

/** Returns all shapes, relative to the upper left corner of the drawing. */
function inPlace({ root, states, lines, routes, ports, rows, columns, beside, widthOf }: LayoutParts): MachineLayout {
  const { left, right } = columns.borders;
  const isInRoot = (state: TreeState): boolean => columnOf(state, beside) === root;
  const reach = (side: 'left' | 'right'): number =>
    Math.max(
      0,
      ...[...columns.borders[side]].map(([state, at]) => (isInRoot(state) ? at : 0)),
      ...[...columns.rails].map(([rail, at]) => (rail.side === side && rail.column === root ? at : 0)),
      ((columns.rowWidths.get(root) ?? 0) - widthOf(root)) / 2,
    );
  const first = Math.ceil(padding + reach('left'));
  const xOf = (column: TreeState): number =>
    column.parent ? xOf(columnOf(column.parent, beside)) + (columns.offsets.get(column) ?? 0) : first;
  const places = new Map(
    [root, ...states].filter((state) => columnOf(state, beside) === state).map((one) => [one, { x: xOf(one), width: widthOf(one) }]),
  );
  const placeOf = (state: TreeState): Place => places.get(columnOf(state, beside)) ?? { x: first, width: minWidth };
  const boxOf = (state: TreeState): Box => {
    const { top, bottom } = rows.get(state) ?? { top: 0, bottom: 0 };
    const [before, after] = [left.get(state) ?? 0, right.get(state) ?? 0];
    const { x, width } = placeOf(state);
    return { x: x - before, y: padding + top, width: before + width + after, height: bottom - top };
  };
  const frame: Frame = { y: padding, placeOf, boxOf, ports, rails: columns.rails };
  const edges = lines.map((line) => shapeEdge(line, routes.get(line) ?? 'down', frame));
  const shapes = states.map((state) => shapeState(state, boxOf(state), middleOf(placeOf(state))));
  return { ...extent(first + widthOf(root) + reach('right'), shapes, edges), states: shapes, edges };
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
  const region = tree.parent?.parallel === true;
  const dot = tree.initial && !region ? { dot: { x: middle, y: box.y - dotRoom + 6 } } : {};
  return { ...box, ...dot, state: stateOf(tree), name, group, region, text };
}

/** The root has no state and no shape. */
const stateOf = ({ state, path }: TreeState): StateShape['state'] => state ?? { path, kind: 'idle', parent: '', edges: [] };

const lastKey = ({ path, parent }: TreeState): string => (parent?.path ? path.slice(parent.path.length + 1) : path);

const nameOf = (state: TreeState): string => fitText(lastKey(state), maxColumns);

const titleOf = (state: TreeState): string => nameOf(state) + (state.parallel ? ' · parallel' : '');

/** True for a state with an icon next to its name. */
const hasSign = ({ state }: Pick<TreeState, 'state'>): boolean => state?.kind === 'waiting' || state?.outcome === 'failure';
