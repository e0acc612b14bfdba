import type { TokenUsage } from '../../ports/run-event.ts';
import { isObject } from '../../util/is-object.ts';
import { type ErrorContext, quote, streamCut } from './openai-error.ts';

/** What a chunk of a streamed completion adds to it; a text that it does not have is empty. */
export interface OpenaiChunk {
  /** Of the completion. */
  readonly id: string;
  /** The provider's name of the model, often with its version. */
  readonly model: string;
  readonly text: string;
  readonly refusal: string;
  readonly toolCalls: readonly ToolCallDelta[];
  readonly finishReason: string;
  readonly usage: TokenUsage | undefined;
}

export interface ToolCallDelta {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/**
 * Reads a chunk of a streamed completion, or a completion in one piece.
 * @throws {WorkflowError} `MODEL_STREAM_CUT` when it is malformed or an error.
 */
export function parseChunk(value: unknown, context: ErrorContext): OpenaiChunk {
  const read = fieldReader((what) => streamCut(context, `a part of it is malformed: ${what}`));
  const chunk = read.object(value, 'the chunk');
  if (chunk.error) throw streamCut(context, `the provider says ${quote(JSON.stringify(chunk.error), context)}`);
  const choices = read.list(chunk.choices, 'choices');
  const choice = read.object(choices.length === 0 ? {} : choices[0], 'a choice');
  const whole = choice.message !== undefined;
  const delta = read.object((whole ? choice.message : choice.delta) ?? {}, 'a delta');
  return {
    id: read.text(chunk, 'id'),
    model: read.text(chunk, 'model'),
    text: read.text(delta, 'content'),
    refusal: read.text(delta, 'refusal'),
    toolCalls: read.list(delta.tool_calls ?? [], 'tool_calls').map((item, position) => {
      const call = read.object(item, 'a tool call');
      const fields = read.object(call.function ?? {}, 'a function');
      return {
        index: whole ? position : read.count(call, 'index'),
        id: read.text(call, 'id'),
        name: read.text(fields, 'name'),
        arguments: read.text(fields, 'arguments'),
      };
    }),
    finishReason: read.text(choice, 'finish_reason'),
    usage: chunk.usage ? parseUsage(read.object(chunk.usage, 'usage'), read) : undefined,
  };
}

function parseUsage(usage: Fields, read: FieldReader): TokenUsage {
  const details = read.object(usage.prompt_tokens_details ?? {}, 'prompt_tokens_details');
  return {
    inputTokens: read.count(usage, 'prompt_tokens'),
    outputTokens: read.count(usage, 'completion_tokens'),
    ...(typeof details.cached_tokens === 'number' ? { cachedInputTokens: read.count(details, 'cached_tokens') } : {}),
  };
}

/** An object of which nothing is known yet. */
type Fields = Readonly<Record<string, unknown>>;

type FieldReader = ReturnType<typeof fieldReader>;

function fieldReader(malformed: (what: string) => Error) {
  return {
    object(value: unknown, name: string): Fields {
      if (isObject(value)) return value;
      throw malformed(`${name} is not an object`);
    },
    list(value: unknown, name: string): readonly unknown[] {
      if (Array.isArray(value)) return value;
      throw malformed(`${name} is not a list`);
    },
    /** A field that may be missing or null. */
    text(fields: Fields, name: string): string {
      const value = fields[name] ?? '';
      if (typeof value === 'string') return value;
      throw malformed(`${name} is not a string`);
    },
    count(fields: Fields, name: string): number {
      const value = fields[name];
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
      throw malformed(`${name} is not a count`);
    },
  };
}
