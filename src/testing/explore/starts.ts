import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Workflow } from '../../engine/define/define-workflow.ts';
import type { Move, Stepper } from '../../engine/drive/stepper.ts';
import { engineOf, stepperOf } from '../../engine/drive/stepper-of.ts';
import { xstateStepper } from '../../engine/drive/xstate-stepper.ts';

type StartableWorkflow = Workflow<unknown, unknown, unknown>;

/** Returns the stepper of a workflow, which reports all edges. */
export const everyEdgeOf = (workflow: StartableWorkflow): Stepper =>
  engineOf(workflow).engine === 'table' ? stepperOf(workflow) : xstateStepper(workflow.machine, { everyEdge: true });

/**
 * Returns the starts of runs.
 *
 * @throws {WorkflowError} `OPTION_INVALID` if no run can begin.
 */
export function startsOf(workflow: StartableWorkflow, stepper: Stepper, inputs: readonly unknown[] | undefined): readonly Move[] {
  const begin = (input: unknown): Move => {
    const start = { runId: 'explored', startedAt: 0, thread: workflow.thread?.initial ?? null };
    return stepper.begin(workflow.toMachineInput(workflow.parseInput(input), start));
  };
  if (inputs?.length === 0) throw cannotBegin(workflow, '`inputs` is empty');
  // default inputs: `undefined`, or an empty object
  return inputs ? inputs.map((input) => firstOf([input])) : [firstOf([undefined, {}])];

  function firstOf([input, ...others]: readonly unknown[]): Move {
    try {
      return begin(input);
    } catch (thrown) {
      if (others.length > 0) return firstOf(others);
      throw cannotBegin(workflow, toErrorInfo(thrown).message, thrown);
    }
  }
}

const cannotBegin = ({ id }: StartableWorkflow, why: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `A run of "${id}" cannot start: ${why}`,
    hint: 'Pass valid inputs of the workflow: `inputs` of exploreMachine, `input` of a property test.',
    cause,
  });
