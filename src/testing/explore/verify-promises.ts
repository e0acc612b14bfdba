import type { JsonObject } from '../../core/ports/json.ts';
import type { PromiseReport, PromiseVerdict, WayPlace } from '../../core/ports/promise-report.ts';
import type { Workflow } from '../../engine/define/define-workflow.ts';
import type { Counterexample } from './counterexample.ts';
import { prepare } from './decide.ts';
import type { Exploration, ExploredState } from './exploration.ts';
import { type ExploreOptions, exploreMachine } from './explore-machine.ts';
import type { Invariant } from './invariant.ts';

export interface VerifyPromisesOptions<TInput, TState> {
  readonly invariants: readonly Invariant<TState>[];
  /** @default {} */
  readonly exploreOptions?: ExploreOptions<TInput, TState>;
}

/**
 * Explores a workflow and checks each invariant, as JSON for a page. A failed one has a shortest path to a violation. Runs synchronously,
 * possibly for seconds.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, as `exploreMachine`.
 * @example const served = { ...about, workflow, promises: () => verifyPromises(workflow, { invariants }) }; // for `createServer`
 */
export const verifyPromises = <TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  { invariants, exploreOptions = {} }: VerifyPromisesOptions<TInput, TState>,
): PromiseReport => toPromiseReport(exploreMachine(workflow, exploreOptions), invariants);

/** Report of an existing exploration. */
export function toPromiseReport<TState>(explored: Exploration<TState>, invariants: readonly Invariant<TState>[]): PromiseReport {
  prepare(explored, invariants);
  return {
    complete: explored.complete,
    cutOff: explored.cutOff,
    places: explored.states.length,
    promises: invariants.map((invariant): PromiseVerdict => {
      const verdict = invariant.check(explored);
      const { name } = invariant;
      if (verdict.verdict === 'holds') return { name, verdict: 'holds' };
      if (verdict.verdict === 'undecided') return { name, verdict: 'undecided', reasons: verdict.reasons };
      return { name, verdict: 'broken', why: verdict.why, way: toWay(verdict.counterexample) };
    }),
  };
}

const toWay = <TState>({ start, moves, loopFrom }: Counterexample<TState>): PromiseVerdict['way'] => ({
  start: toPlace(start),
  steps: moves.map(({ by, kind, outcome, edges, to }) => ({ by, kind, outcome, edges, to: toPlace(to) })),
  ...(loopFrom === undefined ? {} : { loopFrom }),
});

const toPlace = <TState>({ where, waiting, done, state }: ExploredState<TState>): WayPlace => ({
  active: where.split('|'),
  waiting,
  done,
  state: JSON.parse(JSON.stringify(state)) as JsonObject, // stored states hold only JSON, too
});
