import { WorkflowError } from '../../errors.ts';
import type { ChatReply, ModelToolCall } from '../../ports/chat-model.ts';
import type { TokenUsage } from '../../ports/run-event.ts';
import { shorten } from '../../util/shorten.ts';
import { noUsage } from '../no-usage.ts';
import type { OpenaiChunk, ToolCallDelta } from './openai-chunk.ts';
import { type ErrorContext, streamCut } from './openai-error.ts';
import type { WireNames } from './wire-names.ts';

/** A reply in the making. */
export interface OpenaiReply {
  /** @throws {WorkflowError} `MODEL_OUTPUT_INVALID` for a tool call that is mixed up with another. */
  add(chunk: OpenaiChunk): void;
  /**
   * The reply, once all of it is there.
   * @throws {WorkflowError} `MODEL_TRUNCATED`, `MODEL_CONTENT_FILTERED`, `MODEL_REFUSED`, `MODEL_EMPTY`, `MODEL_OUTPUT_INVALID` or
   *   `MODEL_STREAM_CUT` when it cannot be used.
   */
  complete(): ChatReply;
}

/** Puts a reply together from the chunks of a completion. */
export function openaiReply(context: ErrorContext, { fromWire }: WireNames): OpenaiReply {
  const { name: model } = context;
  const calls = new Map<number, ModelToolCall>();
  const metadata: Record<string, string> = {};
  let text = '';
  let refusal = '';
  let finishReason = '';
  let usage: TokenUsage | undefined;

  const addToolCall = (delta: ToolCallDelta): void => {
    const before = calls.get(delta.index) ?? { id: '', name: '', arguments: '' };
    const id = delta.id || before.id;
    const name = delta.name || before.name;
    if ((before.id && before.id !== id) || (before.name && before.name !== name)) {
      throw invalid(model, `"${shorten(before.name, 128)}" shares its index with another call`);
    }
    calls.set(delta.index, { id, name, arguments: before.arguments + delta.arguments });
  };

  return {
    add(chunk): void {
      text += chunk.text;
      refusal += chunk.refusal;
      finishReason = chunk.finishReason || finishReason;
      usage = chunk.usage ?? usage;
      for (const delta of chunk.toolCalls) addToolCall(delta);
      if (chunk.id) metadata.id = chunk.id;
      if (chunk.model) metadata.model = chunk.model;
    },
    complete(): ChatReply {
      checkFinish(finishReason, context);
      if (refusal !== '') throw refused(model, refusal);
      const toolCalls = [...calls].sort(([a], [b]) => a - b).map(([, call]) => ({ ...call, name: fromWire(call.name) }));
      checkToolCalls(toolCalls, finishReason, model);
      if (text === '' && toolCalls.length === 0) throw empty(model);
      if (!usage) metadata.usage = 'not reported';
      return { text, toolCalls, usage: usage ?? noUsage, model, cached: false, metadata };
    },
  };
}

function checkFinish(finishReason: string, context: ErrorContext): void {
  const { name: model } = context;
  switch (finishReason) {
    case 'stop':
    case 'tool_calls':
      return;
    case 'length':
      throw new WorkflowError({
        code: 'MODEL_TRUNCATED',
        message: `The reply of "${model}" reached its limit of tokens.`,
        hint: 'Raise maxOutputTokens, shorten the conversation, or ask for less.',
      });
    case 'content_filter':
      throw new WorkflowError({
        code: 'MODEL_CONTENT_FILTERED',
        message: `The provider's content filter stopped the reply of "${model}".`,
        hint: 'Change what is asked, or the text that it is asked about.',
      });
    case '':
      throw streamCut(context, 'it ended without a finish_reason');
    default:
      throw streamCut(context, `its finish_reason is "${finishReason}", which we do not know`);
  }
}

function checkToolCalls(calls: readonly ModelToolCall[], finishReason: string, model: string): void {
  if (finishReason === 'tool_calls' && calls.length === 0) throw invalid(model, 'one was announced and none came');
  for (const { id, name, arguments: text } of calls) {
    if (name === '') throw invalid(model, 'its name is missing');
    if (id === '') throw invalid(model, `the id of "${shorten(name, 128)}" is missing`);
    // a finish_reason that does not speak of tool calls does not say either that they are complete
    if (finishReason === 'stop' && !isJsonText(text)) throw invalid(model, `the arguments of "${shorten(name, 128)}" are not complete`);
  }
}

const invalid = (model: string, what: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_OUTPUT_INVALID',
    message: `"${model}" sent a tool call that cannot be used: ${what}.`,
    hint: 'Ask again. If it happens every time, try stream: false.',
    retryable: true,
  });

const refused = (model: string, text: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_REFUSED',
    message: `"${model}" refused to answer.`,
    hint: 'Read its words in data.text, and change what is asked.',
    data: { text },
  });

const empty = (model: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_EMPTY',
    message: `"${model}" answered with neither text nor tool calls.`,
    hint: 'Ask again. If it happens every time, the model may not support what is asked of it.',
    retryable: true,
  });

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
