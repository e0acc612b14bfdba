import type { Workflow } from '../../engine/define/define-workflow.ts';
import { explorerOf, prepare } from '../explore/decide.ts';
import type { Exploration, ExploredFailure } from '../explore/exploration.ts';
import { exploreMachine } from '../explore/explore-machine.ts';
import type { Invariant } from '../explore/invariant.ts';
import type { VerifyPromisesOptions } from '../explore/verify-promises.ts';

/**
 * Returns a check for `mutationScore`, which finds what promises find in workflows that are like one. It returns the names of broken or
 * undecided promises, dead ends and errors of the definition; the first of them is enough. One with more than a thousand places, and twice as
 * many as the right one, counts as wrong, because nobody promised it.
 *
 * Most wrong machines break a promise when they are tried with the values and classes of the right one, which is ten times faster than
 * exploring them. Only the others are explored.
 *
 * @throws {WorkflowError} `OPTION_INVALID`, as `exploreMachine`.
 * @example const { percent } = await mutationScore(research, promiseCheck(research, { invariants }));
 */
export function promiseCheck<TInput, TState, TOutput>(
  right: Workflow<TInput, TState, TOutput>,
  { invariants, exploreOptions = {} }: VerifyPromisesOptions<TInput, TState>,
): (workflow: Workflow<TInput, TState, TOutput>) => readonly string[] {
  const explored = exploreMachine(right, exploreOptions);
  prepare(explored, invariants);
  const options = { ...exploreOptions, maxStates: Math.max(1_000, 2 * explored.states.length) };
  return (workflow) => {
    const tried = explorerOf(explored)?.trial(workflow as Workflow<unknown, unknown, unknown>) as Exploration<TState> | undefined;
    const failure = tried?.failures[0];
    if (failure) return [toText(failure)];
    const broken = tried && invariants.find((invariant) => invariant.check(tried).verdict === 'broken');
    return broken ? [broken.name] : problemsOf(exploreMachine(workflow, options), invariants);
  };
}

function problemsOf<TState>(explored: Exploration<TState>, invariants: readonly Invariant<TState>[]): readonly string[] {
  const { failures, stuck, cutOff } = explored;
  const wrong = [...failures.map(toText), ...stuck.map(({ where }) => `${where} has no way out`), ...cutOff];
  if (wrong.length > 0) return wrong;
  prepare(explored, invariants);
  const failed = invariants.find((invariant) => invariant.check(explored).verdict !== 'holds');
  return failed ? [failed.name] : [];
}

const toText = ({ by, error }: Pick<ExploredFailure, 'by' | 'error'>): string => `${by}: ${error.message}`;
