import type { ErrorInfo } from '../../../core/ports/error-info.ts';
import type { Json } from '../../../core/ports/json.ts';
import { driveOf } from '../../../engine/drive/drive-of.ts';
import type { RunEncoder } from '../protocol-event.ts';
import { createRunNarrator, type Move } from '../run-narrator.ts';
import { suspended } from '../text-parts.ts';
import { type LangGraphInterrupt, toDoubtInterrupt, toLangGraphInterrupt } from './lang-graph-interrupt.ts';
import type { LangGraphMessage, LangGraphMessageChunk } from './lang-graph-message.ts';
import { RunTranscript } from './run-transcript.ts';

/** Supported stream modes of LangGraph. */
export const langGraphStreamModes = ['values', 'updates', 'messages-tuple', 'custom'] as const;
export type LangGraphStreamMode = (typeof langGraphStreamModes)[number];

/** A part of LangGraph's stream. `messages` is the event of the mode `messages-tuple`. */
export interface LangGraphPart {
  readonly event: 'metadata' | 'values' | 'updates' | 'messages' | 'custom' | 'error';
  readonly data: object;
}

export interface LangGraphEncoderOptions {
  /** @default all supported modes */
  readonly modes?: readonly LangGraphStreamMode[];
  /** @default the run's thread, else its id */
  readonly threadId?: string;
  /** Messages of the thread before the output of this run: those of earlier runs, and the input of this one. @default [] */
  readonly before?: readonly LangGraphMessage[];
}

/** State of a thread as clients see it. */
export interface LangGraphValues {
  readonly messages: readonly LangGraphMessage[];
  /** Output of the last run, if it has ended. */
  readonly output?: Json;
}

export interface LangGraphEncoder extends RunEncoder<LangGraphPart> {
  /** Start of a stream that continues a resting run: its ids, and the state so far. */
  begin(): readonly LangGraphPart[];
  /** State after the last event. */
  readonly values: LangGraphValues;
  /** Open questions. Empty while the run works. */
  readonly interrupts: readonly LangGraphInterrupt[];
  /** Error of a run that has failed without an answer, or that this server does not drive. */
  readonly error: ErrorInfo | undefined;
}

interface Encoding {
  readonly modes: ReadonlySet<LangGraphStreamMode>;
  readonly options: LangGraphEncoderOptions;
  readonly transcript: RunTranscript;
  ids: { readonly run_id: string; readonly thread_id: string };
  /** Top-level nodes at work, in the order of their start. */
  readonly nodes: Set<string>;
  /** Changed messages that no update has had yet. */
  changed: Set<string>;
  output: Json | undefined;
  interrupts: readonly LangGraphInterrupt[];
  error: ErrorInfo | undefined;
}

/**
 * Encodes a run as the stream of a LangGraph server. Nodes are LangGraph's nodes, texts and calls are messages of the state, and a question
 * is `__interrupt__`. `thinking`, `sources` and custom events are events of the mode `custom`.
 */
export function langGraphEncoder(options: LangGraphEncoderOptions = {}): LangGraphEncoder {
  const narrator = createRunNarrator();
  const encoding: Encoding = {
    modes: new Set(options.modes ?? langGraphStreamModes),
    options,
    transcript: new RunTranscript(),
    ids: { run_id: '', thread_id: '' },
    nodes: new Set(),
    changed: new Set(),
    output: undefined,
    interrupts: [],
    error: undefined,
  };
  return {
    push: (event) => narrator.narrate(event).flatMap((move) => encode(encoding, move)),
    begin: () => started(encoding),
    get values() {
      return valuesOf(encoding);
    },
    get interrupts() {
      return encoding.interrupts;
    },
    get error() {
      return encoding.error;
    },
  };
}

const valuesOf = ({ options, transcript, output }: Encoding): LangGraphValues => ({
  messages: [...(options.before ?? []), ...transcript.messages],
  ...(output === undefined ? {} : { output }),
});

const started = (encoding: Encoding): readonly LangGraphPart[] => [
  { event: 'metadata', data: { ...encoding.ids, attempt: 1 } },
  ...values(encoding),
];

const values = (encoding: Encoding): readonly LangGraphPart[] =>
  encoding.modes.has('values') ? [{ event: 'values', data: valuesOf(encoding) }] : [];

function encode(encoding: Encoding, move: Move): readonly LangGraphPart[] {
  const chunks = encoding.transcript.take(move);
  for (const { id } of chunks) encoding.changed.add(id);
  return [...chunks.flatMap((chunk) => messagePart(encoding, chunk)), ...encodeMove(encoding, move)];
}

function encodeMove(encoding: Encoding, move: Move): readonly LangGraphPart[] {
  switch (move.type) {
    case 'run':
      encoding.ids = { run_id: move.runId, thread_id: encoding.options.threadId ?? move.threadId ?? move.runId };
      return started(encoding);
    case 'node-start':
      if (driveOf(move.key) === '') encoding.nodes.add(move.key);
      return [];
    case 'node-end':
      return endNode(encoding, move.key);
    case 'thought':
      return custom(encoding, { type: 'thinking', step: move.step, text: move.text });
    case 'sources':
      return custom(encoding, { type: 'sources', sources: move.sources });
    case 'custom':
      return custom(encoding, { type: 'custom', name: move.name, data: move.data });
    case 'end':
      encoding.output = move.output;
      return move.error && !move.isAnswered ? failed(encoding, move.error) : values(encoding);
    case 'pause':
      return pause(encoding, move);
    default:
      return [];
  }
}

function messagePart(encoding: Encoding, chunk: LangGraphMessageChunk): readonly LangGraphPart[] {
  if (!encoding.modes.has('messages-tuple')) return [];
  const node = nameOf([...encoding.nodes].at(-1) ?? '');
  return [{ event: 'messages', data: [chunk, { ...encoding.ids, langgraph_node: node, langgraph_checkpoint_ns: '' }] }];
}

const custom = ({ modes }: Encoding, data: object): readonly LangGraphPart[] => (modes.has('custom') ? [{ event: 'custom', data }] : []);

/** A workflow that is called as a tool has nodes of its own; only those of the run itself are LangGraph's nodes. */
function endNode(encoding: Encoding, key: string): readonly LangGraphPart[] {
  if (!encoding.nodes.delete(key)) return [];
  const messages = encoding.transcript.messages.filter(({ id }) => encoding.changed.has(id));
  const hasChanged = encoding.changed.size > 0;
  encoding.changed = new Set();
  const update: readonly LangGraphPart[] = encoding.modes.has('updates')
    ? [{ event: 'updates', data: { [nameOf(key)]: { messages } } }]
    : [];
  return [...update, ...(hasChanged ? values(encoding) : [])];
}

const nameOf = (key: string): string => key.replace(/#\d+$/, '');

function failed(encoding: Encoding, error: ErrorInfo): readonly LangGraphPart[] {
  encoding.error = error;
  return [{ event: 'error', data: toLangGraphError(error) }];
}

export const toLangGraphError = ({ code, message, hint }: ErrorInfo): { readonly error: string; readonly message: string } => ({
  error: code,
  message: hint ? `${message} ${hint}` : message,
});

function pause(encoding: Encoding, { status, interrupts, calls, error }: Extract<Move, { type: 'pause' }>): readonly LangGraphPart[] {
  encoding.interrupts = [...interrupts.map(toLangGraphInterrupt), ...calls.map(toDoubtInterrupt)];
  if (encoding.interrupts.length > 0) {
    const data = { __interrupt__: encoding.interrupts };
    return [
      ...(encoding.modes.has('updates') ? [{ event: 'updates', data } as const] : []),
      ...(encoding.modes.has('values') ? [{ event: 'values', data: { ...valuesOf(encoding), ...data } } as const] : []),
    ];
  }
  return status === 'waiting' ? values(encoding) : failed(encoding, error ?? suspended);
}
