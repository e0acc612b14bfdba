import { shorten } from '../../core/errors/shorten.ts';
import type { ModelToolCall } from '../../core/ports/chat-model.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { jsonOrText } from '../../core/util/parse-json.ts';
import type { Fields } from '../openai/openai-chunk.ts';
import type { ErrorContext } from '../openai/openai-error.ts';
import type { WireNames } from '../openai/wire-names.ts';
import { unusableCall } from '../reply-error.ts';

export interface CollectedParts {
  /**
   * Adds a part of a stream, or of a whole reply. @throws {WorkflowError} `MODEL_OUTPUT_INVALID` for a call that cannot be distinguished
   * from another.
   */
  add(part: Fields): void;
  /** Parts in order, as they go back to the provider. A text is stored as its length, a call as its id. */
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

export function collectedParts({ context, names, onToken, onReasoning }: CollectedPartsOptions): CollectedParts {
  const parts: JsonObject[] = [];
  /** Open blocks by kind and id, with their index in the parts. */
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
      const { id, name, arguments: argsText } = call;
      parts.push({ type: 'tool-call', toolCallId: id, toolName: name, input: jsonOrText(argsText), providerExecuted: true, ...own });
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
        case 'text': // a part of a whole reply is a block of its own, like one that begins
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
          const kept = echoedPart(part);
          if (kept) parts.push(kept);
        }
      }
    },
  };
}

function readCall(part: Fields, { fromWire }: WireNames): ModelToolCall {
  const argsText = typeof part.input === 'string' ? part.input : JSON.stringify(part.input ?? {});
  return { id: textIn(part, 'toolCallId'), name: fromWire(textIn(part, 'toolName')), arguments: argsText.trim() === '' ? '{}' : argsText };
}

function checkCall({ id, name }: ModelToolCall, others: readonly ModelToolCall[], context: ErrorContext): void {
  if (name === '') throw unusableCall(context.name, 'its name is missing');
  const isOwn = id !== '' && !others.some((call) => call.id === id);
  if (!isOwn) throw unusableCall(context.name, `the id of "${shorten(name, 128)}" is missing or not unique`);
}

const kindOf = ({ type }: Fields): 'text' | 'reasoning' => (String(type).startsWith('text') ? 'text' : 'reasoning');

const keyOf = (part: Fields): string => `${kindOf(part)} ${textIn(part, 'id')}`;

function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

/** Returns the provider's metadata of a part, which the provider expects back as its options. */
const providerOptionsIn = ({ providerMetadata }: Fields): { readonly providerOptions?: JsonObject } => {
  const json = toPlainJson(providerMetadata);
  return isObject(json) ? { providerOptions: json } : {};
};

/** Rebuilds a part that only its provider understands, for the next request. */
function echoedPart(part: Fields): JsonObject | undefined {
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

/** Converts a value to plain JSON. Bytes and URLs of files are dropped. */
export function toPlainJson(value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  try {
    return JSON.parse(JSON.stringify(value)) as Json;
  } catch {
    return undefined;
  }
}
