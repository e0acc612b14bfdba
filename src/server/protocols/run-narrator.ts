import { toSafeError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import type { CallInDoubt, Interrupt, TokenUsage } from '../../core/ports/run-event.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { driveOf } from '../../engine/drive/drive-of.ts';
import { answerOf } from './answer-of.ts';
import type { ProtocolEvent } from './protocol-event.ts';

/** A tool call that needs approval. */
export interface AskedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: Json;
}

/** Token usage of one model. */
export interface ModelUsage extends TokenUsage {
  readonly model: string;
}

/** End of a run. */
interface RunEnd {
  readonly status: 'done' | 'failed' | 'cancelled';
  readonly finalState?: string;
  readonly output?: Json;
  /** Error of a failed run, or of a run that ended in a state tagged `failure`. */
  readonly error?: ErrorInfo;
}

/** Reason why a run rests without having ended. */
interface RunPause {
  readonly status: 'waiting' | 'in_doubt' | 'paused' | 'failed' | 'elsewhere';
  readonly interrupts: readonly Interrupt[];
  readonly calls: readonly CallInDoubt[];
  readonly wakeAt?: number;
  readonly error?: ErrorInfo;
}

/**
 * A change of what a user sees. Every started text, call and node is ended or declared void before the run ends. Ids come from journal
 * keys, so they are the same each time the run is encoded.
 */
export type Move =
  | {
      readonly type: 'run';
      readonly runId: string;
      readonly threadId?: string;
      readonly workflow: string;
      readonly version: string;
      readonly model?: string;
    }
  | { readonly type: 'node-start'; readonly key: string; readonly attempt: number }
  | { readonly type: 'node-end'; readonly key: string; readonly error?: ErrorInfo }
  | { readonly type: 'moved'; readonly from: string; readonly to: string; readonly on: string; readonly guard?: string }
  | { readonly type: 'text-start'; readonly id: string }
  | { readonly type: 'text'; readonly id: string; readonly delta: string }
  | { readonly type: 'text-end'; readonly id: string; readonly text: string }
  /** These texts and calls were shown, but are void. */
  | { readonly type: 'void'; readonly texts: readonly string[]; readonly calls: readonly string[] }
  | { readonly type: 'thought'; readonly id: string; readonly step: string; readonly text: string }
  | { readonly type: 'call'; readonly id: string; readonly tool: string; readonly args: Json }
  | { readonly type: 'call-end'; readonly id: string; readonly output?: Json; readonly error?: ErrorInfo }
  | { readonly type: 'sources'; readonly id: string; readonly sources: readonly Json[] }
  | { readonly type: 'custom'; readonly name: string; readonly data: Json }
  | { readonly type: 'question'; readonly interrupt: Interrupt; readonly call?: AskedCall }
  | { readonly type: 'answered'; readonly interrupt: Interrupt; readonly on: string; readonly call?: AskedCall }
  | ({ readonly type: 'end'; readonly usage: readonly ModelUsage[] } & RunEnd)
  | ({ readonly type: 'pause'; readonly usage: readonly ModelUsage[] } & RunPause);

interface Text {
  readonly id: string;
  readonly node: string;
  shown: string;
  open: boolean;
}

interface Call {
  readonly id: string;
  readonly node: string;
  readonly seq: number;
  /** Tool and arguments. */
  readonly signature: string;
  open: boolean;
  /** Number of the event that ended the call. */
  endSeq?: number;
  output?: Json;
}

interface Question {
  readonly interrupt: Interrupt;
  readonly call?: AskedCall;
}

/** State of the narration so far. */
interface Telling {
  /** Texts of active nodes, and of the last node that has ended. */
  texts: Text[];
  textsMade: number;
  readonly calls: Map<string, Call>;
  readonly nodes: Set<string>;
  questions: Question[];
  /** Approved calls that have not started yet. */
  approved: AskedCall[];
  readonly usage: Map<string, TokenUsage>;
  thoughts: number;
}

/**
 * Converts the events of a run to moves for display. It joins texts, closes everything left open, and matches answers to questions and
 * approvals to calls. It must receive every event of the run, from the first.
 */
export function createRunNarrator(): { tell(event: ProtocolEvent): readonly Move[] } {
  const telling: Telling = {
    texts: [],
    textsMade: 0,
    calls: new Map(),
    nodes: new Set(),
    questions: [],
    approved: [],
    usage: new Map(),
    thoughts: 0,
  };
  return { tell: (event) => tell(telling, event) };
}

function tell(telling: Telling, event: ProtocolEvent): readonly Move[] {
  switch (event.type) {
    case 'run-start': {
      const { runId, threadId, workflow, version, model } = event;
      return [
        {
          type: 'run',
          runId,
          workflow,
          version,
          ...(threadId === undefined ? {} : { threadId }),
          ...(model === undefined ? {} : { model }),
        },
      ];
    }
    case 'node-start':
      return startNode(telling, event.key, event.attempt);
    case 'node-end':
      return endNode(telling, event.key, event.error);
    case 'edge':
      return followEdge(telling, event);
    case 'interrupt':
      return ask(telling, event.interrupt);
    case 'model-start':
      return event.node === undefined ? [] : closeTexts(telling, event.node);
    case 'model-end':
      addUsage(telling, event.model, event.usage);
      return [];
    case 'token':
      return event.text === '' ? [] : addText(telling, event.node ?? '', event.text);
    case 'step-reset':
      return takeBack(telling, event.node, event.seq);
    case 'thinking': {
      const text = typeof event.content === 'string' ? event.content : JSON.stringify(event.content);
      return [{ type: 'thought', id: `thought-${++telling.thoughts}`, step: event.step, text }];
    }
    case 'tool-start':
      return startCall(telling, event);
    case 'tool-end':
      return endCall(telling, event);
    case 'sources':
      return [{ type: 'sources', id: event.node ?? 'run', sources: Array.isArray(event.sources) ? event.sources : [event.sources] }];
    case 'custom':
      return [{ type: 'custom', name: event.name, data: event.data }];
    case 'node-retry':
    case 'run-migrated':
    case 'offer-changed':
      return [];
    case 'run-end':
      return endRun(telling, event);
    case 'rest':
      // a call in doubt has not ended
      return [...closeTexts(telling), { type: 'pause', ...toPause(event), usage: usageOf(telling) }];
  }
}

function startNode(telling: Telling, key: string, attempt: number): readonly Move[] {
  const again = telling.nodes.has(key);
  telling.nodes.add(key);
  const taken = again || attempt > 1 ? takeBack(telling, key, Number.POSITIVE_INFINITY) : [];
  return again ? taken : [...taken, { type: 'node-start', key, attempt }];
}

function endNode(telling: Telling, key: string, error: ErrorInfo | undefined): readonly Move[] {
  const closed = [...closeTexts(telling, key), ...endCalls(telling, key)];
  if (!telling.nodes.delete(key)) return closed;
  return [...closed, { type: 'node-end', key, ...(error ? { error: toSafeError(error) } : {}) }];
}

function addText(telling: Telling, node: string, delta: string): readonly Move[] {
  const open = telling.texts.find((text) => text.node === node && text.open);
  if (open) {
    open.shown += delta;
    return [{ type: 'text', id: open.id, delta }];
  }
  const id = `text-${++telling.textsMade}`;
  // texts of ended nodes are only compared with the answer, and the newest is enough
  telling.texts = [...telling.texts.filter((text) => telling.nodes.has(text.node)), { id, node, shown: delta, open: true }];
  return [
    { type: 'text-start', id },
    { type: 'text', id, delta },
  ];
}

function closeTexts({ texts }: Telling, node?: string): readonly Move[] {
  const open = texts.filter((text) => text.open && (node === undefined || text.node === node));
  return open.map((text) => {
    text.open = false;
    return { type: 'text-end', id: text.id, text: text.shown };
  });
}

/** Ends the calls of a node that was abandoned, or that ended without reporting them. */
function endCalls({ calls }: Telling, node?: string): readonly Move[] {
  const open = [...calls.values()].filter((call) => call.open && (node === undefined || call.node === node));
  return open.map((call) => {
    call.open = false;
    return { type: 'call-end', id: call.id, error: unfinished };
  });
}

const unfinished: ErrorInfo = {
  name: 'WorkflowError',
  code: 'CALL_ABORTED',
  message: 'No result of the call was reported.',
  retryable: false,
};

/** Declares output void: the tokens of a node, or for the whole run also everything under event numbers that are reused. */
function takeBack(telling: Telling, node: string | undefined, seq: number): readonly Move[] {
  const isVoid = (text: Text): boolean => (node === undefined ? telling.nodes.has(text.node) || text.open : text.node === node);
  const texts = telling.texts.filter(isVoid).map(({ id }) => id);
  telling.texts = telling.texts.filter((text) => !isVoid(text));
  const calls: string[] = [];
  for (const [key, call] of telling.calls) {
    if (call.endSeq !== undefined && call.endSeq >= seq) call.open = true; // the call's end will be repeated
    if (call.seq < seq) continue;
    telling.calls.delete(key);
    calls.push(call.id);
  }
  return texts.length + calls.length === 0 ? [] : [{ type: 'void', texts, calls }];
}

const callKey = (node: string | undefined, callId: string): string => `${node ?? 'run'}/${callId}`;

function startCall(telling: Telling, event: Extract<ProtocolEvent, { type: 'tool-start' }>): readonly Move[] {
  const { node = '', callId, tool, args, seq } = event;
  const key = callKey(event.node, callId);
  const known = telling.calls.get(key);
  if (known?.open) return [];
  const signature = signatureOf(tool, args);
  const asked = telling.approved.find((one) => signatureOf(one.tool, one.args) === signature);
  telling.approved = telling.approved.filter((one) => one !== asked);
  telling.calls.set(key, { id: asked?.id ?? key, node, seq, signature, open: true });
  return asked ? [] : [{ type: 'call', id: key, tool, args }];
}

function endCall(telling: Telling, event: Extract<ProtocolEvent, { type: 'tool-end' }>): readonly Move[] {
  const call = telling.calls.get(callKey(event.node, event.callId));
  if (!call?.open) return [];
  call.open = false;
  call.endSeq = event.seq;
  const { error, output = event.deduplicated ? earlierOutput(telling, call) : null } = event;
  if (!error) call.output = output;
  return [{ type: 'call-end', id: call.id, ...(error ? { error: toSafeError(error) } : { output }) }];
}

/** Output of an equal call of the same node, which this call reuses instead of running. */
const earlierOutput = ({ calls }: Telling, { node, signature }: Call): Json =>
  [...calls.values()].find((one) => one.node === node && one.signature === signature && one.output !== undefined)?.output ?? null;

const signatureOf = (tool: string, args: Json): string => `${tool}:${canonicalJson(args)}`;

function ask(telling: Telling, interrupt: Interrupt): readonly Move[] {
  const call = askedCall(interrupt);
  const question: Question = { interrupt, ...(call ? { call } : {}) };
  telling.questions = [...telling.questions.filter((one) => one.interrupt.key !== interrupt.key), question];
  return [...closeTexts(telling, driveOf(interrupt.key)), { type: 'question', ...question }];
}

/** Call that an approval refers to, as shown by `toolReviewQuestion`. */
function askedCall({ id, accepts, question }: Interrupt): AskedCall | undefined {
  if (!isObject(question) || typeof question.tool !== 'string' || !isObject(question.arguments)) return undefined;
  if (!accepts.includes('APPROVE')) return undefined;
  return { id, tool: question.tool, args: question.arguments as Json };
}

function followEdge(telling: Telling, event: Extract<ProtocolEvent, { type: 'edge' }>): readonly Move[] {
  const { from, to, on, guard, node = '' } = event;
  const answered = telling.questions.filter(({ interrupt: { key, accepts } }) => {
    const state = key.slice(driveOf(key).length).replace(/^\//, '').replace(/#\d+$/, '');
    return driveOf(key) === node && state === from && accepts.includes(on);
  });
  telling.questions = telling.questions.filter((one) => !answered.includes(one));
  for (const { call } of answered) if (call && on === 'APPROVE') telling.approved.push(call);
  return [
    ...answered.map((one): Move => ({ type: 'answered', on, ...one })),
    { type: 'moved', from, to, on, ...(guard === undefined ? {} : { guard }) },
  ];
}

function endRun(telling: Telling, event: Extract<ProtocolEvent, { type: 'run-end' }>): readonly Move[] {
  const { status, finalState, output } = event;
  const error = event.error ?? event.failure;
  const rest = [...closeTexts(telling), ...endCalls(telling)];
  const nodes = [...telling.nodes].map((key): Move => ({ type: 'node-end', key }));
  telling.nodes.clear();
  telling.questions = [];
  const end = {
    status,
    ...(finalState === undefined ? {} : { finalState }),
    ...(output === undefined ? {} : { output }),
    ...(error ? { error: toSafeError(error) } : {}),
  };
  return [...rest, ...nodes, ...(status === 'done' ? sayAnswer(telling, output) : []), { type: 'end', ...end, usage: usageOf(telling) }];
}

/** Shows the part of the answer that is not shown yet: all of it if no tokens were streamed. */
function sayAnswer(telling: Telling, output: Json | undefined): readonly Move[] {
  const answer = answerOf(output, telling.textsMade > 0);
  const last = telling.texts.at(-1);
  const shown = telling.texts.filter(({ node }) => node === last?.node).map((text) => text.shown);
  const whole = [shown.join(''), shown.at(-1) ?? ''].find((text) => text !== '' && answer?.trim().startsWith(text.trim()));
  const missing = answer === undefined ? '' : whole === undefined ? answer : answer.trim().slice(whole.trim().length);
  if (missing.trim() === '') return [];
  const id = `text-${++telling.textsMade}`;
  return [
    { type: 'text-start', id },
    { type: 'text', id, delta: missing },
    { type: 'text-end', id, text: missing },
  ];
}

function toPause({ result }: Extract<ProtocolEvent, { type: 'rest' }>): RunPause {
  const nothing = { interrupts: [], calls: [] } as const;
  switch (result?.status) {
    case 'waiting':
      return {
        ...nothing,
        status: 'waiting',
        interrupts: result.interrupts,
        ...(result.wakeAt === undefined ? {} : { wakeAt: result.wakeAt }),
      };
    case 'in_doubt':
      return { ...nothing, status: 'in_doubt', calls: result.calls };
    case 'failed':
      return { ...nothing, status: 'failed', error: toSafeError(result.error) };
    case undefined:
      return { ...nothing, status: 'elsewhere' };
    default:
      return { ...nothing, status: 'paused' };
  }
}

function addUsage({ usage }: Telling, model: string, more: TokenUsage): void {
  const before: TokenUsage = usage.get(model) ?? { inputTokens: 0, outputTokens: 0 };
  const sum = (name: keyof TokenUsage): number => (before[name] ?? 0) + (more[name] ?? 0);
  usage.set(model, {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    ...(sum('cachedInputTokens') > 0 ? { cachedInputTokens: sum('cachedInputTokens') } : {}),
    ...(sum('reasoningTokens') > 0 ? { reasoningTokens: sum('reasoningTokens') } : {}),
  });
}

const usageOf = ({ usage }: Telling): readonly ModelUsage[] => [...usage].map(([model, tokens]) => ({ model, ...tokens }));
