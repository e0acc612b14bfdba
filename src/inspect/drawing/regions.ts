import type { EdgeLine, Route } from './edge-lines.ts';
import type { Side } from './rails.ts';
import { isInside, type TreeState } from './state-tree.ts';

/** Parallel states whose regions stand side by side, with the number of regions per row. Each such region is a column of its own. */
export type Beside = ReadonlyMap<TreeState, number>;

/** Returns the regions of a state in rows. History states are no regions, and have a row of their own. */
export function rowsOfRegions({ children }: TreeState, perRow: number): readonly (readonly TreeState[])[] {
  const rows: TreeState[][] = [];
  for (const same of Map.groupBy(children, ({ state }) => state?.history !== undefined).values()) {
    for (let at = 0; at < same.length; at += perRow) rows.push(same.slice(at, at + perRow));
  }
  return rows;
}

/** Moves the regions of some states to more rows. A state with one region per row stacks them as usual. */
export function withMoreRows(beside: Beside, states: Iterable<TreeState>): Beside {
  const next = new Map(beside);
  for (const state of new Set(states)) {
    const { length } = state.children;
    const perRow = beside.get(state) ?? 1;
    let rows = Math.ceil(length / perRow) + 1;
    while (Math.ceil(length / rows) === perRow) rows++;
    if (rows < length) next.set(state, Math.ceil(length / rows));
    else next.delete(state);
  }
  return next;
}

/** Returns the column of a state: the nearest region that stands beside others, or the root. */
export function columnOf(state: TreeState, beside: Beside): TreeState {
  let at = state;
  while (at.parent && !beside.has(at.parent)) at = at.parent;
  return at;
}

/** Returns the column of a line whose rail is in `scope`: a line between a region and its own states stays beside that region. */
export function columnOfLine({ from, to }: EdgeLine, scope: TreeState, beside: Beside): TreeState {
  const region = beside.has(scope) ? scope.children.find((child) => isInside(from, child) && isInside(to, child)) : undefined;
  return region ?? columnOf(scope, beside);
}

/** True if a line can leave the states inside `around` on this side without crossing a region that stands in between. */
export const canCross = (line: EdgeLine, around: TreeState, side: Side, beside: Beside): boolean =>
  inTheWay(line, around, side, beside).length === 0;

/** Returns the parallel states with a region that a line would have to cross. */
function inTheWay({ from, to }: EdgeLine, around: TreeState, side: Side, beside: Beside): readonly TreeState[] {
  const found: TreeState[] = [];
  for (const end of [from, to]) {
    for (let at = end; at !== around && at.parent; at = at.parent) {
      const { parent } = at;
      const perRow = beside.get(parent);
      const row = perRow === undefined ? [at] : rowsOfRegions(parent, perRow).find((regions) => regions.includes(at));
      if (row?.at(side === 'left' ? 0 : -1) !== at) found.push(parent);
    }
  }
  return found;
}

/** Returns the parallel states with too long rows, because a line leaves a region that others enclose. */
export const enclosed = (routes: ReadonlyMap<EdgeLine, Route>, beside: Beside): readonly TreeState[] =>
  [...routes].flatMap(([line, route]) => {
    if (typeof route !== 'object') return [];
    const { scope, column, side } = route;
    return inTheWay(line, column.parent === scope ? column : scope, side, beside);
  });
