import type OpenAI from 'openai';
import type { ChatModel, ChatReply, ChatRequest } from '../../ports/chat-model.ts';
import type { JsonObject } from '../../ports/json.ts';
import { isObject } from '../../util/is-object.ts';
import { mergeJson } from '../../util/merge-json.ts';
import { redactSecrets } from '../../util/redact-secrets.ts';
import { checkExtraBody, hostOf, toClient } from '../openai/openai-client.ts';
import { type ErrorContext, streamCut } from '../openai/openai-error.ts';
import { requestCompletion } from '../openai/request-completion.ts';
import { readResponseText } from '../openai/response-text.ts';
import { readServerSentEvents } from '../openai/server-sent-events.ts';
import { wireNames } from '../openai/wire-names.ts';
import { checkRemoteOptions, type RemoteModelOptions } from '../remote-model-options.ts';
import { type ReplyClock, replyClock } from '../reply-clock.ts';
import { toResponsesBody } from './responses-body.ts';
import { type ReplyPiece, type ResponsesReply, responsesReply } from './responses-reply.ts';

export interface OpenaiResponsesModelOptions extends RemoteModelOptions {
  /** The provider's id of the model, for example `gpt-5-mini`. */
  readonly model: string;
  /** Default: the environment's `OPENAI_API_KEY`. */
  readonly apiKey?: string;
  /** Where a server is that speaks the Responses API. Default: `OPENAI_BASE_URL`, else OpenAI. */
  readonly baseURL?: string;
  /** A client that you have made, instead of `apiKey` and `baseURL`. */
  readonly client?: OpenAI;
  /** False: the text arrives in one piece. @default true */
  readonly stream?: boolean;
  /** Show a summary of what the model thinks. Default: none, for OpenAI shows it to verified organisations only. */
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed';
}

/**
 * Makes a model that asks OpenAI's Responses API. Nothing is stored there (`store: false`): what a model has thought comes encrypted, is kept
 * with its message, and goes back with it.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for options that do not fit together, and without a key.
 * @example const model = openaiResponsesModel({ model: 'gpt-5-mini', reasoningEffort: 'low' });
 */
export function openaiResponsesModel(options: OpenaiResponsesModelOptions): ChatModel {
  const { model, name = model, stream = true, extraBody = {}, reasoningEffort, reasoningSummary, maxOutputTokens } = options;
  const settings = checkRemoteOptions(options);
  checkExtraBody(extraBody, ['input', 'stream']);
  const client = toClient(options);
  const context: ErrorContext = { name, redact: (text) => redactSecrets(text, [client.apiKey ?? '', ...settings.secrets]) };
  const from = `${hostOf(client.baseURL)} responses ${model}`;
  const thinking = returnedReasoning();
  const bound = [extraBody.max_output_tokens, maxOutputTokens].find((one) => typeof one === 'number');

  return {
    name,
    ...(bound === undefined ? {} : { maxOutputTokens: bound }),
    async generate(request): Promise<ChatReply> {
      const { signal } = request;
      const names = wireNames(request);
      const attempt = thinking.attempt();
      const fixed = { model, name, from, stream, names, reasoningEffort, reasoningSummary, maxOutputTokens };
      const bodyOf = (): JsonObject =>
        mergeJson(toResponsesBody(request, { ...fixed, returnsReasoning: attempt.returnsReasoning() }), extraBody);
      const clock = replyClock(settings.limits, { name, signal, clock: settings.clock });
      try {
        const send = (body: JsonObject, sending: OpenAI.RequestOptions): Promise<Response> =>
          client.responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming, sending).asResponse();
        const response = await requestCompletion({ send, bodyOf, attempt, clock, context, settings });
        if (!response.body) throw streamCut(context, 'the response is empty');
        const reply = responsesReply({ context, names, from });
        const text = readResponseText(response.body, { context, clock });
        const shown = await (stream ? readEvents : readWhole)(text, { reply, request, context, clock });
        signal?.throwIfAborted();
        const whole = reply.complete();
        if (shown === '' && whole.text !== '') request.onToken?.(whole.text);
        return whole;
      } finally {
        clock.stop();
      }
    },
  };
}

interface Reading {
  readonly reply: ResponsesReply;
  readonly request: ChatRequest;
  readonly context: ErrorContext;
  readonly clock: ReplyClock;
}

/** Reads until the response is completed; what comes after it is of no use. Returns the text that was shown. */
async function readEvents(text: AsyncIterable<string>, { reply, request, context, clock }: Reading): Promise<string> {
  let shown = '';
  const tell = ({ kind, text: piece }: ReplyPiece): void => {
    clock.signal.throwIfAborted();
    if (piece === '') return;
    if (kind === 'reasoning') request.onReasoning?.(piece);
    else {
      shown += piece;
      request.onToken?.(piece);
    }
  };
  for await (const data of readServerSentEvents(text)) {
    if (data.trim() === '' || data.trim() === '[DONE]') continue;
    reply.add(parse(data, context)).forEach(tell);
    if (reply.isFinished) break;
  }
  return shown;
}

async function readWhole(text: AsyncIterable<string>, { reply, context }: Reading): Promise<string> {
  let whole = '';
  for await (const piece of text) whole += piece;
  reply.finish(parse(whole, context));
  return '';
}

function parse(text: string, context: ErrorContext): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  throw streamCut(context, 'a part of it is not JSON');
}

/** A model that does not think refuses to be asked for what it thought: it is asked without, and from then on. */
function returnedReasoning() {
  let known = true;
  return {
    attempt() {
      let asks = known;
      return {
        returnsReasoning: () => asks,
        concede(body: JsonObject, { status, words }: { readonly status: number | undefined; readonly words: string }): boolean {
          if (!asks || body.include === undefined || status !== 400 || !/encrypted|include/i.test(words)) return false;
          asks = false;
          return true;
        },
        learn(): void {
          known = asks;
        },
      };
    },
  };
}
