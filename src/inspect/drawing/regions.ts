import type { EdgeLine, Route } from './edge-lines.ts';
import type { Side } from './rails.ts';
import type { TreeState } from './state-tree.ts';

/** Parallel states whose regions stand side by side. Each such region is a column of its own. */
export type Beside = ReadonlySet<TreeState>;

/** Returns the column of a state: the nearest region that stands beside others, or the root. */
export function columnOf(state: TreeState, beside: Beside): TreeState {
  let at = state;
  while (at.parent && !beside.has(at.parent)) at = at.parent;
  return at;
}

/** True if a line reaches a rail of `scope` on this side without crossing a region that stands in between. */
export const canCross = (line: EdgeLine, scope: TreeState, side: Side, beside: Beside): boolean =>
  inTheWay(line, scope, side, beside).length === 0;

/** Returns the parallel states with a region that a line would have to cross. */
function inTheWay({ from, to }: EdgeLine, scope: TreeState, side: Side, beside: Beside): readonly TreeState[] {
  const found: TreeState[] = [];
  for (const end of [from, to]) {
    for (let at = end; at !== scope && at.parent; at = at.parent) {
      const { parent } = at;
      if (beside.has(parent) && parent.children.at(side === 'left' ? 0 : -1) !== at) found.push(parent);
    }
  }
  return found;
}

/** Returns the parallel states that must stack their regions, because a line leaves a region that others enclose. */
export const enclosed = (routes: ReadonlyMap<EdgeLine, Route>, beside: Beside): readonly TreeState[] =>
  [...routes].flatMap(([line, route]) => (typeof route === 'object' ? inTheWay(line, route.scope, route.side, beside) : []));
