import type { AnyStateMachine } from 'xstate';
import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import { toJson } from '../../core/util/to-json.ts';
import { definitionError } from '../define/definition-error.ts';
import { finalOutcome } from '../define/graph.ts';
import type { Position } from './stepper.ts';

/** End of a drive. */
export interface DriveEnd {
  readonly finalState: string;
  readonly output: Json;
  /** Error behind a final state that is tagged `failure`. */
  readonly failure?: ErrorInfo;
  readonly state: Position['state'];
}

/** @param lastError Error that the last error edge was taken for. */
export function toDriveEnd(machine: AnyStateMachine, { where, output, state }: Position, lastError: ErrorInfo | undefined): DriveEnd {
  const failure = failureAt(machine, where, lastError);
  return { finalState: where, output: outputOf(machine, output), state, ...(failure ? { failure } : {}) };
}

/** Returns the error behind a final state tagged `failure`, or `undefined` for any other state. */
export function failureAt(machine: AnyStateMachine, where: string, lastError: ErrorInfo | undefined): ErrorInfo | undefined {
  const final = machine.root.states[where];
  if (!final || finalOutcome(final).outcome !== 'failure') return undefined;
  return lastError ?? toErrorInfo(workflowFailed(machine.id, where));
}

function outputOf({ id }: AnyStateMachine, output: unknown): Json {
  try {
    return toJson(output ?? null, 'output');
  } catch (thrown) {
    throw definitionError(`The output of the machine "${id}"`, thrown);
  }
}

const workflowFailed = (workflow: string, state: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_FAILED',
    message: `The workflow "${workflow}" ended in the failure state "${state}".`,
    hint: 'Read its output, or the last nodes of its journal. No node has thrown.',
    data: { state },
  });
