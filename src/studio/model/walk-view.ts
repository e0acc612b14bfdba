import type { CounterexampleWay, WayPlace } from '../../core/ports/promise-report.ts';
import { emptyView, type RunView, type VisitView } from './run-view.ts';

/** Position of a counterexample after a step; 0 is its start. */
export const placeAt = ({ start, steps }: CounterexampleWay, step: number): WayPlace => steps[step - 1]?.to ?? start;

/** View of a counterexample up to a step, in the form of a run. */
export function walkView(way: CounterexampleWay, step: number): RunView {
  const taken = way.steps.slice(0, step);
  const moves = taken.flatMap(({ edges, to }, index) => edges.map((edge) => ({ ...edge, to: to.active.join('|'), at: 0, seq: index + 1 })));
  const places = [way.start, ...taken.map(({ to }) => to)];
  const visits = places.flatMap(({ active }, index) =>
    active.filter((path) => !places[index - 1]?.active.includes(path) || taken[index - 1]?.by === path).map((path) => visitOf(path, index)),
  );
  return { ...emptyView, seq: step + 1, moves, visits, active: placeAt(way, step).active };
}

const visitOf = (state: string, at: number): VisitView => ({
  key: `${state}#${at}`,
  state,
  visit: at,
  inner: false,
  waits: false,
  startedAt: at,
  attempt: 1,
  retries: [],
  models: [],
  tools: [],
  said: [],
  guards: [],
});
