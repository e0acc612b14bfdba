import type { EdgeLine, Route } from './edge-lines.ts';
import type { Box, EdgeLabel, EdgeShape, Point } from './machine-layout.ts';
import type { Ports } from './ports.ts';
import type { Rail } from './rails.ts';
import { portsAt } from './rows.ts';
import type { TreeState } from './state-tree.ts';

/** Radius of a corner, in pixels. */
export const cornerPx = 5;

/** Horizontal range of a column's boxes. */
export interface Place {
  readonly x: number;
  readonly width: number;
}

export const middleOf = ({ x, width }: Place): number => x + width / 2;

/** Positions of the columns and of the shapes beside them. */
export interface Frame {
  /** Top of the columns. */
  readonly y: number;
  /** Returns the column of a state. */
  readonly placeOf: (state: TreeState) => Place;
  readonly boxOf: (state: TreeState) => Box;
  readonly ports: ReadonlyMap<TreeState, Ports>;
  readonly rails: ReadonlyMap<Rail, number>;
}

/** Returns the shape of a line. */
export function shapeEdge(line: EdgeLine, route: Route, frame: Frame): EdgeShape {
  const { from, to, edges, error } = line;
  const shape = { from: from.path, to: to.path, edges, error };
  if (route === 'down') return { ...shape, ...straightDown(line, frame) };
  if (route === 'loop') return { ...shape, ...loop(line, frame) };
  return { ...shape, ...overRail(line, route, frame) };
}

type Way = Pick<EdgeShape, 'points' | 'drawn' | 'gap' | 'label'>;

function straightDown(line: EdgeLine, { placeOf, boxOf }: Frame): Way {
  const [from, to] = [boxOf(line.from), boxOf(line.to)];
  const middle = middleOf(placeOf(line.from));
  const [top, bottom] = [from.y + from.height, to.y];
  const points = [
    { x: middle, y: top },
    { x: middle, y: bottom },
  ];
  return { points, ...labelAt(line, middle + 6, (top + bottom) / 2 - 1, 'start') };
}

function loop(line: EdgeLine, frame: Frame): Way {
  const box = frame.boxOf(line.from);
  const x = box.x + box.width;
  const y = yOf(line, 'right', frame);
  const points = [
    { x, y: y - 4 },
    { x: x + 12, y: y - 4 },
    { x: x + 12, y: y + 4 },
    { x, y: y + 4 },
  ];
  return { points, ...labelAt(line, x + 17, y, 'start') };
}

function overRail(line: EdgeLine, rail: Rail, frame: Frame): Way {
  const sign = rail.side === 'left' ? -1 : 1;
  const borderOf = (state: TreeState): number => {
    const box = frame.boxOf(state);
    return sign < 0 ? box.x : box.x + box.width;
  };
  const reach = frame.rails.get(rail) ?? 0;
  const column = frame.placeOf(rail.column);
  const x = sign < 0 ? column.x - reach : column.x + column.width + reach;
  const [start, end] = [borderOf(line.from), borderOf(line.to)];
  const y = yOf(line, rail.side, frame);
  const entry = portsAt(rail.target, frame.ports)[rail.side].find((port) => port.rail === rail && !port.line);
  const last = frame.y + (entry?.y ?? 0);
  const points: readonly Point[] = [
    { x: start, y },
    { x, y },
    { x, y: last },
    { x: end, y: last },
  ];
  const join = nextJoin(line, rail, y, last, frame);
  return {
    points,
    ...(join === undefined ? {} : { drawn: [...points.slice(0, 2), { x, y: join }] }),
    ...(line.lines.length > 0 ? { gap: [start + sign * 5, start + sign * (line.labelWidth + 7)] as const } : {}),
    ...labelAt(line, start + sign * 6, y, sign < 0 ? 'end' : 'start'),
  };
}

/** Returns the position where the next line joins the rail on the way to the target; `undefined` if none does. */
function nextJoin(line: EdgeLine, rail: Rail, y: number, last: number, frame: Frame): number | undefined {
  const way = last > y ? 1 : -1;
  const joins = rail.lines.filter((other) => other !== line).map((other) => yOf(other, rail.side, frame));
  const next = joins.filter((at) => (at - y) * way > 0 && (last - at) * way > 0).sort((a, b) => (a - b) * way)[0];
  return next === undefined ? undefined : next + way * Math.min(cornerPx, Math.abs(last - next));
}

const yOf = (line: EdgeLine, side: Rail['side'], { y, ports }: Frame): number =>
  y + (portsAt(line.from, ports)[side].find((port) => port.line === line)?.y ?? 0);

function labelAt(
  { lines, labelWidth: width, labelHeight: height }: EdgeLine,
  x: number,
  y: number,
  align: EdgeLabel['align'],
): Pick<EdgeShape, 'label'> {
  if (lines.length === 0) return {};
  return { label: { x: align === 'end' ? x - width : x, y: y - height / 2, width, height, align, lines } };
}
