import OpenAI from 'openai';
import { WorkflowError } from '../../errors.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../../ports/chat-model.ts';
import { checkInteger, checkTimeout } from '../../util/check-integer.ts';
import { parseChunk } from './openai-chunk.ts';
import { type ErrorContext, fromClientError, streamCut } from './openai-error.ts';
import { openaiReply } from './openai-reply.ts';
import { toCompletionBody } from './openai-request.ts';
import { readResponseText } from './response-text.ts';
import { readServerSentEvents } from './server-sent-events.ts';
import { type WireNames, wireNames } from './wire-names.ts';

export interface OpenaiModelOptions {
  /** The provider's id of the model, for example `gpt-5-mini`. */
  readonly model: string;
  /** Default: the environment's `OPENAI_API_KEY`. A server that wants none still needs some text here. */
  readonly apiKey?: string;
  /** Where an OpenAI-compatible server is, for example `http://localhost:11434/v1`. Default: `OPENAI_BASE_URL`, else OpenAI. */
  readonly baseURL?: string;
  /** A client that you have made, for example for Azure or a browser: instead of `apiKey` and `baseURL`. */
  readonly client?: OpenAI;
  /** Shown in events and errors. Default: `model`. */
  readonly name?: string;
  /** How long one attempt may take until the response begins, and then until its first bytes, in milliseconds. @default 120_000 */
  readonly timeoutMs?: number;
  /** How long the stream may pause, in milliseconds. Raise it for models that think for long between two tokens. @default 30_000 */
  readonly idleTimeoutMs?: number;
  /** Attempts after the first when the response does not begin; once it has begun, none. @default 2 */
  readonly maxRetries?: number;
  /** False for a server that cannot stream, or does it wrongly: the text then arrives in one piece. @default true */
  readonly stream?: boolean;
  /** False for a server without JSON Schema output: it is asked for JSON, with the schema in the system message. @default true */
  readonly jsonSchema?: boolean;
}

/**
 * Makes a model that asks OpenAI, or a server that speaks its chat-completions protocol. Streamed replies must end with `[DONE]`: without
 * it, nobody can tell a reply from the first half of one.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for options that do not fit together, and without a key.
 * @example
 * const model = openaiModel({ model: 'gpt-5-mini' });
 * const local = openaiModel({ model: 'qwen3', baseURL: 'http://localhost:11434/v1', apiKey: 'none' });
 */
export function openaiModel(options: OpenaiModelOptions): ChatModel {
  const { model, name = model, stream = true, jsonSchema = true } = options;
  const timeoutMs = checkTimeout('timeoutMs', options.timeoutMs ?? 120_000);
  const idleTimeoutMs = checkTimeout('idleTimeoutMs', options.idleTimeoutMs ?? 30_000);
  const maxRetries = checkInteger('maxRetries', options.maxRetries ?? 2, { min: 0 });
  const client = toClient(options);
  const redact = (text: string): string => (client.apiKey ? text.replaceAll(client.apiKey, '[key]') : text);
  const context: ErrorContext = { name, maxRetries, redact };

  const begin = async (request: ChatRequest, names: WireNames): Promise<ReadableStream<Uint8Array>> => {
    const body = toCompletionBody(request, { model, name, stream, jsonSchema, names });
    const { signal } = request;
    try {
      // the raw response: the client's own reader hides comments, `[DONE]` and the difference between an end and an abort
      const response = await client.chat.completions.create(body, { signal, timeout: timeoutMs, maxRetries }).asResponse();
      if (response.body) return response.body;
    } catch (error) {
      signal?.throwIfAborted();
      throw fromClientError(error, context);
    }
    throw streamCut(context, 'the response is empty');
  };

  return {
    name,
    async generate(request): Promise<ChatReply> {
      const { signal, onToken } = request;
      const names = wireNames(request);
      const text = readResponseText(await begin(request, names), { firstBytesTimeoutMs: timeoutMs, idleTimeoutMs, context, signal });
      const reply = openaiReply(context, names);
      for await (const json of stream ? readChunks(text, context) : readWhole(text)) {
        const chunk = parseChunk(parseJson(json, context), context);
        reply.add(chunk);
        signal?.throwIfAborted();
        if (chunk.text !== '') onToken?.(chunk.text);
      }
      signal?.throwIfAborted();
      return reply.complete();
    },
  };
}

async function* readChunks(text: AsyncIterable<string>, context: ErrorContext): AsyncGenerator<string, void, undefined> {
  for await (const data of readServerSentEvents(text)) {
    if (data === '[DONE]') return;
    yield data;
  }
  throw streamCut(context, 'it ended without [DONE]');
}

async function* readWhole(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let whole = '';
  for await (const piece of text) whole += piece;
  yield whole;
}

function parseJson(text: string, context: ErrorContext): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw streamCut(context, 'a part of it is not JSON', cause);
  }
}

function toClient({ client, apiKey, baseURL }: OpenaiModelOptions): OpenAI {
  if (client && (apiKey !== undefined || baseURL !== undefined)) {
    throw optionInvalid('A client has its own key and address.', 'Pass client, or apiKey and baseURL, but not both.');
  }
  if (baseURL !== undefined && !URL.canParse(baseURL)) {
    throw optionInvalid(`The baseURL "${baseURL}" is not a URL.`, 'Pass one such as http://localhost:11434/v1.');
  }
  try {
    return client ?? new OpenAI({ apiKey, baseURL });
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw optionInvalid(`The client cannot be made: ${what}`, 'Pass apiKey or set OPENAI_API_KEY; for anything else, pass client.');
  }
}

const optionInvalid = (message: string, hint: string): WorkflowError => new WorkflowError({ code: 'OPTION_INVALID', message, hint });
