import { WorkflowError } from '../../core/errors/errors.ts';

interface Unavailability {
  readonly retryable: boolean;
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** The error for an embedder that did not answer, or rejected the request. */
export const embedderUnavailable = (
  name: string,
  what: string,
  { retryable, status, retryAfterMs, cause }: Unavailability,
): WorkflowError =>
  new WorkflowError({
    code: 'EMBEDDER_UNAVAILABLE',
    message: `The embedder "${name}" is not available: ${what}.`,
    hint: retryable ? 'Retry later.' : 'Correct the model, the address or the key. A retry does not help.',
    retryable,
    retryAfterMs,
    data: status === undefined ? {} : { status },
    cause,
  });

/** The error for an answer that does not match the texts. */
export const embedderInvalid = (name: string, what: string): WorkflowError =>
  new WorkflowError({
    code: 'EMBEDDER_INVALID',
    message: `The embedder "${name}" sent an invalid reply: ${what}.`,
    hint: 'Check that the dimensions match the model, and that the server speaks the protocol.',
  });
