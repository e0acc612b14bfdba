import type { WorkflowError } from '../../core/errors/errors.ts';
import { optionInvalid } from '../../core/util/check-options.ts';

/** Error of an operation that runs in Restate do not support. */
export const unsupportedByRestate = (what: string): WorkflowError =>
  optionInvalid(`Restate does not support ${what}.`, 'Use the clients of `restateRuns`, or the commands of Restate.');
