import type { EdgeLine, Route } from './edge-lines.ts';
import type { Port, Ports } from './ports.ts';
import { compareRails, type Rail, type Side } from './rails.ts';
import { type Beside, columnOf, rowsOfRegions } from './regions.ts';
import { portsAt, type Rows } from './rows.ts';
import { isGroup, type TreeState } from './state-tree.ts';

const railGap = 11;
const borderGap = 12;
/** Space between two regions side by side. */
const regionGap = 12;
const everywhere: Rows = { top: Number.NEGATIVE_INFINITY, bottom: Number.POSITIVE_INFINITY };
const sides: readonly Side[] = ['left', 'right'];

/** Distances from the sides of a state's or rail's own column. */
export interface Columns {
  readonly rails: ReadonlyMap<Rail, number>;
  /** Distances of the borders of groups. */
  readonly borders: Readonly<Record<Side, ReadonlyMap<TreeState, number>>>;
  /** Distances of regions side by side: from the left edge of the column around them to that of their own column. */
  readonly offsets: ReadonlyMap<TreeState, number>;
  /** Widths of the rows of regions side by side, by their parallel state. */
  readonly rowWidths: ReadonlyMap<TreeState, number>;
}

export interface ColumnsInput {
  readonly root: TreeState;
  readonly routes: ReadonlyMap<EdgeLine, Route>;
  readonly ports: ReadonlyMap<TreeState, Ports>;
  readonly rows: ReadonlyMap<TreeState, Rows>;
  readonly beside: Beside;
  /** Width of the boxes in a column. */
  readonly widthOf: (column: TreeState) => number;
  /** Width of a group's name. */
  readonly titleWidth: (state: TreeState) => number;
}

interface Open extends ColumnsInput {
  readonly skylineOf: (state: TreeState) => Skyline;
  readonly railsOf: ReadonlyMap<TreeState, readonly Rail[]>;
  readonly rails: Map<Rail, number>;
  readonly borders: Readonly<Record<Side, Map<TreeState, number>>>;
  readonly offsets: Map<TreeState, number>;
  readonly rowWidths: Map<TreeState, number>;
}

/** Places rails and borders, from the innermost to the outermost, each as close to the column as possible. */
export function placeColumns(input: ColumnsInput): Columns {
  const { root, routes, ports, beside } = input;
  const skylines = new Map<TreeState, Skyline>();
  const all = new Set([...routes.values()].filter((route) => typeof route === 'object'));
  const open: Open = {
    ...input,
    skylineOf(state) {
      const column = columnOf(state, beside);
      const skyline = skylines.get(column) ?? createSkyline();
      skylines.set(column, skyline);
      return skyline;
    },
    railsOf: Map.groupBy(all, ({ scope }) => scope),
    rails: new Map(),
    borders: { left: new Map(), right: new Map() },
    offsets: new Map(),
    rowWidths: new Map(),
  };
  for (const [state] of ports) if (!isGroup(state)) addPorts(state, 0, 0, open);
  for (const [line, route] of routes) if (route === 'down') addDownLabel(line, open);
  closeScope(root, open);
  return open;
}

function closeScope(state: TreeState, open: Open): void {
  const groups = state.children.filter(isGroup);
  for (const child of groups) closeScope(child, open);
  const perRow = open.beside.get(state);
  const rails = [...(open.railsOf.get(state) ?? [])].sort(compareRails);
  const own = rails.filter(({ column }) => column.parent === state);
  for (const rail of own) placeRail(rail, open);
  if (perRow !== undefined) placeRegions(state, perRow, open);
  else if (state.parallel) alignRegions(groups, open);
  for (const rail of rails) if (!own.includes(rail)) placeRail(rail, open);
  if (state.parent) closeGroup(state, open);
}

/** Places each row of regions in the middle of the column around them. */
function placeRegions(state: TreeState, perRow: number, open: Open): void {
  for (const regions of rowsOfRegions(state, perRow)) {
    const extents = regions.map((region) => {
      const [left, right] = sides.map((side) => open.skylineOf(region).reach(side, everywhere)) as [number, number];
      return { region, left, width: left + open.widthOf(region) + right };
    });
    const rowWidth = extents.reduce((sum, { width }) => sum + width + regionGap, -regionGap);
    const around = open.widthOf(columnOf(state, open.beside));
    let x = (around - rowWidth) / 2;
    for (const { region, left, width } of extents) {
      open.offsets.set(region, x + left);
      x += width + regionGap;
    }
    const places = regions.map((region) => open.rows.get(region) ?? { top: 0, bottom: 0 });
    const rows = { top: Math.min(...places.map(({ top }) => top)), bottom: Math.max(...places.map(({ bottom }) => bottom)) };
    for (const side of sides) open.skylineOf(state).add(side, rows, (rowWidth - around) / 2);
    open.rowWidths.set(state, Math.max(rowWidth, open.rowWidths.get(state) ?? 0));
  }
}

function placeRail(rail: Rail, { skylineOf, ports, rails }: Open): void {
  const skyline = skylineOf(rail.column);
  const rows = [
    ...portsAt(rail.target, ports)[rail.side].filter((port) => port.rail === rail && !port.line),
    ...rail.lines.flatMap((line) => portsAt(line.from, ports)[rail.side].filter((port) => port.line === line)),
  ].map(({ y }) => y);
  const span = { top: Math.min(...rows), bottom: Math.max(...rows) };
  const reach = skyline.reach(rail.side, span) + railGap;
  rails.set(rail, reach);
  skyline.add(rail.side, span, reach);
}

function closeGroup(state: TreeState, open: Open): void {
  const rows = open.rows.get(state) ?? { top: 0, bottom: 0 };
  const [left, right] = sides.map((side) => open.skylineOf(state).reach(side, rows) + borderGap) as [number, number];
  setBorders(state, left, Math.max(right, open.titleWidth(state) - open.widthOf(columnOf(state, open.beside)) - left), open);
}

/** Makes all regions equally wide. */
function alignRegions(regions: readonly TreeState[], open: Open): void {
  const [left, right] = sides.map((side) => Math.max(0, ...regions.map((region) => open.borders[side].get(region) ?? 0))) as [
    number,
    number,
  ];
  for (const region of regions) setBorders(region, left, right, open);
}

function setBorders(state: TreeState, left: number, right: number, open: Open): void {
  const rows = open.rows.get(state) ?? { top: 0, bottom: 0 };
  open.borders.left.set(state, left);
  open.borders.right.set(state, right);
  open.skylineOf(state).add('left', rows, left);
  open.skylineOf(state).add('right', rows, right);
  addPorts(state, left, right, open);
}

function addPorts(state: TreeState, left: number, right: number, { skylineOf, ports }: Open): void {
  const skyline = skylineOf(state);
  const at = portsAt(state, ports);
  for (const port of at.left) skyline.add('left', rowsOf(port), left + widthOfPort(port));
  for (const port of at.right) skyline.add('right', rowsOf(port), right + widthOfPort(port));
}

const rowsOf = ({ y, height }: Port): Rows => ({ top: y - height / 2, bottom: y + height / 2 });

function widthOfPort({ line, rail }: Port): number {
  if (!line) return 4;
  if (!rail) return 18 + line.labelWidth + 6;
  return line.lines.length > 0 ? line.labelWidth + 12 : 4;
}

function addDownLabel({ from, to, labelWidth }: EdgeLine, { skylineOf, rows, widthOf, beside }: Open): void {
  const [top, bottom] = [rows.get(from)?.bottom ?? 0, rows.get(to)?.top ?? 0];
  if (labelWidth > 0) skylineOf(from).add('right', { top, bottom }, labelWidth + 10 - widthOf(columnOf(from, beside)) / 2);
}

/** Width of what has been placed on each side of the column, by height. */
interface Skyline {
  /** Reserves the side up to `reach`, between these rows. */
  add(side: Side, rows: Rows, reach: number): void;
  /** Returns the largest reserved reach between two rows; 0 if none. */
  reach(side: Side, rows: Rows): number;
}

const margin = 4;

function createSkyline(): Skyline {
  const taken: Readonly<Record<Side, (Rows & { readonly reach: number })[]>> = { left: [], right: [] };
  return {
    add: (side, rows, reach) => taken[side].push({ ...rows, reach }),
    reach: (side, { top, bottom }) =>
      taken[side].reduce((far, one) => (one.top < bottom + margin && one.bottom > top - margin ? Math.max(far, one.reach) : far), 0),
  };
}
