import { WorkflowError } from '../../errors.ts';
import type { ChatReply } from '../../ports/chat-model.ts';
import type { Json } from '../../ports/json.ts';
import type { TokenUsage } from '../../ports/run-event.ts';
import { isObject } from '../../util/is-object.ts';
import { noUsage } from '../no-usage.ts';
import { type ErrorContext, quote, streamCut } from '../openai/openai-error.ts';
import { emptyReply } from './ai-sdk-error.ts';
import { type CollectedPartsOptions, collectedParts, type Fields, toPlainJson } from './collected-parts.ts';
import { toProviderData } from './to-prompt.ts';

/** A reply in the making. */
export interface AiSdkReply {
  /** A part of a stream, or of the content of a whole reply. */
  add(part: Fields): void;
  /** Why it ended, and what it took. */
  finish(end: Fields): void;
  /** A part that is worth something has been there. */
  readonly begun: boolean;
  /** The model has said that it cannot keep to the schema that it was sent. */
  readonly ignoresSchema: boolean;
  /**
   * @throws {WorkflowError} `MODEL_STREAM_CUT`, `MODEL_TRUNCATED`, `MODEL_CONTENT_FILTERED`, `MODEL_OUTPUT_INVALID` or `MODEL_EMPTY` when it
   *   cannot be used.
   */
  complete(): ChatReply;
}

export interface AiSdkReplyOptions extends CollectedPartsOptions {
  /** Of its provider data. */
  readonly from: string;
}

/** Puts a reply together. */
export function aiSdkReply({ from, ...options }: AiSdkReplyOptions): AiSdkReply {
  const { context } = options;
  const collected = collectedParts(options);
  const metadata: Record<string, Json> = {};
  const warnings: Json[] = [];
  let end: Fields | undefined;

  return {
    add(part): void {
      if (part.type === 'stream-start') warnings.push(...warningsIn(part));
      else if (part.type === 'response-metadata') {
        if (typeof part.id === 'string') metadata.id = part.id;
        if (typeof part.modelId === 'string') metadata.model = part.modelId;
      } else collected.add(part);
    },
    finish(fields): void {
      end = fields;
      warnings.push(...warningsIn(fields));
    },
    get begun() {
      return collected.parts.length > 0;
    },
    get ignoresSchema() {
      return warnings.some((warning) => isObject(warning) && warning.type === 'unsupported' && warning.feature === 'responseFormat');
    },
    complete(): ChatReply {
      if (!end) throw streamCut(context, 'it ended without its finish part');
      const { text: said, reasoning, toolCalls, parts } = collected;
      checkFinish(end, toolCalls.length > 0, context);
      const answer = typeof end.structuredOutputText === 'string' ? end.structuredOutputText : undefined;
      const text = answer ?? said;
      if (text === '' && toolCalls.length === 0) throw emptyReply(context);
      const usage = usageIn(end.usage);
      if (!usage) metadata.usage = 'not reported';
      if (warnings.length > 0) metadata.warnings = warnings;
      const providerData = answer === undefined ? toProviderData(from, parts) : undefined; // the text that is kept is not the one of the parts
      return {
        text,
        ...(reasoning === '' ? {} : { reasoning }),
        toolCalls,
        ...(providerData ? { providerData } : {}),
        usage: usage ?? noUsage,
        model: context.name,
        cached: false,
        metadata,
      };
    },
  };
}

/** Reasons of providers that the SDK has no word for, though the reply is whole. */
const wholeReason = /^(?:stop|eos|end|done|complete|finish|tool_?calls?|function_?call)/i;

function checkFinish(end: Fields, hasCalls: boolean, context: ErrorContext): void {
  const { name } = context;
  const reason = isObject(end.finishReason) ? end.finishReason : { unified: end.finishReason };
  const raw = typeof reason.raw === 'string' ? reason.raw : '';
  switch (reason.unified) {
    case 'stop':
    case 'tool-calls':
      return;
    case 'length':
      throw new WorkflowError({
        code: 'MODEL_TRUNCATED',
        message: `The reply of "${name}" reached its limit of tokens.`,
        hint: 'Raise maxOutputTokens, shorten the conversation, or ask for less.',
      });
    case 'content-filter':
      throw new WorkflowError({
        code: 'MODEL_CONTENT_FILTERED',
        message: `The provider's content filter stopped the reply of "${name}".`,
        hint: 'Change what is asked, or the text that it is asked about.',
      });
    case 'other':
      if (wholeReason.test(raw) || (raw === '' && hasCalls)) return;
  }
  throw streamCut(context, `its finish reason is "${quote(raw || String(reason.unified), context)}"`);
}

const warningsIn = ({ warnings }: Fields): readonly Json[] =>
  Array.isArray(warnings) ? warnings.slice(0, 20).flatMap((warning) => toPlainJson(warning) ?? []) : [];

/** `undefined`: it was not reported. Both versions of the specification are read: counts with their parts, and plain counts. */
function usageIn(value: unknown): TokenUsage | undefined {
  if (!isObject(value)) return undefined;
  const [input, output] = [value.inputTokens, value.outputTokens];
  const inputTokens = count(isObject(input) ? input.total : input);
  const outputTokens = count(isObject(output) ? output.total : output);
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cachedInputTokens = count(isObject(input) ? input.cacheRead : undefined);
  const reasoningTokens = count(isObject(output) ? output.reasoning : undefined);
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...(cachedInputTokens ? { cachedInputTokens } : {}),
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
