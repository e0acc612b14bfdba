import { type ErrorCode, type Json, type Run, WorkflowError } from 'agent-machines';
import type { ArticleRef, ContractAgentOutput } from './state.ts';

/** Event of a streamed answer. */
export type ContractStreamEvent =
  | { readonly type: 'thinking'; readonly step: string; readonly content: Json }
  | { readonly type: 'token'; readonly content: string }
  /** Discard the tokens so far: the model's stream was interrupted, and its answer starts again. */
  | { readonly type: 'reset' }
  | { readonly type: 'sources'; readonly content: readonly ArticleRef[] };

/**
 * Streams a run as `thinking`, `token` and `sources`, for a chat window. An answer without a model (out of scope, stopped) is one token.
 * @throws {WorkflowError} the error of the failed run.
 */
export async function* streamOf(run: Run<ContractAgentOutput>): AsyncGenerator<ContractStreamEvent, void, void> {
  let streamed = false;
  for await (const event of run.events()) {
    if (event.type === 'thinking') yield { type: 'thinking', step: event.step, content: event.content };
    // only `generate-response` emits sources, with these articles
    else if (event.type === 'sources') yield { type: 'sources', content: event.sources as unknown as readonly ArticleRef[] };
    else if (event.type === 'token') {
      streamed = true;
      yield { type: 'token', content: event.text };
    } else if (event.type === 'step-reset') {
      streamed = false;
      yield { type: 'reset' };
    }
  }
  const result = await run.result;
  if (result.status === 'failed' && result.resumable) {
    const { code, message, hint = '', retryable } = result.error;
    throw new WorkflowError({ code: code as ErrorCode, message, hint, retryable });
  }
  if ('output' in result && !streamed) yield { type: 'token', content: result.output.answer };
}
