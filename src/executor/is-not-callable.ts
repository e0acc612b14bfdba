import type { WorkflowError } from '../errors.ts';
import { hasCode } from '../util/has-code.ts';

/** True when a call was not made because of what it is: a failed call, not a failed execution. */
export const isNotCallable = (error: unknown): error is WorkflowError => hasCode(error, 'TOOL_INPUT_INVALID', 'TOOL_UNKNOWN');
