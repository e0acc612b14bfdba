import type OpenAI from 'openai';
import { redactSecrets } from '../../core/errors/redact-secrets.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../../core/ports/chat-model.ts';
import { isObject } from '../../core/util/is-object.ts';
import { mergeJson } from '../../core/util/merge-json.ts';
import { parseJson } from '../../core/util/parse-json.ts';
import { checkRemoteOptions } from '../remote-model-options.ts';
import { replyClock } from '../reply-clock.ts';
import { withUsage } from '../spent-usage.ts';
import { withoutKeys } from '../without-keys.ts';
import { type Concession, concessions, refusedFeature } from './concessions.ts';
import { type OpenaiChunk, parseChunk } from './openai-chunk.ts';
import { checkExtraBody, hostOf, type OpenaiRemoteOptions, toClient } from './openai-client.ts';
import { type ErrorContext, streamCut } from './openai-error.ts';
import { openaiReply } from './openai-reply.ts';
import { type CompletionBody, toCompletionBody } from './openai-request.ts';
import { readReply } from './read-reply.ts';
import type { ReplyData } from './reply-data.ts';
import { requestCompletion } from './request-completion.ts';
import { callIdForm, callIdForms, wireNames } from './wire-names.ts';

export interface OpenaiModelOptions extends OpenaiRemoteOptions {
  /**
   * False for a server without JSON Schema output: the request then asks for JSON, with the schema in the system message. If true, missing
   * support is detected once. @default true
   */
  readonly jsonSchema?: boolean;
  /** Name of the field for the reply limit. Default: `max_completion_tokens` for OpenAI's o- and gpt-5 families, else `max_tokens`. */
  readonly maxOutputTokensField?: 'max_tokens' | 'max_completion_tokens';
}

/**
 * Creates a model for OpenAI, or for a server with its chat-completions protocol. A streamed reply must have a finish reason: without it, a
 * whole reply is indistinguishable from a cut one.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for conflicting options, and without a key.
 * @example
 * const model = openaiModel({ model: 'gpt-5-mini' });
 * const local = openaiModel({ model: 'qwen3', baseURL: 'http://localhost:11434/v1', apiKey: 'none' });
 */
export function openaiModel(options: OpenaiModelOptions): ChatModel {
  const { model, name = model, stream = true, extraBody = {}, reasoningEffort, maxOutputTokens } = options;
  const settings = checkRemoteOptions(options);
  checkExtraBody(extraBody, ['messages', 'stream']);
  const client = toClient(options);
  const context: ErrorContext = { name, redact: (text) => redactSecrets(text, [client.apiKey ?? '', ...settings.secrets]) };
  const from = `${hostOf(client.baseURL)} ${model}`;
  const callIds = callIdForm(hostOf(client.baseURL), model, callIdForms.completions);
  const known = concessions<CompletionBody, Concession>(refusedFeature, options.jsonSchema === false ? ['json_schema'] : []);
  const maxOutputTokensField = options.maxOutputTokensField ?? tokensFieldOf(model);
  const bound = [extraBody[maxOutputTokensField], maxOutputTokens].find((one) => typeof one === 'number');

  const chatModel: ChatModel = {
    name,
    ...(bound === undefined ? {} : { maxOutputTokens: bound }),
    async generate(request): Promise<ChatReply> {
      const { signal } = request;
      const names = wireNames(request, callIds);
      const attempt = known.attempt();
      const fixed = { model, name, from, stream, names, reasoningEffort, maxOutputTokens, maxOutputTokensField };
      const bodyOf = (): CompletionBody => mergeJson(toCompletionBody(request, { ...fixed, conceded: attempt.all }), extraBody);
      const send = (body: CompletionBody, sending: OpenAI.RequestOptions): Promise<Response> =>
        client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming, sending).asResponse();
      const reply = openaiReply({ context, names, from, callsBefore: callsIn(request) });
      const clock = replyClock(settings.limits, { name, signal, clock: settings.clock });
      try {
        const response = await requestCompletion({ send, bodyOf, attempt, clock, context, settings });
        if (!response.body) throw streamCut(context, 'the response is empty');
        const emit = (pieces: ReturnType<typeof reply.add>): void => {
          for (const { kind, text } of pieces) {
            signal?.throwIfAborted();
            if (kind === 'text') request.onToken?.(text);
            else request.onReasoning?.(text);
          }
        };
        await readReply(response.body, {
          context,
          clock,
          isFinished: () => reply.isFinished,
          take: (data, isLast) => {
            const chunk = readChunk(data, context, isLast && reply.isFinished);
            if (chunk === 'end') return true;
            if (chunk) emit(reply.add(chunk));
            if (chunk && reply.isFinished) clock.heard(Math.min(settings.limits.idleTimeoutMs, graceMs));
            return false;
          },
        });
        emit(reply.rest());
        signal?.throwIfAborted();
        return reply.complete();
      } catch (error) {
        throw signal?.aborted ? error : withUsage(error, reply.usage);
      } finally {
        clock.stop();
      }
    },
  };
  return withoutKeys(chatModel, [client.apiKey ?? '', ...settings.keys]);
}

/**
 * Returns the chunk of an event, `end` for the sign of the end, and `undefined` if there is none.
 *
 * @param maybeCut The last event of a finished reply may be incomplete.
 * @throws {WorkflowError} `MODEL_STREAM_CUT`, `MODEL_REQUEST_REFUSED`.
 */
function readChunk({ data, isDocument }: ReplyData, context: ErrorContext, maybeCut: boolean): OpenaiChunk | 'end' | undefined {
  const value = parseJson(data);
  if (isObject(value)) return parseChunk(value, context, isDocument);
  if (/^"?\[DONE\]"?$/i.test(data.trim())) return 'end';
  if (data.trim() === '') return undefined;
  if (value !== undefined) return parseChunk(value, context, isDocument);
  if (maybeCut) return undefined;
  throw streamCut(context, 'a part of it is not JSON');
}

/** Time limit of the usage and the end of a stream after the finish reason, in milliseconds. */
const graceMs = 10_000;

const callsIn = ({ messages }: ChatRequest): number =>
  messages.reduce((count, message) => count + (message.role === 'assistant' ? (message.toolCalls?.length ?? 0) : 0), 0);

/** OpenAI's reasoning models count their reasoning tokens and reject `max_tokens`; most other servers support only `max_tokens`. */
const tokensFieldOf = (model: string): 'max_tokens' | 'max_completion_tokens' =>
  /(?:^|[/:])(?:o[1-9](?:$|[-:])|gpt-(?:[5-9]|\d\d))/i.test(model) ? 'max_completion_tokens' : 'max_tokens';
