import { toSafeError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import type { CallInDoubt, Interrupt, TokenUsage } from '../../core/ports/run-event.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { clientQuestions, isHeldAnswer } from '../../core/util/is-held-answer.ts';
import { isObject } from '../../core/util/is-object.ts';
import { noUsage } from '../../core/util/no-usage.ts';
import { driveOf } from '../../engine/drive/drive-of.ts';
import { answerOf } from './answer-of.ts';
import type { ProtocolEvent } from './protocol-event.ts';

/** A tool call that needs approval. */
export interface PendingCall {
  readonly id: string;
  /** Names the call in the answer: the question's id, with the call's key if one answer decides several calls. */
  readonly approvalId: string;
  /** True when an earlier question has shown it. */
  readonly isShown: boolean;
  readonly tool: string;
  readonly args: Json;
}

export interface ModelUsage extends TokenUsage {
  readonly model: string;
}

interface RunEnd {
  readonly status: 'done' | 'failed' | 'cancelled';
  readonly finalState?: string;
  readonly output?: Json;
  /** Error of a failed run. */
  readonly error?: ErrorInfo;
  /** False for a run that failed without an output that says why. Its error is reported instead of an answer. */
  readonly isAnswered: boolean;
}

interface RunPause {
  readonly status: 'waiting' | 'in_doubt' | 'paused' | 'failed' | 'elsewhere';
  /** Questions that the client may answer. */
  readonly interrupts: readonly Interrupt[];
  /** True if nothing is asked but what a reviewer decides elsewhere. */
  readonly isReviewed: boolean;
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
  /** `calls`: the calls that are to be approved; empty for another question. */
  | { readonly type: 'question'; readonly interrupt: Interrupt; readonly calls: readonly PendingCall[] }
  | { readonly type: 'answered'; readonly interrupt: Interrupt; readonly on: string; readonly isOfCalls: boolean }
  /** A call was approved, or will not be made as it was shown. */
  | { readonly type: 'decided'; readonly call: PendingCall; readonly approved: boolean }
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
  readonly signature: string;
  open: boolean;
  /** Number of the event that ended the call. */
  endSeq?: number;
  output?: Json;
}

interface Question {
  readonly interrupt: Interrupt;
  readonly calls: readonly PendingCall[];
}

interface Narration {
  /** Texts of active nodes, and of the last node that has ended. */
  texts: Text[];
  textsMade: number;
  readonly calls: Map<string, Call>;
  readonly nodes: Set<string>;
  questions: Question[];
  /** Approved calls that have not started yet. */
  approved: PendingCall[];
  /** Calls decided together, with their drive. The events do not say how: an approved call starts before its node ends. */
  decided: { readonly drive: string; readonly call: PendingCall }[];
  readonly usage: Map<string, TokenUsage>;
  /** Calls of a question about several, until they are decided. */
  asked: { readonly drive: string; readonly key: unknown; readonly signature: string; readonly id: string }[];
  thoughts: number;
}

/**
 * Converts the events of a run to moves for display. It joins texts, closes everything left open, and matches answers to questions and
 * approvals to calls. It must receive every event of the run, from the first.
 */
export function createRunNarrator(): { narrate(event: ProtocolEvent): readonly Move[] } {
  const narration: Narration = {
    texts: [],
    textsMade: 0,
    calls: new Map(),
    nodes: new Set(),
    questions: [],
    approved: [],
    decided: [],
    asked: [],
    usage: new Map(),
    thoughts: 0,
  };
  return { narrate: (event) => narrate(narration, event) };
}

function narrate(narration: Narration, event: ProtocolEvent): readonly Move[] {
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
      return startNode(narration, event.key, event.attempt);
    case 'node-end':
      return endNode(narration, event.key, event.error);
    case 'edge':
      return followEdge(narration, event);
    case 'interrupt':
      return addQuestion(narration, event.interrupt);
    case 'model-start':
      return event.node === undefined ? [] : closeTexts(narration, event.node);
    case 'model-end':
      addUsage(narration, event.model, event.usage);
      return [];
    case 'token':
      return event.text === '' ? [] : addText(narration, event.node ?? '', event.text);
    case 'step-reset':
      return withdraw(narration, event.node, event.seq);
    case 'thinking': {
      const text = typeof event.content === 'string' ? event.content : JSON.stringify(event.content);
      return [{ type: 'thought', id: `thought-${++narration.thoughts}`, step: event.step, text }];
    }
    case 'tool-start':
      return startCall(narration, event);
    case 'tool-end':
      return endCall(narration, event);
    case 'sources':
      return [{ type: 'sources', id: event.node ?? 'run', sources: Array.isArray(event.sources) ? event.sources : [event.sources] }];
    case 'custom':
      return [{ type: 'custom', name: event.name, data: event.data }];
    case 'node-retry':
    case 'run-migrated':
    case 'guard':
    case 'offer-changed':
    case 'node-patched':
      return [];
    case 'run-end':
      return endRun(narration, event);
    case 'rest': {
      const pause = toPause(event);
      // a call in doubt has not ended
      return [...closeTexts(narration), ...(pause.isReviewed ? reviewNotice : []), { type: 'pause', ...pause, usage: usageOf(narration) }];
    }
  }
}

function startNode(narration: Narration, key: string, attempt: number): readonly Move[] {
  const isRestart = narration.nodes.has(key);
  narration.nodes.add(key);
  const withdrawn = isRestart || attempt > 1 ? withdraw(narration, key, Number.POSITIVE_INFINITY) : [];
  return isRestart ? withdrawn : [...withdrawn, { type: 'node-start', key, attempt }];
}

function endNode(narration: Narration, key: string, error: ErrorInfo | undefined): readonly Move[] {
  const closed = [...closeTexts(narration, key), ...endCalls(narration, key), ...refuseRest(narration, driveOf(key))];
  if (!narration.nodes.delete(key)) return closed;
  return [...closed, { type: 'node-end', key, ...(error ? { error: toSafeError(error) } : {}) }];
}

function addText(narration: Narration, node: string, delta: string): readonly Move[] {
  const open = narration.texts.find((text) => text.node === node && text.open);
  if (open) {
    open.shown += delta;
    return [{ type: 'text', id: open.id, delta }];
  }
  const id = `text-${++narration.textsMade}`;
  // texts of ended nodes are only compared with the answer, and the newest is enough
  narration.texts = [...narration.texts.filter((text) => narration.nodes.has(text.node)), { id, node, shown: delta, open: true }];
  return [
    { type: 'text-start', id },
    { type: 'text', id, delta },
  ];
}

function closeTexts({ texts }: Narration, node?: string): readonly Move[] {
  const open = texts.filter((text) => text.open && (node === undefined || text.node === node));
  return open.map((text) => {
    text.open = false;
    return { type: 'text-end', id: text.id, text: text.shown };
  });
}

/** Ends the calls of a node that was abandoned, or that ended without reporting them. */
function endCalls({ calls }: Narration, node?: string): readonly Move[] {
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
function withdraw(narration: Narration, node: string | undefined, seq: number): readonly Move[] {
  const isVoid = (text: Text): boolean => (node === undefined ? narration.nodes.has(text.node) || text.open : text.node === node);
  const texts = narration.texts.filter(isVoid).map(({ id }) => id);
  narration.texts = narration.texts.filter((text) => !isVoid(text));
  const calls: string[] = [];
  for (const [key, call] of narration.calls) {
    if (call.endSeq !== undefined && call.endSeq >= seq) call.open = true; // the call's end will be repeated
    if (call.seq < seq) continue;
    narration.calls.delete(key);
    calls.push(call.id);
  }
  return texts.length + calls.length === 0 ? [] : [{ type: 'void', texts, calls }];
}

const callKey = (node: string | undefined, callId: string): string => `${node ?? 'run'}/${callId}`;

function startCall(narration: Narration, event: Extract<ProtocolEvent, { type: 'tool-start' }>): readonly Move[] {
  const { node = '', callId, tool, args, seq } = event;
  const key = callKey(event.node, callId);
  const known = narration.calls.get(key);
  if (known?.open) return [];
  const signature = signatureOf(tool, args);
  const isThis = (one: PendingCall): boolean => signatureOf(one.tool, one.args) === signature;
  const asked = narration.approved.find(isThis);
  narration.approved = narration.approved.filter((one) => one !== asked);
  const decided = asked ? undefined : narration.decided.find(({ drive, call }) => drive === driveOf(node) && isThis(call))?.call;
  narration.decided = narration.decided.filter(({ call }) => call !== decided);
  narration.calls.set(key, { id: (asked ?? decided)?.id ?? key, node, seq, signature, open: true });
  if (decided) return [{ type: 'decided', call: decided, approved: true }];
  return asked ? [] : [{ type: 'call', id: key, tool, args }];
}

/** The calls decided together that did not start were rejected or edited. */
function refuseRest(narration: Narration, drive: string): readonly Move[] {
  const refused = narration.decided.filter((one) => one.drive === drive);
  narration.decided = narration.decided.filter((one) => one.drive !== drive);
  return refused.map(({ call }) => ({ type: 'decided', call, approved: false }));
}

function endCall(narration: Narration, event: Extract<ProtocolEvent, { type: 'tool-end' }>): readonly Move[] {
  const call = narration.calls.get(callKey(event.node, event.callId));
  if (!call?.open) return [];
  call.open = false;
  call.endSeq = event.seq;
  const { error, output = event.deduplicated ? earlierOutput(narration, call) : null } = event;
  if (!error) call.output = output;
  return [{ type: 'call-end', id: call.id, ...(error ? { error: toSafeError(error) } : { output }) }];
}

/** Output of an equal call of the same node, which this call reuses instead of running. */
const earlierOutput = ({ calls }: Narration, { node, signature }: Call): Json =>
  [...calls.values()].find((one) => one.node === node && one.signature === signature && one.output !== undefined)?.output ?? null;

const signatureOf = (tool: string, args: Json): string => `${tool}:${canonicalJson(args)}`;

function addQuestion(narration: Narration, interrupt: Interrupt): readonly Move[] {
  if (isHeldAnswer(interrupt)) return closeTexts(narration, driveOf(interrupt.key));
  const question: Question = { interrupt, calls: pendingCallsOf(narration, interrupt) };
  narration.questions = [...narration.questions.filter((one) => one.interrupt.key !== interrupt.key), question];
  return [...closeTexts(narration, driveOf(interrupt.key)), { type: 'question', ...question }];
}

/** Calls that an approval refers to, as shown by `toolReviewQuestion`: all of them if one answer can decide all. */
function pendingCallsOf(narration: Narration, { id, key, accepts, question }: Interrupt): readonly PendingCall[] {
  if (!isObject(question) || !accepts.includes('APPROVE')) return [];
  const all = accepts.includes('DECIDE') && Array.isArray(question.calls) ? question.calls : [question];
  return all.flatMap((shown: unknown): readonly PendingCall[] => {
    if (!isObject(shown) || typeof shown.tool !== 'string' || !isObject(shown.arguments)) return [];
    const ofCall = all.length > 1 ? `${id}/${shown.key}` : id;
    const call = { tool: shown.tool, args: shown.arguments as Json };
    const signature = signatureOf(call.tool, call.args);
    const before = narration.asked.find((one) => one.drive === driveOf(key) && one.key === shown.key && one.signature === signature);
    if (before) return [{ ...call, id: before.id, approvalId: ofCall, isShown: true }];
    if (all.length > 1) narration.asked.push({ drive: driveOf(key), key: shown.key, signature, id: ofCall });
    return [{ ...call, id: ofCall, approvalId: ofCall, isShown: false }];
  });
}

function followEdge(narration: Narration, event: Extract<ProtocolEvent, { type: 'edge' }>): readonly Move[] {
  const { from, to, on, guard, node = '' } = event;
  const answered = narration.questions.filter(({ interrupt: { key, accepts } }) => {
    const state = key.slice(driveOf(key).length).replace(/^\//, '').replace(/#\d+$/, '');
    return driveOf(key) === node && state === from && accepts.includes(on);
  });
  narration.questions = narration.questions.filter((one) => !answered.includes(one));
  return [
    ...answered.flatMap((one) => answerQuestion(narration, one, on)),
    { type: 'moved', from, to, on, ...(guard === undefined ? {} : { guard }) },
  ];
}

/** `DECIDE` decides all calls of a question, any other answer the first. */
function answerQuestion(narration: Narration, { interrupt, calls }: Question, on: string): readonly Move[] {
  const answered: Move = { type: 'answered', interrupt, on, isOfCalls: calls.length > 0 };
  const drive = driveOf(interrupt.key);
  const decided = on === 'DECIDE' ? calls : calls.slice(0, 1);
  narration.asked = narration.asked.filter(({ id }) => !decided.some((call) => call.id === id));
  if (on === 'DECIDE') {
    narration.decided.push(...calls.map((call) => ({ drive, call })));
    return [answered];
  }
  const [call] = decided;
  if (!call) return [answered];
  if (on === 'APPROVE') narration.approved.push(call);
  return [answered, { type: 'decided', call, approved: on === 'APPROVE' }];
}

function endRun(narration: Narration, event: Extract<ProtocolEvent, { type: 'run-end' }>): readonly Move[] {
  const { status, output } = event;
  const finalState = 'finalState' in event ? event.finalState : undefined;
  const error = status === 'failed' ? event.error : undefined;
  const rest = [...closeTexts(narration), ...endCalls(narration)];
  const nodes = [...narration.nodes].map((key): Move => ({ type: 'node-end', key }));
  narration.nodes.clear();
  narration.questions = [];
  const isAnswered = status === 'done' || (finalState !== undefined && answerOf(output, true) !== undefined);
  const end = {
    status,
    isAnswered,
    ...(finalState === undefined ? {} : { finalState }),
    ...(output === undefined ? {} : { output }),
    ...(error ? { error: toSafeError(error) } : {}),
  };
  return [...rest, ...nodes, ...(isAnswered ? completeAnswer(narration, output) : []), { type: 'end', ...end, usage: usageOf(narration) }];
}

/** Shows the part of the answer that is not shown yet: all of it if no tokens were streamed. */
function completeAnswer(narration: Narration, output: Json | undefined): readonly Move[] {
  const answer = answerOf(output, narration.textsMade > 0);
  const last = narration.texts.at(-1);
  const shown = narration.texts.filter(({ node }) => node === last?.node).map((text) => text.shown);
  const whole = [shown.join(''), shown.at(-1) ?? ''].find((text) => text !== '' && answer?.trim().startsWith(text.trim()));
  const missing = answer === undefined ? '' : whole === undefined ? answer : answer.trim().slice(whole.trim().length);
  if (missing.trim() === '') return [];
  const id = `text-${++narration.textsMade}`;
  return [
    { type: 'text-start', id },
    { type: 'text', id, delta: missing },
    { type: 'text-end', id, text: missing },
  ];
}

const reviewText = 'The answer waits for a review.';
/** Shown while a reviewer decides about an answer that a guard holds. */
const reviewNotice: readonly Move[] = [
  { type: 'text-start', id: 'review' },
  { type: 'text', id: 'review', delta: reviewText },
  { type: 'text-end', id: 'review', text: reviewText },
];

function toPause({ result }: Extract<ProtocolEvent, { type: 'rest' }>): RunPause {
  const nothing = { interrupts: [], isReviewed: false, calls: [] } as const;
  switch (result?.status) {
    case 'waiting': {
      const interrupts = clientQuestions(result.interrupts);
      return {
        ...nothing,
        status: 'waiting',
        interrupts,
        isReviewed: result.interrupts.length > 0 && interrupts.length === 0,
        ...(result.wakeAt === undefined ? {} : { wakeAt: result.wakeAt }),
      };
    }
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

function addUsage({ usage }: Narration, model: string, more: TokenUsage): void {
  const before: TokenUsage = usage.get(model) ?? noUsage;
  const sum = (name: keyof TokenUsage): number => (before[name] ?? 0) + (more[name] ?? 0);
  usage.set(model, {
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    ...(sum('cachedInputTokens') > 0 ? { cachedInputTokens: sum('cachedInputTokens') } : {}),
    ...(sum('reasoningTokens') > 0 ? { reasoningTokens: sum('reasoningTokens') } : {}),
  });
}

const usageOf = ({ usage }: Narration): readonly ModelUsage[] => [...usage].map(([model, tokens]) => ({ model, ...tokens }));
