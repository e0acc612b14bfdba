import { WorkflowError } from '../core/errors/errors.ts';
import type { ChatReply, ChatRequest } from '../core/ports/chat-model.ts';
import type { Json } from '../core/ports/json.ts';
import type { TokenUsage } from '../core/ports/run-event.ts';
import { noUsage } from '../core/util/no-usage.ts';
import { toJson } from '../core/util/to-json.ts';

/**
 * Answer of a scripted or rule-based model. A string is text. An object with `toolCalls` (and optionally `text`, nothing else) is tool
 * calls. Any other JSON value is sent as JSON text.
 *
 * @example
 * 'Paris'
 * { steps: ['look', 'answer'] }
 * { toolCalls: [{ name: 'search', arguments: { query: 'Paris' } }] }
 */
export type ModelAnswer = Json | ToolCallAnswer;

/** Tool calls, optionally with text before them. */
export interface ToolCallAnswer {
  readonly toolCalls: readonly AnsweredCall[];
  readonly text?: string;
}

export interface AnsweredCall {
  readonly name: string;
  /** Arguments of the call. A string is passed on unchanged, so that a test can send invalid JSON. */
  readonly arguments: Json;
  /** Id of the call. @default 'call_1', 'call_2', … by its place in the reply */
  readonly id?: string;
}

/**
 * Converts an answer to the reply of a model.
 * @throws {WorkflowError} `VALUE_NOT_JSON` for a value that JSON would change, `MODEL_EMPTY` for neither text nor tool calls.
 */
export function toChatReply(answer: ModelAnswer, { model, usage = noUsage }: { model: string; usage?: TokenUsage }): ChatReply {
  const { text = '', toolCalls } = isToolCallAnswer(answer) ? answer : { text: toText(answer, 'answer'), toolCalls: [] };
  if (text === '' && toolCalls.length === 0) {
    throw new WorkflowError({
      code: 'MODEL_EMPTY',
      message: `"${model}" answered with neither text nor tool calls.`,
      hint: 'Give the reply a text or a tool call.',
    });
  }
  return {
    text,
    toolCalls: toolCalls.map((call, i) => ({
      id: call.id ?? `call_${i + 1}`,
      name: call.name,
      arguments: toText(call.arguments, `toolCalls[${i}].arguments`),
    })),
    usage,
    model,
    cached: false,
  };
}

/** Emits a text piece by piece, and stops between two pieces if the request is aborted. */
export function deliver(pieces: Iterable<string>, { signal, onToken }: ChatRequest): void {
  for (const piece of pieces) {
    signal?.throwIfAborted();
    onToken?.(piece);
  }
  signal?.throwIfAborted();
}

const toText = (value: Json, name: string): string => (typeof value === 'string' ? value : JSON.stringify(toJson(value, name)));

function isToolCallAnswer(answer: ModelAnswer): answer is ToolCallAnswer {
  if (typeof answer !== 'object' || answer === null || !('toolCalls' in answer) || !Array.isArray(answer.toolCalls)) return false;
  return Object.keys(answer).every((key) => key === 'toolCalls' || key === 'text');
}
