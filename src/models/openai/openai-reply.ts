import { shorten } from '../../core/errors/shorten.ts';
import type { ChatReply, ModelToolCall, ProviderData } from '../../core/ports/chat-model.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { TokenUsage } from '../../core/ports/run-event.ts';
import { hash } from '../../core/util/hash.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { emptyReply, filteredReply, refusedReply, truncatedReply, unusableCall } from '../reply-error.ts';
import { usageNote } from '../reported-usage.ts';
import { type CollectedCall, collectedCalls } from './collected-calls.ts';
import { joinFields } from './echo-fields.ts';
import type { OpenaiChunk } from './openai-chunk.ts';
import { type ErrorContext, streamCut } from './openai-error.ts';
import { toProviderData } from './returned-data.ts';
import { type ReplyPiece, splitLoneClosing, thinkTags } from './think-tags.ts';
import type { WireNames } from './wire-names.ts';

export interface OpenaiReply {
  /** Adds a chunk, and returns its pieces of the answer and of the reasoning. */
  add(chunk: OpenaiChunk): readonly ReplyPiece[];
  /** Returns the text that was held back as a possible tag. */
  rest(): readonly ReplyPiece[];
  /** True once the finish reason has arrived; only the usage may still be missing. */
  readonly isFinished: boolean;
  /** Usage so far, as reported by the server. */
  readonly usage: Partial<TokenUsage>;
  /**
   * Returns the complete reply.
   * @throws {WorkflowError} `MODEL_TRUNCATED`, `MODEL_REFUSED`, `MODEL_EMPTY`, `MODEL_OUTPUT_INVALID` or `MODEL_STREAM_CUT` for an unusable
   * reply.
   */
  complete(): ChatReply;
}

export interface OpenaiReplyOptions {
  readonly context: ErrorContext;
  readonly names: WireNames;
  /** Origin of the reply: provider and model. */
  readonly from: string;
  /** Number of earlier tool calls in the conversation; keeps generated ids unique. */
  readonly callsBefore: number;
}

export function openaiReply({ context, names, from, callsBefore }: OpenaiReplyOptions): OpenaiReply {
  const { name: model } = context;
  const calls = collectedCalls();
  const tags = thinkTags();
  const metadata: Record<string, string> = {};
  let [text, reasoning, refusal, finishReason] = ['', '', '', ''];
  let usage: Partial<TokenUsage> = {};
  let kept: JsonObject = {};
  let isWhole = false;
  /** The text that came in deltas, tags included. */
  let streamedText = '';

  /** Some servers end a stream with all text that they have streamed. */
  const piecesOf = (chunk: OpenaiChunk): readonly ReplyPiece[] => {
    const words = chunk.pieces.flatMap(({ kind, text }) => (kind === 'text' ? [text] : [])).join('');
    if (chunk.isWhole) return words !== '' && words === streamedText ? [] : chunk.pieces;
    streamedText += words;
    return chunk.pieces;
  };
  const take = (pieces: readonly ReplyPiece[]): readonly ReplyPiece[] => {
    for (const piece of pieces) {
      if (piece.kind === 'text') text += piece.text;
      else reasoning += piece.text;
    }
    return pieces;
  };
  return {
    add(chunk) {
      refusal += chunk.refusal;
      if (endingOf(chunk.finishReason) !== 'open') finishReason = chunk.finishReason;
      usage = { ...usage, ...chunk.usage };
      kept = joinFields(kept, chunk.kept);
      isWhole ||= chunk.isWhole;
      for (const delta of chunk.toolCalls) calls.add(delta);
      if (chunk.id) metadata.id = chunk.id;
      if (chunk.model) metadata.model = chunk.model;
      return take(piecesOf(chunk).flatMap((piece) => (piece.kind === 'text' ? tags.add(piece.text) : [piece])));
    },
    rest: () => take(tags.end()),
    get isFinished() {
      return finishReason !== '';
    },
    get usage() {
      return usage;
    },
    complete() {
      checkFinish(finishReason, isWhole, context);
      if (refusal !== '') throw refusedReply(model, refusal);
      const answer = splitLoneClosing(text);
      const thought = [reasoning, answer.thought].filter((part) => part.trim() !== '').join('\n\n');
      const collected = withIds(calls.all(), `${metadata.id ?? ''}/${callsBefore}`);
      const toolCalls = collected.map((call) => toModelCall(call, names));
      checkToolCalls(toolCalls, finishReason, model);
      if (answer.text.trim() === '' && toolCalls.length === 0) throw emptyReply(model, thought !== '');
      const providerData = toProviderData({ from, kept, calls: collected });
      return {
        text: answer.text,
        toolCalls,
        usage: { inputTokens: 0, outputTokens: 0, ...usage },
        model,
        cached: false,
        metadata: { ...metadata, ...usageNote(usage) },
        ...(thought === '' ? {} : { reasoning: thought }),
        ...(providerData ? { providerData } : ({} as { providerData?: ProviderData })),
      };
    },
  };
}

/**
 * Generates an id for each call without one, or with a duplicate. Uses nine letters and digits, because some providers require exactly
 * that.
 */
function withIds(calls: readonly CollectedCall[], seed: string): readonly CollectedCall[] {
  const used = new Set(calls.map(({ id }) => id));
  const seen = new Set(['']);
  return calls.map((call, place) => {
    const isOwn = !seen.has(call.id);
    seen.add(call.id);
    if (isOwn) return call;
    let id = '';
    for (let attempt = 0; id === '' || used.has(id); attempt++) id = hash(`${seed}/${place}/${attempt}`).slice(0, 9);
    used.add(id);
    return { ...call, id };
  });
}

const toModelCall = ({ id, name, arguments: argsText }: CollectedCall, { fromWire }: WireNames): ModelToolCall => ({
  id,
  name: fromWire(name),
  arguments: argsText.trim() === '' ? '{}' : argsText, // a call without arguments
});

function checkFinish(finishReason: string, isWhole: boolean, context: ErrorContext): void {
  const { name: model } = context;
  switch (endingOf(finishReason)) {
    case 'complete':
      return;
    case 'truncated':
      throw truncatedReply(model);
    case 'filtered':
      throw filteredReply(model);
    case 'open':
      if (isWhole) return; // a whole document was not cut
      // Decision 217: the finish reason ends a reply; many servers never send `[DONE]`.
      throw streamCut(context, 'it ended without a finish_reason');
    case 'failed':
      throw streamCut(context, `its finish_reason is "${shorten(finishReason, 100)}"`);
  }
}

function checkToolCalls(calls: readonly ModelToolCall[], finishReason: string, model: string): void {
  if (finishReason === 'tool_calls' && calls.length === 0) throw unusableCall(model, 'it was announced and did not arrive');
  const speaksOfCalls = /^(?:tool_calls?|function_call|tool_use)$/i.test(finishReason);
  for (const { name, arguments: argsText } of calls) {
    if (name === '') throw unusableCall(model, 'its name is missing');
    // a finish_reason for another end does not confirm that the tool calls are complete
    if (!speaksOfCalls && parseJson(argsText) === undefined)
      throw unusableCall(model, `the arguments of "${shorten(name, 128)}" are not complete`);
  }
}

/** End of a reply. `open`: it has not ended, or the server does not report the end. */
type Ending = 'open' | 'complete' | 'truncated' | 'filtered' | 'failed';

const unfinished = new Set(['', 'null', 'none', 'in_progress', 'unspecified', 'finish_reason_unspecified']);
const truncated = new Set([
  ...['length', 'max_tokens', 'max_length', 'max_output_tokens', 'model_length', 'token_limit'],
  ...['context_length', 'context_length_exceeded', 'model_context_window_exceeded'],
]);
const filtered = new Set([
  ...['content_filter', 'content_filtered', 'safety', 'recitation', 'blocklist', 'prohibited_content', 'spii', 'sensitive'],
  ...['image_safety', 'guardrail_intervened'],
]);
/** Matches reasons such as `insufficient_system_resource` and `MALFORMED_FUNCTION_CALL`. */
const failure = /error|abort|cancel|interrupt|insufficient|fail|malformed|time_?d?_?out|overload|unavailable|incomplete/;

/**
 * Classifies a `finish_reason`. Servers use many words for a proper end (`eos`, `STOP`, `end_turn`), so any word that names no failure
 * counts as one.
 */
function endingOf(finishReason: string): Ending {
  const word = finishReason.trim().toLowerCase();
  if (unfinished.has(word)) return 'open';
  if (truncated.has(word)) return 'truncated';
  if (filtered.has(word)) return 'filtered';
  return failure.test(word) ? 'failed' : 'complete';
}
