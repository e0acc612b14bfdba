import { toErrorInfo } from '../../core/errors/errors.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import type { Workflow } from '../../engine/define/define-workflow.ts';
import { type Mutant, type MutateMachineOptions, mutateMachine } from './mutate-machine.ts';

/** A mutant with the problems that a check has found. */
export interface KilledMutant<TWorkflow> {
  readonly mutant: Mutant<TWorkflow>;
  /** At least one problem. */
  readonly problems: readonly unknown[];
}

/** Number of mutants that a check detects. */
export interface MutationScore<TWorkflow> {
  readonly mutants: number;
  readonly killed: readonly KilledMutant<TWorkflow>[];
  /** Mutants in which the check has found no problem. */
  readonly survived: readonly Mutant<TWorkflow>[];
  /** Percentage of killed mutants, from 0 to 100. */
  readonly percent: number;
}

/**
 * Runs a check against every mutant of a workflow. A check that throws has found a problem.
 *
 * @param check returns the problems of a workflow; empty for the original one.
 * @throws {WorkflowError} `OPTION_INVALID` if the check finds a problem in the original workflow.
 * @example
 * const { percent, survived } = await mutationScore(research, (mutant) => checkInvariants(mutant));
 */
export async function mutationScore<TInput, TState, TOutput, TEvent>(
  workflow: Workflow<TInput, TState, TOutput, TEvent>,
  check: (workflow: Workflow<TInput, TState, TOutput, TEvent>) => readonly unknown[] | Promise<readonly unknown[]>,
  options: MutateMachineOptions<TState> = {},
): Promise<MutationScore<Workflow<TInput, TState, TOutput, TEvent>>> {
  const [wrong] = await check(workflow);
  if (wrong !== undefined) {
    throw optionInvalid(
      `The check finds a problem in the original workflow "${workflow.id}": ${describe(wrong)}.`,
      'Fix the workflow or the check first. A check that always fails detects no mutant.',
    );
  }
  const killed: KilledMutant<Workflow<TInput, TState, TOutput, TEvent>>[] = [];
  const survived: Mutant<Workflow<TInput, TState, TOutput, TEvent>>[] = [];
  for (const mutant of mutateMachine(workflow, options)) {
    const problems = await problemsOf(async () => check(mutant.workflow));
    if (problems.length > 0) killed.push({ mutant, problems });
    else survived.push(mutant);
  }
  const mutants = killed.length + survived.length;
  return { mutants, killed, survived, percent: mutants === 0 ? 100 : (100 * killed.length) / mutants };
}

async function problemsOf(check: () => Promise<readonly unknown[]>): Promise<readonly unknown[]> {
  try {
    return await check();
  } catch (thrown) {
    return [toErrorInfo(thrown).message];
  }
}

const describe = (problem: unknown): string => (typeof problem === 'string' ? problem : toErrorInfo(problem).message);
