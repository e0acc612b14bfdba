import type { ModelToolCall } from '../../ports/chat-model.ts';
import type { Json, JsonObject } from '../../ports/json.ts';
import { isObject } from '../../util/is-object.ts';
import { shorten } from '../../util/shorten.ts';
import type { ErrorContext } from '../openai/openai-error.ts';
import type { WireNames } from '../openai/wire-names.ts';
import { unusableCall } from '../reply-error.ts';

/** An object of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** What has come of a reply. */
export interface CollectedParts {
  /** A part of a stream, or of a whole reply. @throws {WorkflowError} `MODEL_OUTPUT_INVALID` for a call that cannot be told from another. */
  add(part: Fields): void;
  /** In order, as they go back to the provider: of a text its length, of a call its id. */
  readonly parts: readonly JsonObject[];
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ModelToolCall[];
}

export interface CollectedPartsOptions {
  readonly context: ErrorContext;
  readonly names: WireNames;
  readonly onToken?: ((text: string) => void) | undefined;
  readonly onReasoning?: ((text: string) => void) | undefined;
}

/** Collects the parts of a reply. */
export function collectedParts({ context, names, onToken, onReasoning }: CollectedPartsOptions): CollectedParts {
  const parts: JsonObject[] = [];
  /** Blocks that have begun, by kind and id, at their place among the parts. */
  const open = new Map<string, number>();
  const toolCalls: ModelToolCall[] = [];
  let [text, reasoning] = ['', ''];

  const addText = (part: Fields, delta: string): void => {
    const isText = kindOf(part) === 'text';
    const place = open.get(keyOf(part)) ?? parts.push(isText ? { type: 'text', length: 0 } : { type: 'reasoning', text: '' }) - 1;
    open.set(keyOf(part), place);
    const before = parts[place] ?? {};
    const more: JsonObject = isText ? { length: Number(before.length) + delta.length } : { text: `${String(before.text)}${delta}` };
    parts[place] = { ...before, ...more, ...providerOptionsIn(part) };
    if (delta === '') return;
    if (isText) {
      text += delta;
      onToken?.(delta);
    } else {
      reasoning += delta;
      onReasoning?.(delta);
    }
  };

  const addCall = (part: Fields): void => {
    const call = readCall(part, names);
    const own = providerOptionsIn(part);
    if (part.providerExecuted === true) {
      const { id, name, arguments: input } = call;
      parts.push({ type: 'tool-call', toolCallId: id, toolName: name, input: jsonOrText(input), providerExecuted: true, ...own });
      return;
    }
    checkCall(call, toolCalls, context);
    toolCalls.push(call);
    parts.push({ type: 'tool-call', toolCallId: call.id, ...own });
  };

  return {
    parts,
    toolCalls,
    get text() {
      return text;
    },
    get reasoning() {
      return reasoning;
    },
    add(part): void {
      switch (part.type) {
        case 'text': // of a whole reply: a block of its own, as one that begins
        case 'reasoning':
        case 'text-start':
        case 'reasoning-start':
          open.delete(keyOf(part));
          addText(part, textIn(part, 'text'));
          break;
        case 'text-delta':
        case 'reasoning-delta':
        case 'text-end':
        case 'reasoning-end':
          addText(part, textIn(part, 'delta'));
          break;
        case 'tool-call':
          addCall(part);
          break;
        case 'custom':
        case 'reasoning-file':
        case 'tool-result': {
          const kept = sentBack(part);
          if (kept) parts.push(kept);
        }
      }
    },
  };
}

function readCall(part: Fields, { fromWire }: WireNames): ModelToolCall {
  const input = typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {});
  return { id: textIn(part, 'toolCallId'), name: fromWire(textIn(part, 'toolName')), arguments: input.trim() === '' ? '{}' : input };
}

function checkCall({ id, name }: ModelToolCall, others: readonly ModelToolCall[], context: ErrorContext): void {
  if (name === '') throw unusableCall(context.name, 'its name is missing');
  const isOwn = id !== '' && !others.some((call) => call.id === id);
  if (!isOwn) throw unusableCall(context.name, `the id of "${shorten(name, 128)}" is missing or that of another`);
}

const kindOf = ({ type }: Fields): 'text' | 'reasoning' => (String(type).startsWith('text') ? 'text' : 'reasoning');

const keyOf = (part: Fields): string => `${kindOf(part)} ${textIn(part, 'id')}`;

function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/** What the provider has said of a part is what it wants to be told of it. */
const providerOptionsIn = ({ providerMetadata }: Fields): { readonly providerOptions?: JsonObject } => {
  const json = toPlainJson(providerMetadata);
  return isObject(json) ? { providerOptions: json } : {};
};

/** A part that only its provider understands, as it goes back. */
function sentBack(part: Fields): JsonObject | undefined {
  const own = providerOptionsIn(part);
  switch (part.type) {
    case 'custom':
      return { type: 'custom', kind: textIn(part, 'kind'), ...own };
    case 'tool-result':
      if (part.preliminary === true) return undefined;
      return {
        type: 'tool-result',
        toolCallId: textIn(part, 'toolCallId'),
        toolName: textIn(part, 'toolName'),
        output: { type: part.isError === true ? 'error-json' : 'json', value: toPlainJson(part.result) ?? null },
        ...own,
      };
    default: {
      const data = toPlainJson(part.data);
      return data === undefined ? undefined : { type: 'reasoning-file', mediaType: textIn(part, 'mediaType'), data, ...own };
    }
  }
}

/** What JSON keeps of a value; bytes and addresses of files become none. */
export function toPlainJson(value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(JSON.stringify(value)) as Json;
  } catch {
    return undefined;
  }
}

function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
