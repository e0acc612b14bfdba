import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import { asObject } from '../../core/util/as-object.ts';
import type { Workflow } from '../../engine/define/define-workflow.ts';
import { findMerger } from '../../engine/define/state.ts';
import type { Move, Stepper } from '../../engine/drive/stepper.ts';
import { engineOf, stepperOf } from '../../engine/drive/stepper-of.ts';
import { xstateStepper } from '../../engine/drive/xstate-stepper.ts';

import { spread } from './candidates.ts';
import type { Knowledge } from './knowledge.ts';
import { valuesOfSchema } from './schema-values.ts';
import type { Subject } from './subject.ts';

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
  if (inputs?.length === 0) throw cannotBegin(workflow, '`inputs` is empty');
  // default inputs: `undefined`, an empty object, or a value of the schema
  return inputs ? inputs.map((input) => firstOf([input])) : [firstOf([undefined, {}, ...inputsOfSchema(workflow)])];

  function firstOf([input, ...others]: readonly unknown[]): Move {
    try {
      return begin(workflow, stepper, input);
    } catch (thrown) {
      if (others.length > 0) return firstOf(others);
      throw cannotBegin(workflow, toErrorInfo(thrown).message, thrown);
    }
  }
}

const maxInputs = 256;

/**
 * Returns starts with every input that the schema of the state suggests, and with every combination of relevant values of the input's keys.
 */
export function inputsFor({ workflow, stepper, starts, merger }: Subject, knowledge: Knowledge): readonly Move[] {
  const schema = merger?.checks?.inputSchema();
  const keys = knowledge.keys.filter((key) => Object.hasOwn(asObject(schema?.properties), key));
  if (keys.length === 0) return starts;
  const suggested = inputsOfSchema(workflow);
  const values = keys.map((key) => [key, knowledge.classes.representatives(key, knowledge.candidates.of(key))] as const);
  const first = suggested.find((input) => beginWith(workflow, stepper, input) !== undefined);
  const made = spread(values, maxInputs).map((input) => ({ ...asObject(first as Json), ...input }));
  return [...starts, ...[...suggested, ...made].flatMap((input) => beginWith(workflow, stepper, input) ?? [])];
}

function inputsOfSchema({ machine }: StartableWorkflow): readonly Json[] {
  const schema = findMerger(machine)?.checks?.inputSchema();
  return schema ? valuesOfSchema(schema).values.slice(0, maxInputs) : [];
}

function beginWith(workflow: StartableWorkflow, stepper: Stepper, input: unknown): Move | undefined {
  try {
    return begin(workflow, stepper, input);
  } catch {
    return undefined; // the workflow refuses the input, or its first state
  }
}

function begin(workflow: StartableWorkflow, stepper: Stepper, input: unknown): Move {
  const start = { runId: 'explored', startedAt: 0, thread: workflow.thread?.initial ?? null };
  return stepper.begin(workflow.toMachineInput(workflow.parseInput(input), start));
}

const cannotBegin = ({ id }: StartableWorkflow, why: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `A run of "${id}" cannot start: ${why}`,
    hint: 'Pass valid inputs of the workflow: `inputs` of exploreMachine, `input` of a property test.',
    cause,
  });
