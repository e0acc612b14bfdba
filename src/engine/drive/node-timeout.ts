import { WorkflowError } from '../../core/errors/errors.ts';

/** The error of an attempt that exceeded its time limit. */
export const nodeTimeout = (key: string, timeoutMs = 0): WorkflowError =>
  new WorkflowError({
    code: 'NODE_TIMEOUT',
    message: `The node "${key}" did not finish within ${timeoutMs} ms.`,
    hint: 'Raise its timeoutMs, or stop when io.signal aborts.',
    retryable: true,
    data: { key, timeoutMs },
  });
