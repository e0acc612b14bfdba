import type OpenAI from 'openai';
import { redactSecrets } from '../../core/errors/redact-secrets.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../../core/ports/chat-model.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { mergeJson } from '../../core/util/merge-json.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { isAboutFiles } from '../message-files.ts';
import { concessions } from '../openai/concessions.ts';
import { checkExtraBody, hostOf, type OpenaiRemoteOptions, toClient } from '../openai/openai-client.ts';
import { type ErrorContext, type Refusal, streamCut } from '../openai/openai-error.ts';
import { readReply } from '../openai/read-reply.ts';
import type { ReplyData } from '../openai/reply-data.ts';
import { requestCompletion } from '../openai/request-completion.ts';
import type { ReplyPiece } from '../openai/think-tags.ts';
import { callIdForms, wireNames } from '../openai/wire-names.ts';
import { checkRemoteOptions } from '../remote-model-options.ts';
import { type ReplyClock, replyClock } from '../reply-clock.ts';
import { withUsage } from '../spent-usage.ts';
import { withoutKeys } from '../without-keys.ts';
import { type ResponsesConcession, toResponsesBody } from './responses-body.ts';
import { type ResponsesReply, responsesReply } from './responses-reply.ts';

export interface OpenaiResponsesModelOptions extends OpenaiRemoteOptions {
  /** Shows a summary of the model's reasoning. Default: none, because OpenAI shows it to verified organisations only. */
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed';
}

/**
 * Creates a model for OpenAI's Responses API. The provider stores nothing (`store: false`). The model's reasoning arrives encrypted, is
 * stored with its message, and is sent back with it.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for conflicting options, and without a key.
 * @example const model = openaiResponsesModel({ model: 'gpt-5-mini', reasoningEffort: 'low' });
 */
export function openaiResponsesModel(options: OpenaiResponsesModelOptions): ChatModel {
  const { model, name = model, stream = true, extraBody = {}, reasoningEffort, reasoningSummary, maxOutputTokens } = options;
  const settings = checkRemoteOptions(options);
  checkExtraBody(extraBody, ['input', 'stream']);
  const client = toClient(options);
  const context: ErrorContext = { name, redact: (text) => redactSecrets(text, [client.apiKey ?? '', ...settings.secrets]) };
  const from = `${hostOf(client.baseURL)} responses ${model}`;
  const known = concessions(refusedField);
  const bound = [extraBody.max_output_tokens, maxOutputTokens].find((one) => typeof one === 'number');

  const chatModel: ChatModel = {
    name,
    ...(bound === undefined ? {} : { maxOutputTokens: bound }),
    async generate(request): Promise<ChatReply> {
      const { signal } = request;
      const names = wireNames(request, callIdForms.responses);
      const attempt = known.attempt();
      const fixed = { model, name, from, stream, names, reasoningEffort, reasoningSummary, maxOutputTokens };
      const bodyOf = (): JsonObject => mergeJson(toResponsesBody(request, { ...fixed, conceded: attempt.all }), extraBody);
      const reply = responsesReply({ context, names, from });
      const clock = replyClock(settings.limits, { name, signal, clock: settings.clock });
      try {
        const send = (body: JsonObject, sending: OpenAI.RequestOptions): Promise<Response> =>
          client.responses.create(body as OpenAI.Responses.ResponseCreateParamsNonStreaming, sending).asResponse();
        const response = await requestCompletion({ send, bodyOf, attempt, clock, context, settings });
        if (!response.body) throw streamCut(context, 'the response is empty');
        const shown = await readResponse(response.body, { reply, request, context, clock });
        signal?.throwIfAborted();
        const whole = reply.complete();
        if (shown === '' && whole.text !== '') request.onToken?.(whole.text);
        return whole;
      } catch (error) {
        throw signal?.aborted ? error : withUsage(error, reply.usage);
      } finally {
        clock.stop();
      }
    },
  };
  return withoutKeys(chatModel, [client.apiKey ?? '', ...settings.keys]);
}

interface ReplyContext {
  readonly reply: ResponsesReply;
  readonly request: ChatRequest;
  readonly context: ErrorContext;
  readonly clock: ReplyClock;
}

/** Reads until the response is complete, streamed or in one piece. Returns the text that was shown. */
async function readResponse(body: ReadableStream<Uint8Array>, { reply, request, context, clock }: ReplyContext): Promise<string> {
  let shown = '';
  const emit = ({ kind, text: piece }: ReplyPiece): void => {
    clock.signal.throwIfAborted();
    if (piece === '') return;
    if (kind === 'reasoning') request.onReasoning?.(piece);
    else {
      shown += piece;
      request.onToken?.(piece);
    }
  };
  const take = ({ data, isDocument }: ReplyData): boolean => {
    if (data.trim() === '' || data.trim() === '[DONE]') return false;
    const value = parse(data, context);
    if (isDocument) reply.finish(value);
    else reply.add(value).forEach(emit);
    return reply.isFinished;
  };
  await readReply(body, { context, clock, isFinished: () => false, take });
  return shown;
}

function parse(text: string, context: ErrorContext): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw streamCut(context, 'a part of it is not JSON');
}

const holdsToolFiles = ({ input }: JsonObject): boolean =>
  Array.isArray(input) && input.some((item) => isObject(item) && item.type === 'function_call_output' && Array.isArray(item.output));

function refusedField(body: JsonObject, { status, words }: Refusal): ResponsesConcession | undefined {
  if (status !== 400) return undefined;
  if (holdsToolFiles(body) && isAboutFiles(words)) return 'tool_files';
  if (body.include !== undefined && /encrypted|include/i.test(words)) return 'include';
  const isRefused = /unsupported|not supported|does not support/i.test(words);
  return body.temperature !== undefined && isRefused && words.includes('temperature') ? 'temperature' : undefined;
}
