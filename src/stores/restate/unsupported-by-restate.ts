import { WorkflowError } from '../../core/errors/errors.ts';

/** Error of an operation that runs in Restate do not support. */
export const unsupportedByRestate = (what: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `Restate does not support ${what}.`,
    hint: 'Use the clients of `restateRuns`, or the commands of Restate.',
  });
