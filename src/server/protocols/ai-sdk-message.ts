import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { AiSdkChunk, PartMetadata } from './ai-sdk-chunk.ts';

/** A message as the AI SDK's `useChat` stores it: a `UIMessage`. */
export interface AiSdkMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly metadata?: JsonObject;
  readonly parts: readonly JsonObject[];
}

type Part = Record<string, Json>;

/** Builds the message that the SDK's own reader builds from a stream, for a page that starts with old messages. */
export function toAiSdkMessage(chunks: readonly AiSdkChunk[]): AiSdkMessage {
  const message: { id: string; metadata: JsonObject; parts: Part[] } = { id: '', metadata: {}, parts: [] };
  const open = new Map<string, Part>();
  for (const chunk of chunks) {
    switch (chunk.type) {
      case 'start':
      case 'finish':
        if (chunk.type === 'start') message.id = chunk.messageId;
        message.metadata = { ...message.metadata, ...chunk.messageMetadata };
        break;
      case 'start-step':
        message.parts.push({ type: 'step-start' });
        break;
      case 'reset-step':
        message.parts.splice(message.parts.findLastIndex(({ type }) => type === 'step-start') + 1);
        break;
      case 'text-start':
      case 'reasoning-start':
        begin(message.parts, open, chunk);
        break;
      case 'text-delta':
      case 'reasoning-delta':
        addText(open.get(chunk.id), chunk.delta);
        break;
      case 'text-end':
      case 'reasoning-end':
        Object.assign(open.get(chunk.id) ?? {}, { state: 'done' });
        open.delete(chunk.id);
        break;
      case 'source-url':
      case 'source-document':
        message.parts.push(asPart(chunk));
        break;
      default:
        if (isData(chunk)) keepData(message.parts, chunk);
        else changeCall(message.parts, chunk);
    }
  }
  return { id: message.id, role: 'assistant', metadata: message.metadata, parts: message.parts };
}

interface TextStart {
  readonly type: string;
  readonly id: string;
  readonly providerMetadata?: PartMetadata;
}

type DataChunk = Extract<AiSdkChunk, { readonly type: `data-${string}` }>;

const isData = (chunk: AiSdkChunk): chunk is DataChunk => chunk.type.startsWith('data-');

const asPart = (chunk: object): Part => ({ ...(chunk as JsonObject) });

function begin(parts: Part[], open: Map<string, Part>, chunk: TextStart): void {
  const part: Part = { type: chunk.type === 'text-start' ? 'text' : 'reasoning', text: '', state: 'streaming' };
  if (chunk.providerMetadata) Object.assign(part, { id: chunk.id, providerMetadata: chunk.providerMetadata });
  open.set(chunk.id, part);
  parts.push(part);
}

function addText(part: Part | undefined, delta: string): void {
  if (typeof part?.text === 'string') part.text += delta;
}

function keepData(parts: Part[], { type, id, data, transient }: DataChunk): void {
  if (transient) return;
  const known = id === undefined ? undefined : parts.find((part) => part.type === type && part.id === id);
  if (known) known.data = data;
  else parts.push({ type, ...(id === undefined ? {} : { id }), data });
}

function changeCall(parts: Part[], chunk: Exclude<AiSdkChunk, DataChunk>): void {
  const cards = parts.filter(({ type }) => type === 'dynamic-tool');
  const cardOf = (id: string): Part => cards.findLast(({ toolCallId }) => toolCallId === id) ?? {};
  switch (chunk.type) {
    case 'tool-input-available': {
      const { toolCallId, toolName, input, providerExecuted } = chunk;
      const state = { toolName, state: 'input-available', input, ...(providerExecuted ? { providerExecuted } : {}) };
      const step = parts.findLastIndex(({ type }) => type === 'step-start');
      const known = parts.findIndex((part, index) => index > step && part.type === 'dynamic-tool' && part.toolCallId === toolCallId);
      if (known < 0) parts.push({ type: 'dynamic-tool', toolCallId, ...state });
      else parts[known] = { type: 'dynamic-tool', toolCallId, ...kept(parts[known]), ...state };
      break;
    }
    case 'tool-approval-request': {
      const { approvalId: id, reason, toolCallId } = chunk;
      const approval = { id, ...(reason === undefined ? {} : { requestReason: reason }) };
      Object.assign(cardOf(toolCallId), { state: 'approval-requested', approval });
      break;
    }
    case 'tool-approval-response': {
      const { approvalId: id, approved } = chunk;
      const card = cards.find(({ approval }) => (approval as JsonObject | undefined)?.id === id);
      if (card) Object.assign(card, { state: 'approval-responded', approval: { ...asPart(card.approval as JsonObject), id, approved } });
      break;
    }
    case 'tool-output-available':
    case 'tool-output-error': {
      const { toolCallId, providerExecuted } = chunk;
      const end =
        chunk.type === 'tool-output-available'
          ? { state: 'output-available', output: chunk.output }
          : { state: 'output-error', errorText: chunk.errorText };
      Object.assign(cardOf(toolCallId), end, providerExecuted ? { providerExecuted } : {});
      break;
    }
    case 'tool-output-denied':
      Object.assign(cardOf(chunk.toolCallId), { state: 'output-denied' });
      break;
    default: // errors and step ends leave nothing in a message
  }
}

/** Fields that a part keeps when its call starts again. */
const kept = ({ approval, providerExecuted }: Part = {}): Part => ({
  ...(approval === undefined ? {} : { approval }),
  ...(providerExecuted === undefined ? {} : { providerExecuted }),
});
