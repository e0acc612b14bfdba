import { WorkflowError } from '../errors.ts';

/** What a run in Restate cannot be asked for by our own interface. */
export const notOfRestate = (what: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `Nobody here ${what}: Restate keeps the runs.`,
    hint: 'Use the clients of `restateRuns`, or the commands of Restate itself.',
  });
