import type { ChatReply, ModelToolCall, ProviderData } from '../../ports/chat-model.ts';
import type { JsonObject } from '../../ports/json.ts';
import type { TokenUsage } from '../../ports/run-event.ts';
import { hash } from '../../util/hash.ts';
import { shorten } from '../../util/shorten.ts';
import { emptyReply, filteredReply, refusedReply, truncatedReply, unusableCall } from '../reply-error.ts';
import { usageNote } from '../reported-usage.ts';
import { type CollectedCall, collectedCalls } from './collected-calls.ts';
import { endingOf } from './finish-reason.ts';
import { joinKept } from './kept-fields.ts';
import type { OpenaiChunk } from './openai-chunk.ts';
import { type ErrorContext, streamCut } from './openai-error.ts';
import { toProviderData } from './returned-data.ts';
import { type ReplyPiece, splitLoneClosing, thinkTags } from './think-tags.ts';
import type { WireNames } from './wire-names.ts';

/** A reply under construction. */
export interface OpenaiReply {
  /** Takes a chunk, and gives what it adds to the answer and to the thoughts before it. */
  add(chunk: OpenaiChunk): readonly ReplyPiece[];
  /** What was held back because it might have been a tag. */
  rest(): readonly ReplyPiece[];
  /** A finish reason has come: what is still missing is the usage, if anything. */
  readonly isFinished: boolean;
  /** What it has cost so far, as far as the server says. */
  readonly usage: Partial<TokenUsage>;
  /**
   * The reply, once all of it is there.
   * @throws {WorkflowError} `MODEL_TRUNCATED`, `MODEL_REFUSED`, `MODEL_EMPTY`, `MODEL_OUTPUT_INVALID` or
   *   `MODEL_STREAM_CUT` when it cannot be used.
   */
  complete(): ChatReply;
}

export interface OpenaiReplyOptions {
  readonly context: ErrorContext;
  readonly names: WireNames;
  /** Who sends it: provider and model. */
  readonly from: string;
  /** How many tool calls the conversation has before it: the ids that we make are unique in it. */
  readonly callsBefore: number;
}

/** Puts a reply together from the chunks of a completion. */
export function openaiReply({ context, names, from, callsBefore }: OpenaiReplyOptions): OpenaiReply {
  const { name: model } = context;
  const calls = collectedCalls();
  const tags = thinkTags();
  const metadata: Record<string, string> = {};
  let [text, reasoning, refusal, finishReason] = ['', '', '', ''];
  let usage: Partial<TokenUsage> = {};
  let kept: JsonObject = {};
  let isWhole = false;

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
      kept = joinKept(kept, chunk.kept);
      isWhole ||= chunk.isWhole;
      for (const delta of chunk.toolCalls) calls.add(delta);
      if (chunk.id) metadata.id = chunk.id;
      if (chunk.model) metadata.model = chunk.model;
      return take(chunk.pieces.flatMap((piece) => (piece.kind === 'text' ? tags.add(piece.text) : [piece])));
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

/** Gives each call without an id, or with one that another has, an id of its own. Nine letters and digits: some providers want just that. */
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

const toModelCall = ({ id, name, arguments: json }: CollectedCall, { fromWire }: WireNames): ModelToolCall => ({
  id,
  name: fromWire(name),
  arguments: json.trim() === '' ? '{}' : json, // a call without arguments
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
      if (isWhole) return; // a document that is whole was not cut
      throw streamCut(context, 'it ended without a finish_reason');
    case 'failed':
      throw streamCut(context, `its finish_reason is "${shorten(finishReason, 100)}"`);
  }
}

function checkToolCalls(calls: readonly ModelToolCall[], finishReason: string, model: string): void {
  if (finishReason === 'tool_calls' && calls.length === 0) throw unusableCall(model, 'one was announced and none came');
  const speaksOfCalls = /^(?:tool_calls?|function_call|tool_use)$/i.test(finishReason);
  for (const { name, arguments: text } of calls) {
    if (name === '') throw unusableCall(model, 'its name is missing');
    // a finish_reason that does not speak of tool calls does not say either that they are complete
    if (!speaksOfCalls && !isJsonText(text)) throw unusableCall(model, `the arguments of "${shorten(name, 128)}" are not complete`);
  }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
