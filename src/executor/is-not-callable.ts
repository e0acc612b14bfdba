import { WorkflowError } from '../errors.ts';

/** True when a call was not made because of what it is: a failed call, not a failed execution. */
export const isNotCallable = (error: unknown): error is WorkflowError =>
  WorkflowError.isInstance(error) && (error.code === 'TOOL_INPUT_INVALID' || error.code === 'TOOL_UNKNOWN');
