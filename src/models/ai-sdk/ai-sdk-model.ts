import { WorkflowError } from '../../core/errors/errors.ts';
import { redactSecrets } from '../../core/errors/redact-secrets.ts';
import type { ChatMessage, ChatModel, ChatReply, ChatRequest } from '../../core/ports/chat-model.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { TokenUsage } from '../../core/ports/run-event.ts';
import { addUsage } from '../../core/util/add-usage.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { isObject } from '../../core/util/is-object.ts';
import { noUsage } from '../../core/util/no-usage.ts';
import { pause } from '../../core/util/pause.ts';
import { untilAborted } from '../../core/util/until-aborted.ts';
import { filesOf, withoutFiles } from '../../core/util/without-files.ts';
import { isAboutFiles, toolFilesInWords } from '../message-files.ts';
import { type ErrorContext, streamCut } from '../openai/openai-error.ts';
import { formatName, objectSchema, withInstruction } from '../openai/request-format.ts';
import { callIdForm, callIdForms, type WireNames, wireNames } from '../openai/wire-names.ts';
import { checkRemoteOptions, type RemoteModelOptions } from '../remote-model-options.ts';
import { type ReplyClock, replyClock } from '../reply-clock.ts';
import { retryPauses } from '../retry-pauses.ts';
import { withUsage } from '../spent-usage.ts';
import { withoutKeys } from '../without-keys.ts';
import { fromAiSdkError } from './ai-sdk-error.ts';
import { type AiSdkReply, aiSdkReply } from './ai-sdk-reply.ts';
import type { AiSdkCallOptions, AiSdkLanguageModel, AiSdkProviderOptions, AiSdkReasoning } from './language-model.ts';
import { toPrompt } from './to-prompt.ts';

export type { AiSdkCallOptions, AiSdkLanguageModel, AiSdkProviderOptions, AiSdkReasoning } from './language-model.ts';

export interface AiSdkModelOptions extends Omit<RemoteModelOptions, 'extraBody' | 'reasoningEffort'> {
  /** False for a provider whose streaming is missing or broken: the text then arrives in one piece. @default true */
  readonly stream?: boolean;
  /** Reasoning effort, for providers with such a setting. Default: the provider's. */
  readonly reasoningEffort?: AiSdkReasoning;
  /**
   * Options sent with every request to the named provider, for example `{ anthropic: { thinking: { type: 'enabled', budgetTokens: 2_000 } }
   * }`.
   */
  readonly providerOptions?: AiSdkProviderOptions;
}

/**
 * Wraps an AI SDK language model of specification v4 or v3, such as `anthropic('claude-sonnet-5')` from `@ai-sdk/anthropic`. Only the
 * provider's own package is needed.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for invalid options, and for a value that is not such a language model.
 * @example
 * import { google } from '@ai-sdk/google';
 * const model = aiSdkModel(google('gemini-3-flash'));
 */
export function aiSdkModel(languageModel: AiSdkLanguageModel, options: AiSdkModelOptions = {}): ChatModel {
  checkLanguageModel(languageModel);
  const { provider, modelId } = languageModel;
  const { name = modelId, stream = true } = options;
  const settings = checkRemoteOptions(options);
  const context = { name, redact: (text: string) => redactSecrets(text, settings.secrets) };
  const from = `ai-sdk ${provider} ${modelId}`;
  const callIds = callIdForm(provider, modelId, callIdForms.aiSdk);
  /** True once the provider has reported that it does not forward schemas. */
  let schemaInPrompt = false;

  /** Returns the reply, or the usage of a reply that ignored the schema. */
  const attempt = async (
    request: ChatRequest,
    names: WireNames,
    clock: ReplyClock,
  ): Promise<ChatReply | { readonly spent: TokenUsage }> => {
    const inPrompt = schemaInPrompt;
    const call = toCall(request, { languageModel, from, names, inPrompt, options, name });
    const reply = aiSdkReply({ context, names, from, onToken: request.onToken, onReasoning: request.onReasoning });
    const isIgnored = (): boolean => request.output?.type === 'json-schema' && !inPrompt && reply.ignoresSchema;
    clock.attempt();
    try {
      await (stream ? readStream : readWhole)({ languageModel, call, reply, clock, context, until: isIgnored });
    } catch (error) {
      clock.signal.throwIfAborted();
      throw withUsage(fromAiSdkError(error, context, { begun: reply.begun }), reply.usage);
    }
    if (isIgnored()) return { spent: addUsage(noUsage, reply.usage) };
    try {
      return reply.complete();
    } catch (error) {
      throw withUsage(error, reply.usage);
    }
  };

  const chatModel: ChatModel = {
    name,
    ...(options.maxOutputTokens === undefined ? {} : { maxOutputTokens: options.maxOutputTokens }),
    async generate(request): Promise<ChatReply> {
      const { signal } = request;
      signal?.throwIfAborted();
      const names = wireNames(request, callIds);
      const clock = replyClock(settings.limits, { name, signal, clock: settings.clock });
      const pauseAfter = retryPauses(settings);
      let asked = request;
      let spent: TokenUsage = noUsage;
      try {
        for (;;) {
          try {
            const reply = await attempt(asked, names, clock);
            if (!('spent' in reply)) return spent === noUsage ? reply : { ...reply, usage: addUsage(reply.usage, spent) };
            spent = addUsage(spent, reply.spent);
            schemaInPrompt = true; // retries at once with the schema in the prompt
          } catch (error) {
            clock.signal.throwIfAborted();
            const messages = withFewerFiles(asked.messages, error);
            if (messages) {
              asked = { ...asked, messages };
              continue;
            }
            if (!hasCode(error, 'MODEL_UNAVAILABLE')) throw error;
            const delayMs = pauseAfter(error);
            clock.rest();
            await pause(delayMs, settings.clock, clock.signal);
          }
        }
      } finally {
        clock.stop();
      }
    },
  };
  return withoutKeys(chatModel, settings.keys);
}

/**
 * Messages for a retry after the provider has refused a file: first without the files of tool results, then without those of earlier
 * messages, so that the conversation continues. `undefined` if it has refused something else, or a file of the question.
 */
function withFewerFiles(messages: readonly ChatMessage[], error: unknown): readonly ChatMessage[] | undefined {
  const isFile = hasCode(error, 'MODEL_INPUT_UNSUPPORTED');
  const hasToolFiles = messages.some((message) => message.role === 'tool' && filesOf(message).length > 0);
  if (hasToolFiles && (isFile || (hasCode(error, 'MODEL_REQUEST_REFUSED') && isAboutFiles(error.message))))
    return toolFilesInWords(messages);
  const last = messages.findLast(({ role }) => role === 'user');
  const isEarlier = (!last || filesOf(last).length === 0) && messages.some((message) => filesOf(message).length > 0);
  return isFile && isEarlier ? messages.map(withoutFiles) : undefined;
}

function checkLanguageModel(value: unknown): void {
  const model = isObject(value) || typeof value === 'function' ? (value as Partial<AiSdkLanguageModel>) : {};
  const version = model.specificationVersion;
  if ((version === 'v4' || version === 'v3') && typeof model.doGenerate === 'function' && typeof model.doStream === 'function') return;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message:
      typeof version === 'string'
        ? `The language model implements version ${version} of the AI SDK's specification.`
        : `${typeof value === 'string' ? `"${value}"` : 'The value'} is not a language model of the AI SDK.`,
    hint: "Pass a model of specification v4 or v3, for example openai('gpt-5') of @ai-sdk/openai.",
  });
}

interface CallSettings {
  readonly languageModel: AiSdkLanguageModel;
  readonly from: string;
  readonly name: string;
  readonly names: WireNames;
  /** True when the schema goes into the system message. */
  readonly inPrompt: boolean;
  readonly options: AiSdkModelOptions;
}

function toCall(request: ChatRequest, { languageModel, from, name, names, inPrompt, options }: CallSettings): AiSdkCallOptions {
  const { tools = [], toolChoice, output = { type: 'text' }, temperature, maxOutputTokens = options.maxOutputTokens } = request;
  const schema = output.type === 'json-schema' ? objectSchema(output.schema, `the output "${output.name}"`, { name }) : undefined;
  const messages = schema && inPrompt ? withSchema(request.messages, schema) : request.messages;
  const { specificationVersion } = languageModel;
  const { reasoningEffort, providerOptions, headers } = options;
  return {
    prompt: toPrompt(messages, { from, specificationVersion, provider: languageModel.provider, names }),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name: tool, description, inputSchema }) => ({
            type: 'function',
            name: names.toWire(tool),
            description,
            inputSchema: objectSchema(inputSchema, `the tool "${tool}"`, { name }),
          })),
          toolChoice: { type: toolChoice ?? 'auto' },
        }
      : {}),
    ...(output.type === 'text'
      ? {}
      : { responseFormat: { type: 'json', ...(schema && !inPrompt ? { schema, name: outputName(output) } : {}) } }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(reasoningEffort === undefined ? {} : { reasoning: reasoningEffort }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
}

const outputName = (output: object): string => ('name' in output ? formatName(String(output.name)) : 'response');

const withSchema = (messages: readonly ChatMessage[], schema: JsonObject): readonly ChatMessage[] =>
  withInstruction(
    messages,
    `Answer with one JSON value that conforms to this JSON Schema, and with nothing else:
${JSON.stringify(schema)}`,
  );

interface ReplyContext {
  readonly languageModel: AiSdkLanguageModel;
  readonly call: AiSdkCallOptions;
  readonly reply: AiSdkReply;
  readonly clock: ReplyClock;
  readonly context: ErrorContext;
  /** True once the rest of the reply is no longer needed. */
  readonly until: () => boolean;
}

async function readWhole({ languageModel, call, reply, clock, context }: ReplyContext): Promise<void> {
  const abort = new AbortController();
  const abortSignal = AbortSignal.any([clock.signal, abort.signal]);
  try {
    const result: unknown = await untilAborted(asPromise(languageModel.doGenerate({ ...call, abortSignal })), clock.signal);
    if (!isObject(result)) throw streamCut(context, 'it is not an object');
    reply.finish(result); // its warnings decide whether the rest is usable
    if (isObject(result.response)) reply.add({ ...result.response, type: 'response-metadata' });
    for (const part of Array.isArray(result.content) ? result.content : []) if (isObject(part)) reply.add(part);
  } finally {
    abort.abort(new Error('The reply has ended.')); // stops any remaining work of the provider
  }
}

/** Reads a stream part by part, and always closes it. */
async function readStream({ languageModel, call, reply, clock, context, until }: ReplyContext): Promise<void> {
  const abort = new AbortController();
  const abortSignal = AbortSignal.any([clock.signal, abort.signal]);
  let reader: ReadableStreamDefaultReader<object> | undefined;
  try {
    const asked = asPromise(languageModel.doStream({ ...call, abortSignal }));
    // the stream may arrive after the wait was aborted
    const close = (): void => void asked.then(({ stream }) => stream.cancel()).catch(() => {});
    const { stream } = await untilAborted(asked, clock.signal, close);
    reader = stream.getReader();
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), clock.signal);
      clock.signal.throwIfAborted();
      if (done) return;
      clock.heard();
      if (!isObject(value)) continue;
      if (value.type === 'error') throw fromAiSdkError(value.error, context, { begun: reply.begun });
      if (value.type === 'finish') reply.finish(value);
      else reply.add(value);
      if (until()) return;
    }
  } finally {
    void reader?.cancel().catch(() => {}); // also closes a stream that is already broken
    abort.abort(new Error('The reply has ended.'));
  }
}

const asPromise = async <T>(value: PromiseLike<T>): Promise<T> => value;
