import type { ChatReply } from '../../ports/chat-model.ts';
import type { Json } from '../../ports/json.ts';
import type { TokenUsage } from '../../ports/run-event.ts';
import { isObject } from '../../util/is-object.ts';
import { noUsage } from '../no-usage.ts';
import { type ErrorContext, quote, streamCut } from '../openai/openai-error.ts';
import { emptyReply, filteredReply, truncatedReply } from '../reply-error.ts';
import { reportedUsage, usageNote } from '../reported-usage.ts';
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
  /** What it has cost so far, as far as the provider says. */
  readonly usage: Partial<TokenUsage>;
  /**
   * @throws {WorkflowError} `MODEL_STREAM_CUT`, `MODEL_TRUNCATED`, `MODEL_REFUSED`, `MODEL_OUTPUT_INVALID` or `MODEL_EMPTY` when it
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
    get usage() {
      return usageIn(end?.usage);
    },
    complete(): ChatReply {
      if (!end) throw streamCut(context, 'it ended without its finish part');
      const { text: said, reasoning, toolCalls, parts } = collected;
      checkFinish(end, toolCalls.length > 0, context);
      const answer = typeof end.structuredOutputText === 'string' ? end.structuredOutputText : undefined;
      const text = answer ?? said;
      if (text === '' && toolCalls.length === 0) throw emptyReply(context.name, reasoning.trim() !== '');
      const usage = usageIn(end.usage);
      if (warnings.length > 0) metadata.warnings = warnings;
      const providerData = answer === undefined ? toProviderData(from, parts) : undefined; // the text that is kept is not the one of the parts
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
      throw truncatedReply(name);
    case 'content-filter':
      throw filteredReply(name);
    case 'other':
      if (wholeReason.test(raw) || (raw === '' && hasCalls)) return;
  }
  throw streamCut(context, `its finish reason is "${quote(raw || String(reason.unified), context)}"`);
}

const warningsIn = ({ warnings }: Fields): readonly Json[] =>
  Array.isArray(warnings) ? warnings.slice(0, 20).flatMap((warning) => toPlainJson(warning) ?? []) : [];

/** Both versions of the specification are read: counts with their parts, and plain counts. */
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
