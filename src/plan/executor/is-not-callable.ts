import type { WorkflowError } from '../../core/errors/errors.ts';
import { hasCode } from '../../core/util/has-code.ts';

/** True when a call was invalid in itself, which is a failed call and not a failed execution. */
export const isNotCallable = (error: unknown): error is WorkflowError => hasCode(error, 'TOOL_INPUT_INVALID', 'TOOL_UNKNOWN');
