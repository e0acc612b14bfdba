import { WorkflowError } from '../../errors.ts';
import type { ChatReply, ModelToolCall } from '../../ports/chat-model.ts';
import type { Json, JsonObject } from '../../ports/json.ts';
import type { TokenUsage } from '../../ports/run-event.ts';
import { isObject } from '../../util/is-object.ts';
import { shorten } from '../../util/shorten.ts';
import { noUsage } from '../no-usage.ts';
import { type ErrorContext, quote, requestRefused, streamCut, unavailable } from '../openai/openai-error.ts';
import type { WireNames } from '../openai/wire-names.ts';

/** An object of which nothing is known yet. */
type Fields = Readonly<Record<string, unknown>>;

export interface ResponsesReplyOptions {
  readonly context: ErrorContext;
  readonly names: WireNames;
  /** Of its provider data. */
  readonly from: string;
}

/** A piece of a reply that is shown as it comes. */
export interface ReplyPiece {
  readonly kind: 'text' | 'reasoning';
  readonly text: string;
}

/** A reply in the making. */
export interface ResponsesReply {
  /** An event of a stream. @throws {WorkflowError} when it says that there will be no reply. */
  add(event: Fields): readonly ReplyPiece[];
  /** A response in one piece, or at the end of a stream. */
  finish(response: Fields): void;
  readonly isFinished: boolean;
  /** @throws {WorkflowError} when the reply cannot be used. */
  complete(): ChatReply;
}

/** Puts a reply together from the events of a response. */
export function responsesReply({ context, names, from }: ResponsesReplyOptions): ResponsesReply {
  const items = new Map<number, Fields>();
  /** Places of messages that are said on the way, not the answer. */
  const commentary = new Set<number>();
  let response: Fields | undefined;

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
          return [{ kind: commentary.has(Number(event.output_index)) ? 'reasoning' : 'text', text: delta }];
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
          throw failed(context, isObject(event.error) ? event.error : event);
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
    complete(): ChatReply {
      if (!response) throw streamCut(context, 'it ended before the response was completed');
      checkStatus(response, context);
      const listed = Array.isArray(response.output) ? response.output.filter(isObject) : [];
      const output = listed.length > 0 ? listed : [...items].sort(([a], [b]) => a - b).map(([, item]) => item);
      return toReply(output, response, { context, names, from });
    },
  };
}

/** Errors that may pass. */
const passing = /server_error|rate_limit|timeout|overloaded|unavailable/i;

function failed(context: ErrorContext, error: Fields): WorkflowError {
  const code = typeof error.code === 'string' ? error.code : '';
  const what = quote(`${code}${code && ': '}${typeof error.message === 'string' ? error.message : JSON.stringify(error)}`, context);
  return passing.test(`${code} ${String(error.type)}`) ? unavailable(context, what) : requestRefused(context, what);
}

function checkStatus(response: Fields, context: ErrorContext): void {
  const { name } = context;
  const reason = isObject(response.incomplete_details) ? response.incomplete_details.reason : undefined;
  switch (response.status) {
    case 'completed':
      return;
    case 'failed':
      throw failed(context, isObject(response.error) ? response.error : {});
    case 'incomplete':
      if (reason === 'max_output_tokens') {
        throw new WorkflowError({
          code: 'MODEL_TRUNCATED',
          message: `The reply of "${name}" reached its limit of tokens.`,
          hint: 'Raise maxOutputTokens, shorten the conversation, or ask for less.',
        });
      }
      if (reason === 'content_filter') {
        throw new WorkflowError({
          code: 'MODEL_CONTENT_FILTERED',
          message: `The provider's content filter stopped the reply of "${name}".`,
          hint: 'Change what is asked, or the text that it is asked about.',
        });
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
      const said = textsIn(item.content, 'text');
      refusal += textsIn(item.content, 'refusal');
      text += said;
      kept.push({ type: 'message', length: said.length, ...(typeof item.phase === 'string' ? { phase: item.phase } : {}) });
    } else {
      if (item.type === 'message') thoughts.push(textsIn(item.content, 'text'));
      if (item.type === 'reasoning') thoughts.push(reasoningIn(item));
      kept.push(JSON.parse(JSON.stringify(item)) as JsonObject);
    }
  }
  if (refusal !== '') {
    const hint = 'Read its words in data.text, and change what is asked.';
    throw new WorkflowError({ code: 'MODEL_REFUSED', message: `"${model}" refused to answer.`, hint, data: { text: refusal } });
  }
  if (text === '' && toolCalls.length === 0) throw empty(model);
  const reasoning = thoughts.filter((thought) => thought !== '').join('\n\n');
  const wantsBack = kept.some(({ type, phase }) => phase !== undefined || (type !== 'message' && type !== 'function_call'));
  const usage = usageIn(response.usage);
  const metadata: Record<string, Json> = {
    ...(typeof response.id === 'string' ? { id: response.id } : {}),
    ...(typeof response.model === 'string' ? { model: response.model } : {}),
    ...(usage ? {} : { usage: 'not reported' }),
  };
  return {
    text,
    ...(reasoning === '' ? {} : { reasoning }),
    toolCalls,
    ...(wantsBack ? { providerData: { from, data: { items: kept } } } : {}),
    usage: usage ?? noUsage,
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
  if (name === '') throw invalid(context, 'its name is missing');
  if (id === '' || others.some((call) => call.id === id)) throw invalid(context, `the id of ${shown} is missing or that of another`);
  if (item.status === 'incomplete') throw invalid(context, `the arguments of ${shown} are not complete`);
}

const invalid = ({ name }: ErrorContext, what: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_OUTPUT_INVALID',
    message: `"${name}" sent a tool call that cannot be used: ${what}.`,
    hint: 'Ask again. If it happens every time, try stream: false.',
    retryable: true,
  });

const empty = (model: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_EMPTY',
    message: `"${model}" answered with neither text nor tool calls.`,
    hint: 'Ask again. If it happens every time, the model may not support what is asked of it.',
    retryable: true,
  });

/** The texts of a list of parts, joined. */
function textsIn(parts: unknown, field: 'text' | 'refusal'): string {
  if (!Array.isArray(parts)) return '';
  return parts.map((part: unknown) => (isObject(part) && typeof part[field] === 'string' ? part[field] : '')).join('');
}

function reasoningIn({ summary, content }: Fields): string {
  const texts = [summary, content].flatMap((list) => (Array.isArray(list) ? list : [])).map((part: unknown) => textsIn([part], 'text'));
  return texts.filter((text) => text !== '').join('\n\n');
}

/** `undefined`: it was not reported. */
function usageIn(value: unknown): TokenUsage | undefined {
  if (!isObject(value)) return undefined;
  const [inputTokens, outputTokens] = [count(value.input_tokens), count(value.output_tokens)];
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const { input_tokens_details: input, output_tokens_details: output } = value;
  const cachedInputTokens = count(isObject(input) ? input.cached_tokens : undefined);
  const reasoningTokens = count(isObject(output) ? output.reasoning_tokens : undefined);
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...(cachedInputTokens ? { cachedInputTokens } : {}),
    ...(reasoningTokens ? { reasoningTokens } : {}),
  };
}

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
