import type { ChatReply } from '../../core/ports/chat-model.ts';
import type { Json } from '../../core/ports/json.ts';
import type { TokenUsage } from '../../core/ports/run-event.ts';
import { isObject } from '../../core/util/is-object.ts';
import { noUsage } from '../../core/util/no-usage.ts';
import type { Fields } from '../openai/openai-chunk.ts';
import { type ErrorContext, quote, streamCut } from '../openai/openai-error.ts';
import { emptyReply, filteredReply, truncatedReply } from '../reply-error.ts';
import { reportedUsage, usageNote } from '../reported-usage.ts';
import { type CollectedPartsOptions, collectedParts, toPlainJson } from './collected-parts.ts';
import { toProviderData } from './to-prompt.ts';

export interface AiSdkReply {
  /** Adds a part of a stream, or of the content of a whole reply. */
  add(part: Fields): void;
  /** Records the finish reason and the usage. */
  finish(end: Fields): void;
  /** True once a useful part has arrived. */
  readonly begun: boolean;
  /** True once the model has reported that it cannot follow the schema of the request. */
  readonly ignoresSchema: boolean;
  /** Usage so far, as reported by the provider. */
  readonly usage: Partial<TokenUsage>;
  /**
   * @throws {WorkflowError} `MODEL_STREAM_CUT`, `MODEL_TRUNCATED`, `MODEL_REFUSED`, `MODEL_OUTPUT_INVALID` or `MODEL_EMPTY` for an unusable
   * reply.
   */
  complete(): ChatReply;
}

export interface AiSdkReplyOptions extends CollectedPartsOptions {
  /** Origin recorded in the provider data. */
  readonly from: string;
}

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
    get usage() {
      return usageIn(end?.usage);
    },
    complete(): ChatReply {
      if (!end) throw streamCut(context, 'it ended without its finish part');
      const { text: collectedText, reasoning, toolCalls, parts } = collected;
      checkFinish(end, toolCalls.length > 0, context);
      const answer = typeof end.structuredOutputText === 'string' ? end.structuredOutputText : undefined;
      const text = answer ?? collectedText;
      if (text === '' && toolCalls.length === 0) throw emptyReply(context.name, reasoning.trim() !== '');
      const usage = usageIn(end.usage);
      if (warnings.length > 0) metadata.warnings = warnings;
      // the stored text differs from the text of the parts
      const providerData = answer === undefined ? toProviderData(from, parts) : undefined;
      return {
        text,
        ...(reasoning === '' ? {} : { reasoning }),
        toolCalls,
        ...(providerData ? { providerData } : {}),
        usage: { ...noUsage, ...usage },
        model: context.name,
        cached: false,
        metadata: { ...metadata, ...usageNote(usage) },
      };
    },
  };
}

/** Provider-specific finish reasons of complete replies that the SDK does not map. */
const completeReason = /^(?:stop|eos|end|done|complete|finish|tool_?calls?|function_?call)/i;

function checkFinish(end: Fields, hasCalls: boolean, context: ErrorContext): void {
  const { name } = context;
  const reason = isObject(end.finishReason) ? end.finishReason : { unified: end.finishReason };
  const raw = typeof reason.raw === 'string' ? reason.raw : '';
  switch (reason.unified) {
    case 'stop':
    case 'tool-calls':
      return;
    case 'length':
      throw truncatedReply(name);
    case 'content-filter':
      throw filteredReply(name);
    case 'other':
      if (completeReason.test(raw) || (raw === '' && hasCalls)) return;
  }
  throw streamCut(context, `its finish reason is "${quote(raw || String(reason.unified), context)}"`);
}

const warningsIn = ({ warnings }: Fields): readonly Json[] =>
  Array.isArray(warnings) ? warnings.slice(0, 20).flatMap((warning) => toPlainJson(warning) ?? []) : [];

/** Reads both versions of the specification: counts with their parts, and plain counts. */
function usageIn(value: unknown): Partial<TokenUsage> {
  if (!isObject(value)) return {};
  const { inputTokens: input, outputTokens: output } = value;
  return reportedUsage({
    inputTokens: isObject(input) ? input.total : input,
    outputTokens: isObject(output) ? output.total : output,
    cachedInputTokens: isObject(input) ? input.cacheRead : undefined,
    reasoningTokens: isObject(output) ? output.reasoning : undefined,
  });
}
