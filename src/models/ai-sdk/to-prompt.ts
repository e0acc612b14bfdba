import type { ChatMessage, ModelToolCall, ProviderData } from '../../core/ports/chat-model.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { MessageFile } from '../../core/ports/message-file.ts';
import { isObject } from '../../core/util/is-object.ts';
import { jsonOrText } from '../../core/util/parse-json.ts';
import type { AssistantMessage } from '../assistant-message.ts';
import { withToolFilesAfter } from '../message-files.ts';
import type { WireNames } from '../openai/wire-names.ts';
import type { AiSdkMessage, AiSdkPart, AiSdkProviderOptions, AiSdkToolOutput } from './language-model.ts';

export interface ToPromptOptions {
  /** Origin of the provider data to send. */
  readonly from: string;
  readonly specificationVersion: string;
  /** Name of the provider, such as `openai.responses`. */
  readonly provider: string;
  readonly names: WireNames;
}

/** Converts a conversation to the prompt of a language model. Consecutive tool results become one message. */
export function toPrompt(messages: readonly ChatMessage[], options: ToPromptOptions): AiSdkMessage[] {
  const prompt: AiSdkMessage[] = [];
  const called = new Map<string, string>();
  for (const message of withToolFilesAfter(messages, (file) => !isShownInResult(file, options))) {
    switch (message.role) {
      case 'system':
        prompt.push({ role: 'system', content: message.content });
        break;
      case 'user': {
        const text: AiSdkPart[] = message.content === '' ? [] : [{ type: 'text', text: message.content }];
        const files = (message.files ?? []).map((file) => toFilePart(file, options));
        prompt.push({ role: 'user', content: [...text, ...files] });
        break;
      }
      case 'assistant':
        for (const { id, name } of message.toolCalls ?? []) called.set(id, options.names.toWire(name));
        prompt.push({ role: 'assistant', content: assistantParts(message, options) });
        break;
      case 'tool': {
        const { callId } = message;
        const toolName = called.get(callId) ?? 'unknown';
        const part: AiSdkPart = {
          type: 'tool-result',
          toolCallId: options.names.callId(callId),
          toolName,
          output: toToolOutput(message, options),
        };
        const last = prompt.at(-1);
        if (last?.role === 'tool') last.content.push(part);
        else prompt.push({ role: 'tool', content: [part] });
      }
    }
  }
  return prompt;
}

/** Providers that show the files of tool results as such. Others drop them, or send their base64 as text. */
const showsToolFiles = /(?:^|\.)anthropic\.messages$|(?:openai|azure)\.responses$/i;

const isShownInResult = ({ mediaType }: MessageFile, { provider }: ToPromptOptions): boolean =>
  showsToolFiles.test(provider) && (mediaType.startsWith('image/') || mediaType === 'application/pdf');

function toToolOutput(
  { content, files = [] }: Extract<ChatMessage, { role: 'tool' }>,
  { specificationVersion }: ToPromptOptions,
): AiSdkToolOutput {
  if (files.length === 0) return { type: 'text', value: content };
  const parts = files.map(({ mediaType, data, name }) => {
    const common = { mediaType, ...(name === undefined ? {} : { filename: name }) };
    if (specificationVersion !== 'v3') return { type: 'file' as const, ...common, data: { type: 'data' as const, data } };
    return mediaType.startsWith('image/')
      ? { type: 'image-data' as const, mediaType, data }
      : { type: 'file-data' as const, ...common, data };
  });
  return { type: 'content', value: [...(content === '' ? [] : [{ type: 'text' as const, text: content }]), ...parts] };
}

const toFilePart = ({ mediaType, data, name }: MessageFile, { specificationVersion }: ToPromptOptions): AiSdkPart => ({
  type: 'file',
  mediaType,
  ...(name === undefined ? {} : { filename: name }),
  data: specificationVersion === 'v3' ? data : { type: 'data', data },
});

/** Adds the provider data in its original places, if the message is unchanged since the provider sent it. */
function assistantParts(message: AssistantMessage, options: ToPromptOptions): AiSdkPart[] {
  const { content, toolCalls = [], providerData } = message;
  const plain = (): AiSdkPart[] => [
    ...(content === '' ? [] : [{ type: 'text', text: content } as const]),
    ...toolCalls.map((call) => toCallPart(call, options)),
  ];
  return (providerData?.from === options.from && withProviderData(message, providerData, options)) || plain();
}

const toCallPart = (
  { id, name, arguments: argsText }: ModelToolCall,
  { names }: ToPromptOptions,
  own?: AiSdkProviderOptions,
): AiSdkPart => ({
  type: 'tool-call',
  toolCallId: names.callId(id),
  toolName: names.toWire(name),
  input: parsed(argsText),
  ...(own ? { providerOptions: own } : {}),
});

/** Returns `undefined` if a part of the message is missing. */
function withProviderData({ content, toolCalls = [] }: AssistantMessage, { data }: ProviderData, options: ToPromptOptions) {
  const kept: readonly Json[] = Array.isArray(data.parts) ? data.parts : [];
  const parts: AiSdkPart[] = [];
  const left = new Map(toolCalls.map((call) => [call.id, call]));
  let at = 0;
  for (const part of kept) {
    if (!isObject(part)) return undefined;
    const own = isObject(part.providerOptions) ? { providerOptions: part.providerOptions as AiSdkProviderOptions } : {};
    if (part.type === 'text' && typeof part.length === 'number') {
      parts.push({ type: 'text', text: content.slice(at, at + part.length), ...own });
      at += part.length;
    } else if (part.type === 'tool-call' && part.providerExecuted !== true) {
      const call = left.get(String(part.toolCallId));
      if (!call) return undefined;
      left.delete(call.id);
      parts.push(toCallPart(call, options, own.providerOptions));
    } else parts.push(part);
  }
  return at === content.length && left.size === 0 ? parts : undefined;
}

/** Parses arguments; invalid JSON stays text. */
const parsed = (argsText: string): Json => (argsText.trim() === '' ? {} : jsonOrText(argsText));

/** Builds the data that `withProviderData` reads. Returns `undefined` if the provider expects nothing back. */
export function toProviderData(from: string, parts: readonly JsonObject[]): ProviderData | undefined {
  const wantsBack = parts.some(({ type, providerOptions, providerExecuted }) =>
    type === 'text' || (type === 'tool-call' && providerExecuted !== true) ? providerOptions !== undefined : true,
  );
  return wantsBack ? { from, data: { parts } } : undefined;
}
