import { type EdgeLine, lineHeightPx, type Route } from './edge-lines.ts';
import { compareRails, isForward, type Rail, type Side } from './rails.ts';
import type { TreeState } from './state-tree.ts';

/** A place at a state's side: where a rail comes in, or a line goes out. */
export interface Port {
  readonly rail?: Rail;
  /** Of an exit. */
  readonly line?: EdgeLine;
  readonly height: number;
  /** Middle of the port. */
  y: number;
}

/** The ports of a state from top to bottom. */
export type Ports = Readonly<Record<Side, readonly Port[]>>;

const plainHeight = 9;
const loopHeight = 15;

/** Ports of every state, in an order in which its lines do not cross each other. */
export function portsOf(
  states: readonly TreeState[],
  routes: ReadonlyMap<EdgeLine, Route>,
  rankOf: ReadonlyMap<TreeState, number>,
): ReadonlyMap<TreeState, Ports> {
  const exits = Map.groupBy(routes, ([line]) => line.from);
  const rails = new Set([...routes.values()].filter((route) => typeof route === 'object'));
  const entries = Map.groupBy(rails, ({ target }) => target);
  return new Map(
    states.map((state) => {
      const leaving = (exits.get(state) ?? []).flatMap(([line, route]) => exitOf(line, route));
      return [state, inOrder((entries.get(state) ?? []).map(entryOf), leaving, rankOf)];
    }),
  );
}

const entryOf = (rail: Rail): Port => ({ rail, height: plainHeight, y: 0 });

function exitOf(line: EdgeLine, route: Route): readonly Port[] {
  if (route === 'down') return [];
  const { length } = line.lines;
  if (route === 'loop') return [{ line, height: Math.max(loopHeight, length * lineHeightPx + 2), y: 0 }];
  return [{ line, rail: route, height: length > 0 ? length * lineHeightPx + 2 : plainHeight, y: 0 }];
}

function inOrder(entries: readonly Port[], exits: readonly Port[], rankOf: ReadonlyMap<TreeState, number>): Ports {
  const nearFirst = (a: Port, b: Port): number => (a.rail && b.rail ? compareRails(a.rail, b.rail) : 0);
  const farFirst = (a: Port, b: Port): number => nearFirst(b, a);
  const on = (ports: readonly Port[], side: Side): Port[] => ports.filter(({ rail }) => rail?.side === side);
  const goesDown = ({ rail, line }: Port): boolean => (line ? [line] : (rail?.lines ?? [])).every((one) => isForward(one, rankOf));
  const [enter, leave] = [on(entries, 'left'), on(exits, 'left')];
  return {
    right: [...on(entries, 'right').sort(nearFirst), ...on(exits, 'right').sort(farFirst), ...exits.filter(({ rail }) => !rail)],
    left: [
      ...enter.filter(goesDown).sort(nearFirst),
      ...leave.filter((port) => !goesDown(port)).sort(nearFirst),
      ...leave.filter(goesDown).sort(farFirst),
      ...enter.filter((port) => !goesDown(port)).sort(farFirst),
    ],
  };
}

export const heightOf = (ports: readonly Port[]): number => ports.reduce((sum, { height }) => sum + height, 0);

/** Puts ports below each other. */
export function stackPorts(ports: readonly Port[], top: number): void {
  let y = top;
  for (const port of ports) {
    port.y = y + port.height / 2;
    y += port.height;
  }
}
