import { type EdgeLine, lineHeightPx, type Route } from './edge-lines.ts';
import { heightOf, type Port, type Ports, stackPorts } from './ports.ts';
import { isGroup, isParallel, type TreeState } from './state-tree.ts';

/** Vertical range. */
export interface Rows {
  readonly top: number;
  readonly bottom: number;
}

/** Space above an initial state for its dot, in pixels. */
export const dotRoom = 22;

interface Column {
  readonly ports: ReadonlyMap<TreeState, Ports>;
  /** Lines straight to the next state, by source state. */
  readonly down: ReadonlyMap<TreeState, EdgeLine>;
  readonly rows: Map<TreeState, Rows>;
}

/** Stacks all states and places the ports at their sides. A group ends with its last state. */
export function placeRows(
  root: TreeState,
  ports: ReadonlyMap<TreeState, Ports>,
  routes: ReadonlyMap<EdgeLine, Route>,
): ReadonlyMap<TreeState, Rows> {
  const down = new Map([...routes].flatMap(([line, route]) => (route === 'down' ? [[line.from, line] as const] : [])));
  const rows = new Map<TreeState, Rows>();
  rows.set(root, { top: 0, bottom: placeChildren(root, 0, { ports, down, rows }) });
  return rows;
}

function placeChildren(parent: TreeState, top: number, column: Column): number {
  let y = isParallel(parent) || !isGroup(parent) ? top : top + dotRoom;
  for (const [index, child] of parent.children.entries()) {
    const above = parent.children[index - 1];
    if (above) y += gapBelow(above, column);
    const bottom = isGroup(child) ? placeGroup(child, y, column) : placeLeaf(child, y, column);
    column.rows.set(child, { top: y, bottom });
    y = bottom;
  }
  return y;
}

function gapBelow(state: TreeState, { down }: Column): number {
  const line = down.get(state);
  if (line) return Math.max(24, line.lines.length * lineHeightPx + 14);
  return state.parent && isParallel(state.parent) ? 10 : 16;
}

function placeLeaf(state: TreeState, top: number, { ports }: Column): number {
  const { left, right } = portsAt(state, ports);
  const height = Math.max(30, heightOf(left) + 8, heightOf(right) + 8);
  for (const side of [left, right]) stackPorts(side, top + (height - heightOf(side)) / 2);
  return top + height;
}

/** Lines enter a group next to its name and leave it below its states. */
function placeGroup(state: TreeState, top: number, column: Column): number {
  const sides = Object.values(portsAt(state, column.ports));
  const entries = sides.map((side: readonly Port[]) => side.filter(({ line }) => !line));
  const exits = sides.map((side: readonly Port[]) => side.filter(({ line }) => line));
  for (const side of entries) stackPorts(side, top + 8);
  const head = Math.max(isParallel(state) ? 27 : 20, ...entries.map((side) => heightOf(side) + 10));
  const end = placeChildren(state, top + head, column) + 10;
  for (const side of exits) stackPorts(side, end - 4);
  return Math.max(end, ...exits.map((side) => end + heightOf(side)));
}

export const portsAt = (state: TreeState, ports: ReadonlyMap<TreeState, Ports>): Ports => ports.get(state) ?? { left: [], right: [] };
