import type { ChatMessage, ChatOutput, ChatRequest, ProviderData } from '../../core/ports/chat-model.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { MessageFile } from '../../core/ports/message-file.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { AssistantMessage } from '../assistant-message.ts';
import { toolFilesInWords, withSupportedFiles } from '../message-files.ts';
import type { ToolFilesConcession } from '../openai/concessions.ts';
import type { RequestBodyOptions } from '../openai/openai-request.ts';
import { formatName, objectSchema } from '../openai/request-format.ts';
import { canBeStrict, strictForm } from '../openai/strict-schema.ts';

/** `include`: a model without reasoning rejects a request for its reasoning. */
export type ResponsesConcession = 'include' | 'temperature' | ToolFilesConcession;

export interface ResponsesBodyOptions extends RequestBodyOptions<ResponsesConcession> {
  readonly reasoningSummary?: string | undefined;
}

/**
 * Converts a request to the body of the Responses API. The provider stores nothing: its own data is sent back with each request.
 * @throws {WorkflowError} `MODEL_REQUEST_REFUSED` for a schema that is `true` or `false`; `MODEL_INPUT_UNSUPPORTED` for a file that the API
 * does not support.
 */
export function toResponsesBody(request: ChatRequest, options: ResponsesBodyOptions): JsonObject {
  const { tools = [], toolChoice, output = { type: 'text' }, temperature, maxOutputTokens = options.maxOutputTokens } = request;
  const { model, name, stream, names, reasoningEffort: effort, reasoningSummary: summary } = options;
  const given = options.conceded.has('tool_files') ? toolFilesInWords(request.messages) : request.messages;
  const messages = inWords(withSupportedFiles(given, { model: name, supports: supportsFile }), output);
  return {
    model,
    input: messages.flatMap((message) => toItems(message, options)),
    stream,
    store: false,
    ...(!options.conceded.has('include') ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name: tool, description, inputSchema }) => ({
            type: 'function',
            name: names.toWire(tool),
            description,
            parameters: objectSchema(inputSchema, `the tool "${tool}"`, { name }),
            strict: false, // strict mode would require every argument
          })),
        }
      : {}),
    ...(toolChoice && (tools.length > 0 || toolChoice === 'required') ? { tool_choice: toolChoice } : {}),
    ...(output.type === 'text' ? {} : { text: { format: toFormat(output, name) } }),
    ...(temperature === undefined || options.conceded.has('temperature') ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(effort === undefined && summary === undefined
      ? {}
      : { reasoning: { ...(effort === undefined ? {} : { effort }), ...(summary === undefined ? {} : { summary }) } }),
  };
}

function toItems(message: ChatMessage, options: ResponsesBodyOptions): readonly JsonObject[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [{ role: 'user', content: toContent(message) }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: options.names.callId(message.callId), output: toContent(message) }];
    case 'assistant':
      return assistantItems(message, options);
  }
}

/** Text, or a list of parts if there are files. */
const toContent = ({ content, files = [] }: Extract<ChatMessage, { readonly role: 'user' | 'tool' }>): Json =>
  files.length === 0 ? content : [...(content === '' ? [] : [{ type: 'input_text', text: content }]), ...files.map(toPart)];

const images = /^image\/(?:png|jpe?g|gif|webp)$/;

const supportsFile = ({ mediaType }: MessageFile): boolean => images.test(mediaType) || mediaType === 'application/pdf';

function toPart({ mediaType, data, name }: MessageFile): JsonObject {
  const url = `data:${mediaType};base64,${data}`;
  if (images.test(mediaType)) return { type: 'input_image', detail: 'auto', image_url: url };
  return { type: 'input_file', filename: name ?? 'file.pdf', file_data: url };
}

/** Adds the provider data in its original places, if the message is unchanged since the provider sent it. */
function assistantItems(message: AssistantMessage, options: ResponsesBodyOptions): readonly JsonObject[] {
  const { content, toolCalls = [], providerData } = message;
  const own = providerData?.from === options.from ? withProviderData(message, providerData, options) : undefined;
  if (own) return own;
  return [...(content === '' ? [] : [{ role: 'assistant', content }]), ...toolCalls.map((call) => toCall(call, options))];
}

const toCall = (
  { id, name, arguments: argsText }: NonNullable<AssistantMessage['toolCalls']>[number],
  { names }: ResponsesBodyOptions,
): JsonObject => ({
  type: 'function_call',
  call_id: names.callId(id),
  name: names.toWire(name),
  arguments: argsText,
});

/** Returns `undefined` if a part of the message is missing. */
function withProviderData(message: AssistantMessage, { data }: ProviderData, options: ResponsesBodyOptions): JsonObject[] | undefined {
  const kept: readonly Json[] = Array.isArray(data.items) ? data.items : [];
  const items: JsonObject[] = [];
  const left = new Map((message.toolCalls ?? []).map((call) => [call.id, call]));
  let at = 0;
  for (const item of kept) {
    if (!isObject(item)) return undefined;
    if (item.type === 'message' && typeof item.length === 'number') {
      const text = message.content.slice(at, at + item.length);
      at += item.length;
      items.push({ role: 'assistant', content: text, ...(typeof item.phase === 'string' ? { phase: item.phase } : {}) });
    } else if (item.type === 'function_call') {
      const call = left.get(String(item.call_id));
      if (!call) return undefined;
      left.delete(call.id);
      items.push(toCall(call, options));
    } else items.push(item as JsonObject);
  }
  return at === message.content.length && left.size === 0 ? items : undefined;
}

function toFormat(output: Exclude<ChatOutput, { type: 'text' }>, model: string): JsonObject {
  if (output.type === 'json') return { type: 'json_object' };
  const { name } = output;
  const schema = strictForm(objectSchema(output.schema, `the output "${name}"`, { name: model }));
  return {
    type: 'json_schema',
    name: formatName(name),
    strict: canBeStrict(schema),
    schema,
  };
}

/** Adds an instruction, because the provider rejects JSON output unless a message mentions it. */
function inWords(messages: readonly ChatMessage[], output: ChatOutput): readonly ChatMessage[] {
  if (output.type !== 'json' || messages.some(({ content }) => /json/i.test(content))) return messages;
  return [{ role: 'system', content: 'Answer with one JSON value, and with nothing else.' }, ...messages];
}
