import type { EdgeLine, Route } from './edge-lines.ts';
import { type Beside, canCross, columnOfLine } from './regions.ts';
import { isInside, type TreeState } from './state-tree.ts';

export type Side = 'left' | 'right';

/** Vertical line beside the column, shared by all lines of one kind with the same target. */
export interface Rail {
  readonly side: Side;
  readonly target: TreeState;
  readonly error: boolean;
  /** Innermost state that contains the rail. */
  readonly scope: TreeState;
  /** Column beside which it runs. */
  readonly column: TreeState;
  readonly lines: readonly EdgeLine[];
  /** Order among rails of one scope and side. A lower one is closer to the states. */
  readonly order: number;
}

interface OpenRail extends Rail {
  readonly lines: EdgeLine[];
  order: number;
}

/**
 * Routes all lines: forward lines on the right, backward lines and errors on the left. A line out of regions side by side takes the other
 * side if a region is in the way.
 */
export function routeLines(
  lines: readonly EdgeLine[],
  rankOf: ReadonlyMap<TreeState, number>,
  beside: Beside,
): ReadonlyMap<EdgeLine, Route> {
  const routes = new Map<EdgeLine, Route>();
  const rails: OpenRail[] = [];
  for (const line of lines) {
    if (line.from === line.to) routes.set(line, 'loop');
    else if (isNext(line)) routes.set(line, 'down');
    else {
      const { to: target, error } = line;
      const scope = scopeOf(line);
      const [usual, other]: readonly [Side, Side] = !error && isForward(line, rankOf) ? ['right', 'left'] : ['left', 'right'];
      const column = columnOfLine(line, scope, beside);
      const around = column.parent === scope ? column : scope;
      const side = canCross(line, around, usual, beside) || !canCross(line, around, other, beside) ? usual : other;
      const same = (rail: OpenRail): boolean =>
        rail.target === target && rail.side === side && rail.error === error && rail.scope === scope && rail.column === column;
      const rail: OpenRail = rails.find(same) ?? { side, target, error, scope, column, lines: [], order: 0 };
      if (rail.lines.length === 0) rails.push(rail);
      rail.lines.push(line);
      routes.set(line, rail);
    }
  }
  for (const bySide of Map.groupBy(rails, ({ side }) => side).values()) {
    for (const neighbours of Map.groupBy(bySide, ({ scope }) => scope).values()) sortRails(neighbours, rankOf);
  }
  return routes;
}

const isNext = ({ from, to }: EdgeLine): boolean => {
  const { parent } = from;
  return parent !== undefined && !parent.parallel && parent.children[parent.children.indexOf(from) + 1] === to;
};

/** True for a downward line. A line leaves a group at its lower end, so states inside the group count as above. */
export const isForward = ({ from, to }: EdgeLine, rankOf: ReadonlyMap<TreeState, number>): boolean =>
  !isInside(to, from) && (rankOf.get(to) ?? 0) > (rankOf.get(from) ?? 0);

function scopeOf({ from, to }: EdgeLine): TreeState {
  let scope = from.parent ?? from;
  while (scope.parent && (scope === to || !isInside(to, scope))) scope = scope.parent;
  return scope;
}

interface Span {
  readonly rail: OpenRail;
  readonly rows: readonly number[];
  readonly first: number;
  readonly last: number;
}

/** Sorts errors last and short rails before long ones, then swaps neighbors while that removes crossings. */
function sortRails(rails: readonly OpenRail[], rankOf: ReadonlyMap<TreeState, number>): void {
  const spans = rails.map((rail): Span => {
    const rows = [rail.target, ...rail.lines.map(({ from }) => from)].map((state) => rankOf.get(state) ?? 0);
    return { rail, rows, first: Math.min(...rows), last: Math.max(...rows) };
  });
  const length = ({ first, last }: Span): number => last - first;
  spans.sort((a, b) => Number(a.rail.error) - Number(b.rail.error) || length(a) - length(b) || a.first - b.first);
  const crossings = (near: Span, far: Span): number => far.rows.filter((row) => row > near.first && row < near.last).length;
  for (let moved = true, round = 0; moved && round < 50; round++) {
    moved = false;
    for (let at = 0; at + 1 < spans.length; at++) {
      const [near, far] = spans.slice(at, at + 2);
      if (!near || !far || near.rail.error !== far.rail.error || crossings(near, far) <= crossings(far, near)) continue;
      spans.splice(at, 2, far, near);
      moved = true;
    }
  }
  spans.forEach(({ rail }, order) => {
    rail.order = order;
  });
}

/** Sorts rails by distance from the states: positive if the first one is farther away. */
export const compareRails = (a: Rail, b: Rail): number => b.scope.depth - a.scope.depth || a.order - b.order;
