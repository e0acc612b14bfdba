import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import { escapePointer } from '../../core/util/json-pointer.ts';
import type { AgUiEvent, AgUiInterrupt, AgUiMessage } from './ag-ui-event.ts';
import { describeQuestion, stateOf } from './approval-question.ts';
import type { RunEncoder } from './protocol-event.ts';
import { createRunNarrator, type ModelUsage, type Move } from './run-narrator.ts';
import { suspended } from './text-parts.ts';
import { plain } from './to-plain-json.ts';

export interface AgUiEncoderOptions {
  /** The client's run id: AG-UI clients use a new one for each answer. @default the run's id */
  readonly runId?: string;
  /** @default the run's thread, else its id */
  readonly threadId?: string;
  /** Messages that the client shows before this run; a messages snapshot must contain all of them. @default [] */
  readonly before?: readonly AgUiMessage[];
  /** Names of the client's tools. A question of a state with such a name is a call of the tool. @default [] */
  readonly tools?: readonly string[];
}

export interface AgUiEncoder extends RunEncoder<AgUiEvent> {
  /** Start of a stream that continues a resting run: a new AG-UI run, with the state and the open steps. */
  begin(): readonly AgUiEvent[];
}

interface Encoding {
  readonly options: AgUiEncoderOptions;
  ids: { readonly threadId: string; readonly runId: string };
  /** Run id of this package, from which the ids of messages and calls are built. */
  run: string;
  messages: AgUiMessage[];
  readonly steps: Set<string>;
  readonly open: Set<string>;
  state: { readonly [key: string]: Json; readonly nodes: JsonObject; readonly interrupts: JsonObject };
}

/**
 * Encodes a run as AG-UI 1.0. Nodes are steps; the shared state lists the nodes, the questions and their answers. After a model stream was
 * cut, a messages snapshot removes the void parts.
 */
export function agUiEncoder(options: AgUiEncoderOptions = {}): AgUiEncoder {
  const narrator = createRunNarrator();
  const encoding: Encoding = {
    options,
    ids: { threadId: '', runId: '' },
    run: '',
    messages: [],
    steps: new Set(),
    open: new Set(),
    state: { status: 'running', nodes: {}, interrupts: {} },
  };
  return {
    push: (event) => narrator.narrate(event).flatMap((move) => encode(encoding, move)),
    begin: () => [...started(encoding), ...[...encoding.steps].map((stepName): AgUiEvent => ({ type: 'STEP_STARTED', stepName }))],
  };
}

const started = ({ ids, state }: Encoding): readonly AgUiEvent[] => [
  { type: 'RUN_STARTED', ...ids, protocolVersion: '1.0' },
  { type: 'STATE_SNAPSHOT', snapshot: state },
];

function encode(encoding: Encoding, move: Move): readonly AgUiEvent[] {
  const idOf = (id: string): string => `${encoding.run}/${id}`;
  switch (move.type) {
    case 'run': {
      const { runId, threadId = runId, workflow, version } = move;
      const { options } = encoding;
      encoding.ids = { threadId: options.threadId ?? threadId, runId: options.runId ?? runId };
      encoding.run = runId;
      encoding.state = { ...encoding.state, runId, workflow, version };
      return started(encoding);
    }
    case 'node-start':
      encoding.steps.add(move.key);
      return [{ type: 'STEP_STARTED', stepName: move.key }, setNode(encoding, move.key, { status: 'running', attempt: move.attempt })];
    case 'node-end': {
      const delta = setNode(encoding, move.key, plain({ status: move.error ? 'failed' : 'done', error: move.error }));
      return encoding.steps.delete(move.key) ? [delta, { type: 'STEP_FINISHED', stepName: move.key }] : [delta];
    }
    case 'moved':
      return [setState(encoding, 'move', plain({ from: move.from, to: move.to, on: move.on, guard: move.guard }))];
    case 'text-start':
      encoding.open.add(move.id);
      encoding.messages.push({ id: idOf(move.id), role: 'assistant', content: '' });
      return [{ type: 'TEXT_MESSAGE_START', messageId: idOf(move.id), role: 'assistant' }];
    case 'text':
      addContent(encoding, idOf(move.id), move.delta);
      return [{ type: 'TEXT_MESSAGE_CONTENT', messageId: idOf(move.id), delta: move.delta }];
    case 'text-end':
      encoding.open.delete(move.id);
      return [{ type: 'TEXT_MESSAGE_END', messageId: idOf(move.id) }];
    case 'void':
      return withdraw(encoding, move);
    case 'thought':
      return think(encoding, idOf(move.id), move);
    case 'call':
      return call(encoding, idOf(move.id), move.tool, move.args);
    case 'call-end':
      return endCall(encoding, idOf(move.id), move);
    case 'sources':
      return [{ type: 'CUSTOM', name: 'sources', value: move.sources }];
    case 'custom':
      return [{ type: 'CUSTOM', name: move.name, value: move.data }];
    case 'question':
    case 'answered':
      return question(encoding, move);
    case 'decided':
      return move.approved ? [] : endCall(encoding, idOf(move.call.id), { output: 'The call was not approved.' });
    case 'end':
      return end(encoding, move);
    case 'pause':
      return pause(encoding, move);
  }
}

function setState(encoding: Encoding, key: string, value: Json): AgUiEvent {
  const op = key in encoding.state ? 'replace' : 'add';
  encoding.state = { ...encoding.state, [key]: value };
  return { type: 'STATE_DELTA', delta: [{ op, path: `/${escapePointer(key)}`, value }] };
}

function setNode(encoding: Encoding, key: string, value: JsonObject): AgUiEvent {
  const { nodes } = encoding.state;
  encoding.state = { ...encoding.state, nodes: { ...nodes, [key]: value } };
  return { type: 'STATE_DELTA', delta: [{ op: key in nodes ? 'replace' : 'add', path: `/nodes/${escapePointer(key)}`, value }] };
}

function addContent(encoding: Encoding, id: string, delta: string): void {
  encoding.messages = encoding.messages.map((one) => (one.id === id ? { ...one, content: `${String(one.content)}${delta}` } : one));
}

function withdraw(encoding: Encoding, { texts, calls }: Extract<Move, { type: 'void' }>): readonly AgUiEvent[] {
  const gone = new Set([...texts, ...calls].map((id) => `${encoding.run}/${id}`));
  const closed = texts
    .filter((id) => encoding.open.delete(id))
    .map((id): AgUiEvent => ({ type: 'TEXT_MESSAGE_END', messageId: `${encoding.run}/${id}` }));
  encoding.messages = encoding.messages.filter(
    ({ id, toolCallId }) => !gone.has(id) && !(typeof toolCallId === 'string' && gone.has(toolCallId)),
  );
  return [...closed, { type: 'MESSAGES_SNAPSHOT', messages: [...(encoding.options.before ?? []), ...encoding.messages] }];
}

function think(encoding: Encoding, messageId: string, { step, text }: Extract<Move, { type: 'thought' }>): readonly AgUiEvent[] {
  encoding.messages.push({ id: messageId, role: 'reasoning', content: text });
  return [
    { type: 'REASONING_START', messageId },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning', metadata: { step } },
    { type: 'REASONING_MESSAGE_CONTENT', messageId, delta: text },
    { type: 'REASONING_MESSAGE_END', messageId },
    { type: 'REASONING_END', messageId },
  ];
}

function call(encoding: Encoding, toolCallId: string, toolCallName: string, args: Json): readonly AgUiEvent[] {
  const argsText = JSON.stringify(args);
  const toolCall: JsonObject = { id: toolCallId, type: 'function', function: { name: toolCallName, arguments: argsText } };
  encoding.messages.push({ id: toolCallId, role: 'assistant', toolCalls: [toolCall] });
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: argsText },
    { type: 'TOOL_CALL_END', toolCallId },
  ];
}

function endCall(
  encoding: Encoding,
  toolCallId: string,
  { output = null, error }: { readonly output?: Json; readonly error?: ErrorInfo },
): readonly AgUiEvent[] {
  const messageId = `${toolCallId}/result`;
  const content = error ? `${error.code}: ${error.message}` : typeof output === 'string' ? output : JSON.stringify(output);
  encoding.messages.push({ id: messageId, role: 'tool', toolCallId, content, ...(error ? { error: error.message } : {}) });
  return [
    { type: 'TOOL_CALL_RESULT', messageId, toolCallId, content, role: 'tool', ...(error ? { metadata: { error: plain(error) } } : {}) },
  ];
}

function question(encoding: Encoding, move: Extract<Move, { type: 'question' | 'answered' }>): readonly AgUiEvent[] {
  const { id, key, accepts, question: asked, expiresAt } = move.interrupt;
  const { interrupts } = encoding.state;
  const value = plain(
    move.type === 'question' ? { key, accepts, question: asked, expiresAt, status: 'open' } : { key, status: 'answered', on: move.on },
  );
  encoding.state = { ...encoding.state, interrupts: { ...interrupts, [id]: value } };
  const delta: AgUiEvent = {
    type: 'STATE_DELTA',
    delta: [{ op: id in interrupts ? 'replace' : 'add', path: `/interrupts/${escapePointer(id)}`, value }],
  };
  if (move.type === 'answered') return [delta];
  const shown = move.calls.filter(({ isShown }) => !isShown);
  const state = stateOf(move.interrupt);
  if (encoding.options.tools?.includes(state)) return [delta, ...call(encoding, `${encoding.run}/${id}`, state, asked ?? {})];
  return [delta, ...shown.flatMap(({ id, tool, args }) => call(encoding, `${encoding.run}/${id}`, tool, args))];
}

const closeSteps = ({ steps }: Encoding): readonly AgUiEvent[] => {
  const closed = [...steps].map((stepName): AgUiEvent => ({ type: 'STEP_FINISHED', stepName }));
  steps.clear();
  return closed;
};

const toUsage = (usage: readonly ModelUsage[]) => usage.map((one) => ({ ...one, totalTokens: one.inputTokens + one.outputTokens }));

function end(encoding: Encoding, { status, output, error, usage: spent }: Extract<Move, { type: 'end' }>): readonly AgUiEvent[] {
  const usage = toUsage(spent);
  const steps = [...closeSteps(encoding), setState(encoding, 'status', status)];
  if (status === 'failed') {
    const said: readonly AgUiEvent[] = output === undefined ? [] : [{ type: 'CUSTOM', name: 'output', value: output }];
    return [...steps, ...said, toError(error, usage)];
  }
  if (status === 'cancelled') return [...steps, { type: 'RUN_FINISHED', ...encoding.ids, outcome: { type: 'cancelled' }, usage }];
  const result = output === undefined ? {} : { result: output };
  return [...steps, { type: 'RUN_FINISHED', ...encoding.ids, ...result, outcome: { type: 'success' }, usage }];
}

const toError = (error: ErrorInfo | undefined, usage: ReturnType<typeof toUsage>): AgUiEvent => ({
  type: 'RUN_ERROR',
  message: error?.message ?? 'The run failed.', // pages show it to users, and the hint addresses developers
  code: error?.code ?? 'UNKNOWN',
  usage,
});

function pause(
  encoding: Encoding,
  { status, interrupts, isReviewed, calls, error, usage: spent }: Extract<Move, { type: 'pause' }>,
): readonly AgUiEvent[] {
  const usage = toUsage(spent);
  const isTool = (interrupt: Interrupt): boolean => encoding.options.tools?.includes(stateOf(interrupt)) === true;
  const asked = interrupts.filter((one) => !isTool(one));
  const pending: readonly AgUiInterrupt[] = [
    ...asked.map((interrupt): AgUiInterrupt => {
      const { id, key, accepts, question: shown, expiresAt } = interrupt;
      const isCall = encoding.messages.some((one) => one.id === `${encoding.run}/${id}`);
      const call = isCall ? { toolCallId: `${encoding.run}/${id}` } : {};
      const reason = isCall ? 'tool_call' : 'input_required';
      return { id, reason, message: describeQuestion(interrupt), ...call, metadata: plain({ key, accepts, question: shown, expiresAt }) };
    }),
    ...calls.map((doubt): AgUiInterrupt => ({ id: doubt.callId, reason: 'in_doubt', message: doubtText, metadata: plain(doubt) })),
  ];
  const steps = [...closeSteps(encoding), setState(encoding, 'status', status)];
  if (pending.length > 0)
    return [...steps, { type: 'RUN_FINISHED', ...encoding.ids, outcome: { type: 'interrupt', interrupts: pending }, usage }];
  // a client executes its tools after a run has ended well, and sends their results with the next one
  if (isReviewed || asked.length < interrupts.length)
    return [...steps, { type: 'RUN_FINISHED', ...encoding.ids, outcome: { type: 'success' }, usage }];
  return [...steps, toError(error ?? suspended, usage)];
}

const doubtText = 'The outcome of this call is unknown. Answer {"as":"done","output":…}, {"as":"retry"} or {"as":"abort"}.';
