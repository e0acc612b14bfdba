import type { ChatMessage, ChatOutput, ChatRequest, ModelTool } from '../../ports/chat-model.ts';
import type { JsonObject, JsonSchema } from '../../ports/json.ts';
import { requestRefused } from './openai-error.ts';
import { canBeStrict } from './strict-schema.ts';
import type { WireNames } from './wire-names.ts';

/** The body of a chat-completions request, as far as we use it. */
export interface CompletionBody {
  model: string;
  messages: WireMessage[];
  stream: boolean;
  stream_options?: { include_usage: true };
  tools?: WireTool[];
  tool_choice?: 'auto' | 'none' | 'required';
  response_format?: WireFormat;
  temperature?: number;
  max_completion_tokens?: number;
}

type WireMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: WireToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

interface WireToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

interface WireTool {
  type: 'function';
  function: { name: string; description: string; parameters: { [key: string]: unknown } };
}

type WireFormat =
  | { type: 'json_object' }
  | { type: 'json_schema'; json_schema: { name: string; strict: boolean; schema: { [key: string]: unknown } } };

export interface CompletionBodyOptions {
  /** The provider's id of the model. */
  readonly model: string;
  /** The name of the model in errors. */
  readonly name: string;
  readonly stream: boolean;
  /** False: the server has no JSON Schema output. */
  readonly jsonSchema: boolean;
  readonly names: WireNames;
}

/**
 * Writes a request as the body that the provider is sent. `task` and `deterministic` are not part of it.
 * @throws {WorkflowError} `MODEL_REQUEST_REFUSED` for a schema that is `true` or `false`, which the provider has no word for.
 */
export function toCompletionBody(request: ChatRequest, { model, name, stream, jsonSchema, names }: CompletionBodyOptions): CompletionBody {
  const { messages, tools = [], toolChoice, output = { type: 'text' }, temperature, maxOutputTokens } = request;
  const inPrompt = output.type === 'json-schema' && !jsonSchema;
  return {
    model,
    messages: (inPrompt ? withSchema(messages, output.schema) : messages).map((message) => toWireMessage(message, names)),
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length > 0 ? { tools: tools.map((tool) => toWireTool({ ...tool, name: names.toWire(tool.name) }, name)) } : {}),
    // without tools, providers refuse even `none`; `required` is theirs to refuse
    ...(toolChoice && (tools.length > 0 || toolChoice === 'required') ? { tool_choice: toolChoice } : {}),
    ...(output.type === 'text' ? {} : { response_format: inPrompt ? { type: 'json_object' } : toWireFormat(output, name) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxOutputTokens === undefined ? {} : { max_completion_tokens: maxOutputTokens }),
  };
}

function toWireMessage(message: ChatMessage, { toWire }: WireNames): WireMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content };
      return {
        role: 'assistant',
        content: content === '' ? null : content,
        tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
          id,
          type: 'function',
          function: { name: toWire(name), arguments: text },
        })),
      };
    }
  }
}

function toWireTool({ name, description, inputSchema }: ModelTool, model: string): WireTool {
  return { type: 'function', function: { name, description, parameters: objectSchema(inputSchema, `the tool "${name}"`, model) } };
}

function toWireFormat(output: Exclude<ChatOutput, { type: 'text' }>, model: string): WireFormat {
  if (output.type === 'json') return { type: 'json_object' };
  const { name, schema } = output;
  return {
    type: 'json_schema',
    json_schema: {
      name: name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64), // a label: all that the provider allows in it
      strict: canBeStrict(schema),
      schema: objectSchema(schema, `the output "${name}"`, model),
    },
  };
}

function objectSchema(schema: JsonSchema, owner: string, name: string): JsonObject {
  if (typeof schema === 'object') return schema;
  throw requestRefused({ name }, `The schema of ${owner} is ${schema}, not an object.`);
}

/** Joins the schema to the first system message: some servers allow only one, and only as the first. */
function withSchema(messages: readonly ChatMessage[], schema: JsonSchema): readonly ChatMessage[] {
  const order = `Answer with one JSON value that conforms to this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: order }, ...messages];
  return [{ role: 'system', content: `${first.content}\n\n${order}` }, ...rest];
}
