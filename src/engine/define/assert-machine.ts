import type { AnyStateMachine } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import { isObject } from '../../core/util/is-object.ts';

/**
 * Repeats the type check for callers without types, who often pass a config in place of a machine.
 * @throws {WorkflowError} `WORKFLOW_INVALID`.
 */
export function assertMachine(machine: unknown): asserts machine is AnyStateMachine {
  if (!isObject(machine) || !isObject(machine.root)) throw argumentInvalid('The value is not a machine.', 'a machine from defineMachine');
}

/** @param takes words that follow "Pass". */
export const argumentInvalid = (message: string, takes: string): WorkflowError =>
  new WorkflowError({ code: 'WORKFLOW_INVALID', message, hint: `Pass ${takes}.` });
