import { type EdgeLine, lineHeightPx, type Route } from './edge-lines.ts';
import { heightOf, type Port, type Ports, stackPorts } from './ports.ts';
import { type Beside, rowsOfRegions } from './regions.ts';
import { isGroup, type TreeState } from './state-tree.ts';

/** Vertical range. */
export interface Rows {
  readonly top: number;
  readonly bottom: number;
}

/** Space above an initial state for its dot, in pixels. */
export const dotRoom = 22;
/** Space between regions, in pixels. */
const regionGap = 10;

interface Stack {
  readonly ports: ReadonlyMap<TreeState, Ports>;
  /** Lines straight to the next state, by source state. */
  readonly down: ReadonlyMap<TreeState, EdgeLine>;
  readonly rows: Map<TreeState, Rows>;
  readonly beside: Beside;
}

/** Stacks all states and places the ports at their sides. A group ends with its last state, and a row of regions with its longest. */
export function placeRows(
  root: TreeState,
  ports: ReadonlyMap<TreeState, Ports>,
  routes: ReadonlyMap<EdgeLine, Route>,
  beside: Beside,
): ReadonlyMap<TreeState, Rows> {
  const down = new Map([...routes].flatMap(([line, route]) => (route === 'down' ? [[line.from, line] as const] : [])));
  const rows = new Map<TreeState, Rows>();
  rows.set(root, { top: 0, bottom: placeChildren(root, 0, { ports, down, rows, beside }) });
  return rows;
}

function placeChildren(parent: TreeState, top: number, column: Stack): number {
  const perRow = column.beside.get(parent);
  if (perRow !== undefined) return placeRegions(rowsOfRegions(parent, perRow), top, column);
  let y = parent.parallel || !isGroup(parent) ? top : top + dotRoom;
  for (const [index, child] of parent.children.entries()) {
    const above = parent.children[index - 1];
    if (above) y += gapBelow(above, column);
    const bottom = placeState(child, y, column);
    column.rows.set(child, { top: y, bottom });
    y = bottom;
  }
  return y;
}

function placeRegions(rows: readonly (readonly TreeState[])[], top: number, column: Stack): number {
  let y = top - regionGap;
  for (const regions of rows) {
    y += regionGap;
    const bottoms = regions.map((region) => placeState(region, y, column));
    const lowest = Math.max(...bottoms);
    for (const [index, region] of regions.entries()) {
      column.rows.set(region, { top: y, bottom: isGroup(region) ? lowest : (bottoms[index] ?? y) });
    }
    y = lowest;
  }
  return y;
}

const placeState = (state: TreeState, top: number, column: Stack): number => (isGroup(state) ? placeGroup : placeLeaf)(state, top, column);

function gapBelow(state: TreeState, { down }: Stack): number {
  const line = down.get(state);
  if (line) return Math.max(24, line.lines.length * lineHeightPx + 14);
  return state.parent?.parallel ? regionGap : 16;
}

function placeLeaf(state: TreeState, top: number, { ports }: Stack): number {
  const { left, right } = portsAt(state, ports);
  const height = Math.max(30, heightOf(left) + 8, heightOf(right) + 8);
  for (const side of [left, right]) stackPorts(side, top + (height - heightOf(side)) / 2);
  return top + height;
}

/** Lines enter a group next to its name and leave it below its states. */
function placeGroup(state: TreeState, top: number, column: Stack): number {
  const sides = Object.values(portsAt(state, column.ports));
  const entries = sides.map((side: readonly Port[]) => side.filter(({ line }) => !line));
  const exits = sides.map((side: readonly Port[]) => side.filter(({ line }) => line));
  for (const side of entries) stackPorts(side, top + 8);
  const head = Math.max(state.parallel ? 27 : 20, ...entries.map((side) => heightOf(side) + 10));
  const end = placeChildren(state, top + head, column) + 10;
  for (const side of exits) stackPorts(side, end - 4);
  return Math.max(end, ...exits.map((side) => end + heightOf(side)));
}

export const portsAt = (state: TreeState, ports: ReadonlyMap<TreeState, Ports>): Ports => ports.get(state) ?? { left: [], right: [] };
