import type { JsonObject } from '../../ports/json.ts';
import type { PromiseReport, PromiseVerdict, WayPlace } from '../../ports/promise-report.ts';
import type { Workflow } from '../../workflow/define-workflow.ts';
import type { Counterexample } from './counterexample.ts';
import type { Exploration, ExploredState } from './exploration.ts';
import { type ExploreOptions, exploreMachine } from './explore-machine.ts';
import type { Invariant } from './invariant.ts';

export interface VerifyPromisesOptions<TInput, TState> {
  readonly invariants: readonly Invariant<TState>[];
  /** @default {} */
  readonly exploreOptions?: ExploreOptions<TInput, TState>;
}

/**
 * Goes everywhere that a workflow can go, and says of each promise whether it holds, with a shortest way to where it does not: as JSON, for
 * a page that shows it. It works at once and to its end, which may take seconds.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, as `exploreMachine`.
 * @example const served = { ...about, workflow, promises: () => verifyPromises(workflow, { invariants }) }; // for `createServer`
 */
export const verifyPromises = <TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  { invariants, exploreOptions = {} }: VerifyPromisesOptions<TInput, TState>,
): PromiseReport => toPromiseReport(exploreMachine(workflow, exploreOptions), invariants);

/** Of what was explored. */
export const toPromiseReport = <TState>(explored: Exploration<TState>, invariants: readonly Invariant<TState>[]): PromiseReport => ({
  complete: explored.complete,
  cutOff: explored.cutOff,
  places: explored.states.length,
  promises: invariants.map((invariant): PromiseVerdict => {
    const verdict = invariant.check(explored);
    if (verdict.ok) return { name: invariant.name, holds: true };
    return { name: invariant.name, holds: false, why: verdict.why, way: toWay(verdict.counterexample) };
  }),
});

const toWay = <TState>({ start, moves, loopFrom }: Counterexample<TState>): PromiseVerdict['way'] => ({
  start: toPlace(start),
  steps: moves.map(({ by, kind, outcome, edges, to }) => ({ by, kind, outcome, edges, to: toPlace(to) })),
  ...(loopFrom === undefined ? {} : { loopFrom }),
});

const toPlace = <TState>({ where, waiting, done, state }: ExploredState<TState>): WayPlace => ({
  active: where.split('|'),
  waiting,
  done,
  state: JSON.parse(JSON.stringify(state)) as JsonObject, // what JSON cannot hold is not in a stored state either
});
