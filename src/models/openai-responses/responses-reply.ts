import type { WorkflowError } from '../../core/errors/errors.ts';
import { shorten } from '../../core/errors/shorten.ts';
import type { ChatReply, ModelToolCall } from '../../core/ports/chat-model.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { TokenUsage } from '../../core/ports/run-event.ts';
import { isObject } from '../../core/util/is-object.ts';
import { noUsage } from '../../core/util/no-usage.ts';
import { contextRefusal } from '../context-refusal.ts';
import type { Fields } from '../openai/openai-chunk.ts';
import { type ErrorContext, isContentFiltered, quote, requestRefused, streamCut, unavailable } from '../openai/openai-error.ts';
import type { ReplyPiece } from '../openai/think-tags.ts';
import type { WireNames } from '../openai/wire-names.ts';
import { contextFull, emptyReply, filteredReply, refusedReply, truncatedReply, unusableCall } from '../reply-error.ts';
import { reportedUsage, usageNote } from '../reported-usage.ts';

export interface ResponsesReplyOptions {
  readonly context: ErrorContext;
  readonly names: WireNames;
  /** Origin recorded in the provider data. */
  readonly from: string;
}

export interface ResponsesReply {
  /** Adds an event of a stream. @throws {WorkflowError} when the event reports that there will be no reply. */
  add(event: Fields): readonly ReplyPiece[];
  /** Adds a response in one piece, or the one at the end of a stream. */
  finish(response: Fields): void;
  readonly isFinished: boolean;
  /** Usage so far, as reported by the server. */
  readonly usage: Partial<TokenUsage>;
  /** @throws {WorkflowError} for an unusable reply. */
  complete(): ChatReply;
}

export function responsesReply({ context, names, from }: ResponsesReplyOptions): ResponsesReply {
  const items = new Map<number, Fields>();
  /** Indexes of commentary messages, which are not part of the answer. */
  const commentary = new Set<number>();
  /** Streamed texts and arguments, by the index of their item. */
  const streamed = new Map<number, string>();
  let [response, refusal]: [Fields | undefined, string] = [undefined, ''];

  const grow = ({ output_index: index }: Fields, delta: string): void => {
    if (typeof index === 'number') streamed.set(index, (streamed.get(index) ?? '') + delta);
  };
  const note = ({ output_index: index, item }: Fields): void => {
    if (typeof index !== 'number' || !isObject(item)) return;
    items.set(index, item);
    if (item.type === 'message' && item.phase === 'commentary') commentary.add(index);
  };

  return {
    add(event): readonly ReplyPiece[] {
      const delta = typeof event.delta === 'string' ? event.delta : '';
      switch (event.type) {
        case 'response.output_text.delta':
          grow(event, delta);
          return [{ kind: commentary.has(Number(event.output_index)) ? 'reasoning' : 'text', text: delta }];
        case 'response.refusal.delta':
          refusal += delta;
          return [];
        case 'response.function_call_arguments.delta':
          grow(event, delta);
          return [];
        case 'response.reasoning_text.delta':
        case 'response.reasoning_summary_text.delta':
          return [{ kind: 'reasoning', text: delta }];
        case 'response.reasoning_summary_part.added':
          return Number(event.summary_index) > 0 ? [{ kind: 'reasoning', text: '\n\n' }] : [];
        case 'response.output_item.added':
        case 'response.output_item.done':
          note(event);
          return [];
        case 'response.completed':
        case 'response.incomplete':
        case 'response.failed':
          response = isObject(event.response) ? event.response : {};
          return [];
        case 'error':
          throw failure(context, isObject(event.error) ? event.error : event);
        default:
          return [];
      }
    },
    finish(whole): void {
      response = whole;
    },
    get isFinished() {
      return response !== undefined;
    },
    get usage() {
      return usageIn(response?.usage);
    },
    complete(): ChatReply {
      if (!response) throw streamCut(context, 'it ended before the response was completed');
      if (isObject(response.error) && response.status !== 'failed') throw failure(context, response.error);
      checkStatus(response, context);
      const listed = Array.isArray(response.output) ? response.output.filter(isObject) : [];
      if (listed.length === 0 && refusal !== '') throw refusedReply(context.name, refusal);
      const places = [...new Set([...items.keys(), ...streamed.keys()])].sort((a, b) => a - b);
      const output = listed.length > 0 ? listed : places.map((place) => withStreamed(items.get(place), streamed.get(place) ?? ''));
      return toReply(output, response, { context, names, from });
    },
  };
}

/** Completes an item from its streamed text, for servers that list no items at the end. */
function withStreamed(item: Fields = { type: 'message' }, text: string): Fields {
  if (item.type === 'function_call') return item.arguments ? item : { ...item, arguments: text };
  if (item.type !== 'message' || textsIn(item.content, 'text') !== '' || textsIn(item.content, 'refusal') !== '') return item;
  return { ...item, content: [{ type: 'output_text', text }] };
}

const transient = /server_error|rate_limit|timeout|overloaded|unavailable/i;

function failure(context: ErrorContext, error: Fields): WorkflowError {
  const code = typeof error.code === 'string' ? error.code : '';
  const what = quote(`${code}${code && ': '}${typeof error.message === 'string' ? error.message : JSON.stringify(error)}`, context);
  const refusal = contextRefusal(undefined, `${code} ${String(error.message)}`);
  if (refusal) return contextFull(context.name, what, refusal, undefined);
  if (isContentFiltered(JSON.stringify(error))) return filteredReply(context.name, what);
  return transient.test(`${code} ${String(error.type)}`) ? unavailable(context, what) : requestRefused(context, what);
}

function checkStatus(response: Fields, context: ErrorContext): void {
  const { name } = context;
  const reason = isObject(response.incomplete_details) ? response.incomplete_details.reason : undefined;
  switch (response.status) {
    case 'completed':
      return;
    case 'failed':
      throw failure(context, isObject(response.error) ? response.error : {});
    case 'incomplete':
      if (reason === 'max_output_tokens') {
        throw truncatedReply(name);
      }
      if (reason === 'content_filter') {
        throw filteredReply(name);
      }
  }
  throw streamCut(context, `its status is "${quote(String(response.status), context)}"`);
}

function toReply(output: readonly Fields[], response: Fields, { context, names, from }: ResponsesReplyOptions): ChatReply {
  const { name: model } = context;
  const toolCalls: ModelToolCall[] = [];
  const kept: JsonObject[] = [];
  const thoughts: string[] = [];
  let [text, refusal] = ['', ''];
  for (const item of output) {
    if (item.type === 'function_call') {
      const call = toCall(item, names);
      checkCall(call, toolCalls, item, context);
      toolCalls.push(call);
      kept.push({ type: 'function_call', call_id: call.id });
    } else if (item.type === 'message' && item.phase !== 'commentary') {
      const content = textsIn(item.content, 'text');
      refusal += textsIn(item.content, 'refusal');
      text += content;
      kept.push({ type: 'message', length: content.length, ...(typeof item.phase === 'string' ? { phase: item.phase } : {}) });
    } else {
      if (item.type === 'message') thoughts.push(textsIn(item.content, 'text'));
      if (item.type === 'reasoning') thoughts.push(reasoningIn(item));
      kept.push(JSON.parse(JSON.stringify(item)) as JsonObject);
    }
  }
  if (refusal !== '') throw refusedReply(model, refusal);
  if (text === '' && toolCalls.length === 0)
    throw emptyReply(
      model,
      thoughts.some((thought) => thought !== ''),
    );
  const reasoning = thoughts.filter((thought) => thought !== '').join('\n\n');
  const wantsBack = kept.some(({ type, phase }) => phase !== undefined || (type !== 'message' && type !== 'function_call'));
  const usage = usageIn(response.usage);
  const metadata: Record<string, Json> = {
    ...(typeof response.id === 'string' ? { id: response.id } : {}),
    ...(typeof response.model === 'string' ? { model: response.model } : {}),
    ...usageNote(usage),
  };
  return {
    text,
    ...(reasoning === '' ? {} : { reasoning }),
    toolCalls,
    ...(wantsBack ? { providerData: { from, data: { items: kept } } } : {}),
    usage: { ...noUsage, ...usage },
    model,
    cached: false,
    metadata,
  };
}

const toCall = (item: Fields, { fromWire }: WireNames): ModelToolCall => ({
  id: typeof item.call_id === 'string' ? item.call_id : '',
  name: typeof item.name === 'string' ? fromWire(item.name) : '',
  arguments: typeof item.arguments === 'string' && item.arguments.trim() !== '' ? item.arguments : '{}',
});

function checkCall({ id, name }: ModelToolCall, others: readonly ModelToolCall[], item: Fields, context: ErrorContext): void {
  const shown = `"${shorten(name, 128)}"`;
  if (name === '') throw unusableCall(context.name, 'its name is missing');
  if (id === '' || others.some((call) => call.id === id)) throw unusableCall(context.name, `the id of ${shown} is missing or not unique`);
  if (item.status === 'incomplete') throw unusableCall(context.name, `the arguments of ${shown} are not complete`);
}

function textsIn(parts: unknown, field: 'text' | 'refusal'): string {
  if (!Array.isArray(parts)) return '';
  return parts.map((part: unknown) => (isObject(part) && typeof part[field] === 'string' ? part[field] : '')).join('');
}

function reasoningIn({ summary, content }: Fields): string {
  const texts = [summary, content].flatMap((list) => (Array.isArray(list) ? list : [])).map((part: unknown) => textsIn([part], 'text'));
  return texts.filter((text) => text !== '').join('\n\n');
}

function usageIn(value: unknown): Partial<TokenUsage> {
  if (!isObject(value)) return {};
  const { input_tokens: inputTokens, output_tokens: outputTokens, input_tokens_details: input, output_tokens_details: output } = value;
  return reportedUsage({
    inputTokens,
    outputTokens,
    cachedInputTokens: isObject(input) ? input.cached_tokens : undefined,
    reasoningTokens: isObject(output) ? output.reasoning_tokens : undefined,
  });
}
