import { type EdgeLine, lineHeightPx, type Route } from './edge-lines.ts';
import { compareRails, isForward, type Rail, type Side } from './rails.ts';
import type { TreeState } from './state-tree.ts';

/** Position at a state's side where a rail enters or a line leaves. */
export interface Port {
  readonly rail?: Rail;
  /** Set for a leaving line. */
  readonly line?: EdgeLine;
  readonly height: number;
  /** Vertical center of the port. */
  y: number;
}

/** Ports of a state per side, from top to bottom. */
export type Ports = Readonly<Record<Side, readonly Port[]>>;

const plainHeight = 9;
const loopHeight = 15;

/** Returns the ports of every state, ordered so that its lines do not cross. */
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

/** Stacks ports vertically. */
export function stackPorts(ports: readonly Port[], top: number): void {
  let y = top;
  for (const port of ports) {
    port.y = y + port.height / 2;
    y += port.height;
  }
}
