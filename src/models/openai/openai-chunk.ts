import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { TokenUsage } from '../../core/ports/run-event.ts';
import { isObject } from '../../core/util/is-object.ts';
import { reportedUsage, tokenCount } from '../reported-usage.ts';
import type { ToolCallDelta } from './collected-calls.ts';
import { echoFields } from './echo-fields.ts';
import { type ErrorContext, providerSays, streamCut } from './openai-error.ts';
import { signsOfLife } from './server-sent-events.ts';
import type { ReplyPiece } from './think-tags.ts';

/** Content of one chunk of a streamed completion; missing texts are empty. */
export interface OpenaiChunk {
  readonly id: string;
  /** Name of the model at the provider, often with its version. */
  readonly model: string;
  readonly pieces: readonly ReplyPiece[];
  readonly refusal: string;
  readonly toolCalls: readonly ToolCallDelta[];
  readonly finishReason: string;
  readonly usage: Partial<TokenUsage>;
  /** Fields that the provider expects back with its message. */
  readonly kept: JsonObject;
  /** True when the chunk is the whole completion. */
  readonly isWhole: boolean;
}

/**
 * Parses a chunk of a streamed completion, or a completion in one piece. Only the first choice is read.
 *
 * @param isDocument The value is the whole response, not an event of a stream.
 * @throws {WorkflowError} `MODEL_STREAM_CUT` for a malformed chunk or a transient error, `MODEL_REQUEST_REFUSED` for a permanent error.
 */
export function parseChunk(value: unknown, context: ErrorContext, isDocument: boolean): OpenaiChunk {
  const read = fieldReader((what) => streamCut(context, `a part of it is malformed: ${what}`));
  const chunk = read.object(value, 'the chunk');
  const error = errorIn(chunk);
  if (error !== undefined) throw providerSays(context, error);
  const choices = read.list(chunk.choices ?? (chunk.usage || isSignOfLife(chunk) ? [] : undefined), 'choices');
  const choice = choices.map((one) => read.object(one, 'a choice')).find(isFirst) ?? {};
  // Perplexity repeats the text so far as `message` beside each `delta`, and adds an empty `delta` to a whole reply
  const isWhole = isObject(choice.message) && (isDocument || !isObject(choice.delta));
  const delta = read.object((isWhole ? choice.message : (choice.delta ?? choice.message)) ?? {}, 'a delta');
  const pieces = [...reasoningOf(delta), ...contentOf(delta.content, read)];
  const thoughts = Array.isArray(delta.content) ? delta.content.filter((part) => isObject(part) && part.type === 'thinking') : [];
  return {
    id: textOf(chunk.id),
    model: textOf(chunk.model),
    pieces,
    refusal: textOf(delta.refusal),
    toolCalls: toolCallsOf(delta, isWhole, read),
    finishReason: textOf(choice.finish_reason),
    usage: usageOf([chunk.usage, choice.usage, isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined]),
    kept: { ...echoFields(delta), ...(thoughts.length > 0 ? { [thinkingParts]: thoughts as Json[] } : {}) },
    isWhole,
  };
}

/** True for the first choice; servers that send one choice may omit its index. */
const isFirst = ({ index }: Fields): boolean => (indexOf(index) ?? 0) === 0;

/** Key for the reasoning parts in a message's content. No provider has a field of this name. */
export const thinkingParts = 'content[thinking]';

const isSignOfLife = (chunk: Fields): boolean =>
  Object.keys(chunk).length === 0 || [chunk.type, chunk.object].some((kind) => typeof kind === 'string' && signsOfLife.test(kind));

/** Returns the text of an error that a server sends instead of a chunk; `undefined` for a chunk. */
function errorIn(chunk: Fields): unknown {
  if (chunk.error) return chunk.error;
  const hasMessage = typeof chunk.message === 'string' || (chunk.detail !== undefined && chunk.detail !== null);
  const isError = chunk.object === 'error' || chunk.type === 'error' || (chunk.choices === undefined && hasMessage);
  return isError ? chunk : undefined;
}

function reasoningOf(delta: Fields): ReplyPiece[] {
  const reasoning = [delta.reasoning_content, delta.reasoning].find((text) => typeof text === 'string' && text !== '');
  if (typeof reasoning === 'string') return [{ kind: 'reasoning', text: reasoning }];
  const details = Array.isArray(delta.reasoning_details) ? delta.reasoning_details : [];
  const text = details.map((detail) => (isObject(detail) ? textOf(detail.text) || textOf(detail.summary) : '')).join('');
  return text === '' ? [] : [{ kind: 'reasoning', text }];
}

/** Reads a text, or a list of answer and reasoning parts. Parts of other types are ignored. */
function contentOf(content: unknown, read: FieldReader): ReplyPiece[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return read.list(content, 'content').flatMap((part): ReplyPiece[] => {
    if (typeof part === 'string') return [{ kind: 'text', text: part }];
    if (!isObject(part)) return [];
    if (part.type === 'thinking' || part.type === 'reasoning') return [{ kind: 'reasoning', text: joinedText(part.thinking ?? part.text) }];
    return part.type === 'text' || part.type === 'output_text' || part.type === undefined
      ? [{ kind: 'text', text: textOf(part.text) }]
      : [];
  });
}

const joinedText = (value: unknown): string =>
  Array.isArray(value) ? value.map((part) => (isObject(part) ? textOf(part.text) : textOf(part))).join('') : textOf(value);

function toolCallsOf(delta: Fields, isWhole: boolean, read: FieldReader): ToolCallDelta[] {
  const calls = read.list(delta.tool_calls ?? [], 'tool_calls').map((item, position): ToolCallDelta => {
    const call = read.object(item, 'a tool call');
    const fields = read.object(call.function ?? {}, 'a function');
    const { arguments: _arguments, name: _name, ...others } = fields;
    const ofFunction = echoFields(others);
    return {
      index: isWhole ? position : indexOf(call.index),
      id: typeof call.id === 'number' ? String(call.id) : textOf(call.id),
      name: textOf(fields.name),
      arguments: argumentsOf(fields.arguments),
      kept: { ...echoFields(call), ...(Object.keys(ofFunction).length > 0 ? { function: ofFunction } : {}) },
    };
  });
  const legacy = isObject(delta.function_call) ? delta.function_call : undefined; // the older form of tool calls
  if (!legacy) return calls;
  return [...calls, { index: undefined, id: '', name: textOf(legacy.name), arguments: argumentsOf(legacy.arguments), kept: {} }];
}

const indexOf = (value: unknown): number | undefined => {
  const index = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof index === 'number' && Number.isFinite(index) ? index : undefined;
};

/** Returns the arguments as JSON text; some servers send the value itself. */
const argumentsOf = (value: unknown): string => (isObject(value) || Array.isArray(value) ? JSON.stringify(value) : textOf(value));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Reads the usage; some servers report the total instead of the output tokens. */
function usageOf(candidates: readonly unknown[]): Partial<TokenUsage> {
  const usage = candidates.find((candidate): candidate is Fields => isObject(candidate)) ?? {};
  const inputTokens = usage.prompt_tokens ?? usage.input_tokens;
  const [input, total] = [tokenCount(inputTokens), tokenCount(usage.total_tokens)];
  const rest = input !== undefined && total !== undefined && total >= input ? total - input : undefined;
  return reportedUsage({
    inputTokens,
    outputTokens: tokenCount(usage.completion_tokens ?? usage.output_tokens) ?? rest,
    cachedInputTokens: fieldOf(usage.prompt_tokens_details ?? usage.input_tokens_details, 'cached_tokens'),
    reasoningTokens: fieldOf(usage.completion_tokens_details ?? usage.output_tokens_details, 'reasoning_tokens'),
  });
}

const fieldOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** An object with unvalidated fields. */
export type Fields = Readonly<Record<string, unknown>>;

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
  };
}
