import { WorkflowError } from '../core/errors/errors.ts';
import type { ContextRefusal } from './context-refusal.ts';

// Errors of unusable replies, common to all providers. `model` is the model's name.

export const truncatedReply = (model: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_TRUNCATED',
    message: `The reply of "${model}" reached its token limit.`,
    hint: 'Raise maxOutputTokens, shorten the conversation, or ask for less.',
  });

/**
 * Error for a request or a reply that the provider's content filter has blocked.
 * @param what The provider's message about it.
 */
export const filteredReply = (model: string, what?: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_REFUSED',
    message: `The content filter of "${model}" refused to answer${what === undefined ? '.' : `: ${what}`}`,
    hint: 'Change the question, or the text that it is about.',
    data: { reason: 'content_filter' },
  });

export const refusedReply = (model: string, text: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_REFUSED',
    message: `"${model}" refused to answer.`,
    hint: 'Read its answer in data.text, and change the question.',
    data: { text },
  });

export const emptyReply = (model: string, hasThought: boolean): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_EMPTY',
    message: `"${model}" ${hasThought ? 'thought, and then ' : ''}answered with neither text nor tool calls.`,
    hint: hasThought
      ? 'Retry. If it happens every time, raise maxOutputTokens or lower reasoningEffort.'
      : 'Retry. If it happens every time, the model may not support the request.',
    retryable: true,
  });

export const unusableCall = (model: string, what: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_OUTPUT_INVALID',
    message: `"${model}" sent an unusable tool call: ${what}.`,
    hint: 'Retry. If it happens every time, try stream: false.',
    retryable: true,
  });

export const contextFull = (model: string, what: string, refusal: ContextRefusal, status: number | undefined): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_CONTEXT_FULL',
    message: `The request does not fit the context of "${model}": ${what}`,
    hint: 'Send less, offer fewer tools, or use a larger context. fittedModel shortens long requests.',
    data: { ...(status === undefined ? {} : { status }), ...refusal },
  });

/** Adds to the error that the provider stays busy for longer than a request waits. */
export const waitsTooLong = (error: WorkflowError, limitMs: number, waitedMs: number): WorkflowError => {
  const asks = error.retryAfterMs === undefined ? '' : ` It asks for a wait of ${error.retryAfterMs} ms.`;
  const waited = waitedMs === 0 ? '' : ` The request has waited for ${Math.round(waitedMs)} ms.`;
  return new WorkflowError({
    code: error.code,
    message: `${error.message}${asks}${waited} The limit maxRetryAfterMs is ${limitMs} ms.`,
    hint: 'Retry after that time, use fallbackModel, or raise maxRetryAfterMs (--model-retry-after-ms).',
    retryable: true,
    retryAfterMs: error.retryAfterMs,
    data: { ...error.data, limit: 'maxRetryAfterMs', limitMs },
  });
};
