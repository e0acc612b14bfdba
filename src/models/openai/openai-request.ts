import type { ChatMessage, ChatOutput, ChatRequest, ModelTool, ModelToolCall } from '../../core/ports/chat-model.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { MessageFile } from '../../core/ports/message-file.ts';
import { isObject } from '../../core/util/is-object.ts';
import { ofTools, toolFilesInWords, withSupportedFiles, withToolFilesAfter } from '../message-files.ts';
import type { Concession } from './concessions.ts';
import { thinkingParts } from './openai-chunk.ts';
import { formatName, objectSchema, withInstruction } from './request-format.ts';
import { returnedData } from './returned-data.ts';
import { canBeStrict, strictForm } from './strict-schema.ts';
import type { WireNames } from './wire-names.ts';

/** The fields of a chat-completions request in use. */
export interface CompletionBody {
  model: string;
  messages: WireMessage[];
  stream: boolean;
  stream_options?: { include_usage: true };
  tools?: WireTool[];
  tool_choice?: 'auto' | 'none' | 'required';
  response_format?: WireFormat;
  temperature?: number;
  reasoning_effort?: string;
  max_completion_tokens?: number;
  max_tokens?: number;
}

type WireMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'user'; content: (FilePart | { type: 'text'; text: string })[] }
  | ({ role: 'assistant'; content: string | null | Json[]; tool_calls?: WireToolCall[] } & JsonObject)
  | { role: 'tool'; tool_call_id: string; content: string };

type WireToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } & JsonObject } & JsonObject;

interface WireTool {
  type: 'function';
  function: { name: string; description: string; parameters: { [key: string]: unknown } };
}

type WireFormat =
  | { type: 'json_object' }
  | { type: 'json_schema'; json_schema: { name: string; strict: boolean; schema: { [key: string]: unknown } } };

/** Options of a request that the APIs of OpenAI share. */
export interface RequestBodyOptions<TConcession> {
  /** Id of the model at the provider. */
  readonly model: string;
  /** Name of the model in errors. */
  readonly name: string;
  /** Provider and model; only provider data of the same origin is sent. */
  readonly from: string;
  readonly stream: boolean;
  readonly names: WireNames;
  /** Features that the server does not support. */
  readonly conceded: ReadonlySet<TConcession>;
  readonly reasoningEffort?: string | undefined;
  readonly maxOutputTokens?: number | undefined;
}

export interface CompletionBodyOptions extends RequestBodyOptions<Concession> {
  readonly maxOutputTokensField: 'max_tokens' | 'max_completion_tokens';
}

/**
 * Converts a request to the provider's body. `task` and `deterministic` are left out.
 * @throws {WorkflowError} `MODEL_REQUEST_REFUSED` for a schema that is `true` or `false`, which the provider cannot express;
 * `MODEL_INPUT_UNSUPPORTED` for an unsupported file.
 */
export function toCompletionBody(request: ChatRequest, options: CompletionBodyOptions): CompletionBody {
  const { tools = [], toolChoice, output = { type: 'text' }, temperature, maxOutputTokens = options.maxOutputTokens } = request;
  const { model, name, stream, names, conceded, reasoningEffort } = options;
  const format = formatOf(output, conceded);
  const includesUsage = stream && !conceded.has('stream_options');
  return {
    model,
    messages: inWords(shownMessages(request, options), output, format).map((message) => toWireMessage(message, options)),
    stream,
    ...(includesUsage ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length > 0 ? { tools: tools.map((tool) => toWireTool({ ...tool, name: names.toWire(tool.name) }, name)) } : {}),
    // without tools, providers reject even `none`; `required` is sent anyway, for the provider to reject
    ...(toolChoice && (tools.length > 0 || toolChoice === 'required') ? { tool_choice: toolChoice } : {}),
    ...(output.type === 'text' || format === 'text' ? {} : { response_format: toWireFormat(output, format, name) }),
    ...(temperature === undefined || conceded.has('temperature') ? {} : { temperature }),
    ...(reasoningEffort === undefined ? {} : { reasoning_effort: reasoningEffort }),
    ...(maxOutputTokens === undefined ? {} : { [tokensField(options)]: maxOutputTokens }),
  };
}

/** Tool messages are only text in this protocol, so the files of results follow in a user message. */
function shownMessages({ messages }: ChatRequest, { name, conceded }: CompletionBodyOptions): readonly ChatMessage[] {
  if (conceded.has('tool_files')) return withSupportedFiles(toolFilesInWords(messages), { model: name, supports: supportsFile });
  return withToolFilesAfter(withSupportedFiles(messages, { model: name, supports: supportsFile }));
}

/** True for a message with files of tool results. */
export const holdsToolFiles = ({ role, content }: WireMessage): boolean =>
  role === 'user' && Array.isArray(content) && content.some((part) => part.type === 'text' && part.text === ofTools);

function tokensField({ maxOutputTokensField, conceded }: CompletionBodyOptions): 'max_tokens' | 'max_completion_tokens' {
  if (!conceded.has(maxOutputTokensField)) return maxOutputTokensField;
  return maxOutputTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens';
}

/** Returns the strictest output format that the server is not known to reject. */
function formatOf(output: ChatOutput, conceded: ReadonlySet<Concession>): 'text' | 'json_object' | 'json_schema' {
  if (output.type === 'text') return 'text';
  const isSchema = output.type === 'json-schema' && !conceded.has('json_schema') && !conceded.has(`json_schema:${formatName(output.name)}`);
  if (isSchema) return 'json_schema';
  return conceded.has('json_object') ? 'text' : 'json_object';
}

function toWireMessage(message: ChatMessage, { names, from, conceded }: CompletionBodyOptions): WireMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user': {
      const { content, files = [] } = message;
      if (files.length === 0) return { role: 'user', content };
      return { role: 'user', content: [...(content === '' ? [] : [{ type: 'text', text: content } as const]), ...files.map(toFilePart)] };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: names.callId(message.callId), content: message.content };
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      const returned = returnedData(message, from);
      const { [thinkingParts]: thoughts, ...fields } = conceded.has('reasoning') ? {} : returned.message;
      const blank: JsonObject = conceded.has('reasoning_missing') ? { reasoning_content: '' } : {};
      const text = toolCalls.length > 0 && content === '' ? null : content;
      return {
        ...blank,
        ...fields,
        role: 'assistant',
        content: Array.isArray(thoughts) ? [...thoughts, ...(content === '' ? [] : [{ type: 'text', text: content }])] : text,
        ...(toolCalls.length > 0 ? { tool_calls: toolCalls.map((call) => toWireCall(call, names, returned.call(call.id))) } : {}),
      };
    }
  }
}

function toWireCall({ id, name, arguments: argsText }: ModelToolCall, { toWire, callId }: WireNames, returned: JsonObject): WireToolCall {
  const ofFunction = isObject(returned.function) ? returned.function : {};
  return { ...returned, id: callId(id), type: 'function', function: { ...ofFunction, name: toWire(name), arguments: argsText } };
}

function toWireTool({ name, description, inputSchema }: ModelTool, model: string): WireTool {
  return {
    type: 'function',
    function: { name, description, parameters: objectSchema(inputSchema, `the tool "${name}"`, { name: model }) },
  };
}

function toWireFormat(output: Exclude<ChatOutput, { type: 'text' }>, format: 'json_object' | 'json_schema', model: string): WireFormat {
  if (output.type === 'json' || format === 'json_object') return { type: 'json_object' };
  const { name } = output;
  const schema = strictForm(objectSchema(output.schema, `the output "${name}"`, { name: model }));
  return { type: 'json_schema', json_schema: { name: formatName(name), strict: canBeStrict(schema), schema } };
}

/** Adds the requirements that the format does not express. For `json_object`, some providers require the word JSON in the messages. */
function inWords(messages: readonly ChatMessage[], output: ChatOutput, format: string): readonly ChatMessage[] {
  if (output.type === 'json-schema' && format !== 'json_schema') {
    const schema = JSON.stringify(output.schema);
    return withInstruction(messages, `Answer with one JSON value that conforms to this JSON Schema, and with nothing else:\n${schema}`);
  }
  if (output.type !== 'json' || messages.some(({ content }) => /json/i.test(content))) return messages;
  return withInstruction(messages, 'Answer with one JSON value, and with nothing else.');
}

/** A file of a user's message, in chat-completions form. */
type FilePart =
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } };

const audioFormats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
};

/** Image types that every vision model accepts; support for others is unknown. */
const images = /^image\/(?:png|jpe?g|gif|webp)$/;

/** True for a file type that chat completions support: images, PDF, and audio as WAV or MP3. The model itself may still reject it. */
const supportsFile = ({ mediaType }: MessageFile): boolean =>
  images.test(mediaType) || mediaType === 'application/pdf' || Object.hasOwn(audioFormats, mediaType);

/** @param file Must satisfy `supportsFile`. */
function toFilePart(file: MessageFile): FilePart {
  const { mediaType, data, name } = file;
  const format = audioFormats[mediaType];
  if (format) return { type: 'input_audio', input_audio: { data, format } };
  if (images.test(mediaType)) return { type: 'image_url', image_url: { url: toDataUrl(file) } };
  return { type: 'file', file: { filename: name ?? 'file.pdf', file_data: toDataUrl(file) } };
}

const toDataUrl = ({ mediaType, data }: MessageFile): string => `data:${mediaType};base64,${data}`;
