import { shorten } from '../../core/errors/shorten.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { AiSdkChunk } from './ai-sdk-chunk.ts';
import { toPendingCall } from './approval-question.ts';
import type { RunEncoder } from './protocol-event.ts';
import { createRunNarrator, type Move } from './run-narrator.ts';
import { plain } from './to-plain-json.ts';

/** Contents of the message's current step, each chunk with its text or call. A reset drops the whole step. */
interface Step {
  readonly chunks: { readonly of: string; readonly chunk: AiSdkChunk }[];
  readonly nodes: Set<string>;
}

interface Encoding {
  step: Step | undefined;
  /** Calls that needed approval. They are not `providerExecuted`, although the server makes them. */
  readonly approvals: Set<string>;
}

/**
 * Encodes a run as the AI SDK's UI message stream: one message, with nodes as steps. A question to a human is always a `data-interrupt`
 * part. If it can be approved, it is also the SDK's tool approval.
 *
 * @example for (const event of events) for (const chunk of encoder.push(event)) send(`data: ${JSON.stringify(chunk)}\n\n`);
 */
export function aiSdkEncoder(): RunEncoder<AiSdkChunk> {
  const narrator = createRunNarrator();
  const encoding: Encoding = { step: undefined, approvals: new Set() };
  return { push: (event) => narrator.narrate(event).flatMap((move) => encode(encoding, move)) };
}

function encode(encoding: Encoding, move: Move): readonly AiSdkChunk[] {
  switch (move.type) {
    case 'run': {
      const { type: _, ...run } = move;
      return [{ type: 'start', messageId: move.runId, messageMetadata: plain(run) }];
    }
    case 'node-start':
      return startNode(encoding, move.key, move.attempt);
    case 'node-end':
      return endNode(encoding, move.key, move.error);
    case 'moved':
      return [{ type: 'data-edge', data: plain({ ...move, type: undefined }), transient: true }];
    case 'text-start':
      return emit(encoding, move.id, { type: 'text-start', id: move.id });
    case 'text':
      return emit(encoding, move.id, { type: 'text-delta', id: move.id, delta: move.delta });
    case 'text-end':
      return emit(encoding, move.id, { type: 'text-end', id: move.id });
    case 'void':
      return withdraw(encoding, move);
    case 'thought':
      return [
        ...emit(encoding, '', { type: 'reasoning-start', id: move.id, providerMetadata: { 'agent-machines': { step: move.step } } }),
        ...emit(encoding, '', { type: 'reasoning-delta', id: move.id, delta: move.text }),
        ...emit(encoding, '', { type: 'reasoning-end', id: move.id }),
      ];
    case 'call':
      return emit(encoding, move.id, callChunk(move.id, move.tool, move.args, true));
    case 'call-end':
      return endCall(encoding, move);
    case 'sources':
      return move.sources.flatMap((source, index) => emit(encoding, '', toSource(`${move.id}/source-${index + 1}`, source)));
    case 'custom':
      return [{ type: 'data-custom', data: { name: move.name, data: move.data }, transient: true }];
    case 'question':
      return askQuestion(encoding, move);
    case 'answered':
      return answered(move);
    case 'decided':
      return decided(move);
    case 'end':
      return end(move);
    case 'pause':
      return pause(move);
  }
}

/** Sends a chunk, and keeps it while a reset may require sending it again. */
function emit({ step }: Encoding, of: string, chunk: AiSdkChunk): readonly AiSdkChunk[] {
  step?.chunks.push({ of, chunk });
  return [chunk];
}

function startNode(encoding: Encoding, key: string, attempt: number): readonly AiSdkChunk[] {
  const opening: readonly AiSdkChunk[] = encoding.step ? [] : [{ type: 'start-step' }];
  encoding.step ??= { chunks: [], nodes: new Set() };
  encoding.step.nodes.add(key);
  return [...opening, ...emit(encoding, '', { type: 'data-node', id: key, data: { key, status: 'running', attempt } })];
}

function endNode(encoding: Encoding, key: string, error: ErrorInfo | undefined): readonly AiSdkChunk[] {
  const data = plain({ key, status: error ? 'failed' : 'done', error });
  const chunks = emit(encoding, '', { type: 'data-node', id: key, data });
  encoding.step?.nodes.delete(key);
  if (!encoding.step || encoding.step.nodes.size > 0) return chunks;
  encoding.step = undefined;
  return [...chunks, { type: 'finish-step' }];
}

/** `reset-step` removes the whole step, so its valid parts are sent again. */
function withdraw({ step }: Encoding, { texts, calls }: Extract<Move, { type: 'void' }>): readonly AiSdkChunk[] {
  const isVoid = (of: string): boolean => texts.includes(of) || calls.includes(of);
  const inStep = new Set(step?.chunks.map(({ of }) => of));
  const earlier = calls.filter((id) => !inStep.has(id));
  const left = step?.chunks.filter(({ of }) => !isVoid(of)) ?? [];
  const reset: readonly AiSdkChunk[] = step ? [{ type: 'reset-step' }, ...left.map(({ chunk }) => chunk)] : [];
  step?.chunks.splice(0, Number.POSITIVE_INFINITY, ...left);
  return [
    ...reset,
    ...earlier.map((id): AiSdkChunk => ({ type: 'tool-output-error', toolCallId: id, errorText: interruptedText, dynamic: true })),
  ];
}

const interruptedText = 'This call was interrupted and is being repeated.';

function callChunk(toolCallId: string, toolName: string, args: Json, byServer: boolean): AiSdkChunk {
  return {
    type: 'tool-input-available',
    toolCallId,
    toolName,
    input: args,
    dynamic: true,
    ...(byServer ? { providerExecuted: true } : {}),
  };
}

function endCall(encoding: Encoding, { id, output = null, error }: Extract<Move, { type: 'call-end' }>): readonly AiSdkChunk[] {
  const byServer: { readonly providerExecuted?: true } = encoding.approvals.has(id) ? {} : { providerExecuted: true };
  const shared = { toolCallId: id, dynamic: true as const, ...byServer };
  if (error) return emit(encoding, id, { type: 'tool-output-error', ...shared, errorText: errorText(error) });
  return emit(encoding, id, { type: 'tool-output-available', ...shared, output });
}

const errorText = ({ code, message, hint }: ErrorInfo): string => `${code}: ${message}${hint ? ` ${hint}` : ''}`;

/** Sends the question as its own step, in which the SDK checks that all approvals are answered. */
function askQuestion(encoding: Encoding, { interrupt, calls }: Extract<Move, { type: 'question' }>): readonly AiSdkChunk[] {
  const { id, key, accepts, question, expiresAt } = interrupt;
  const part: AiSdkChunk = { type: 'data-interrupt', id, data: plain({ id, key, accepts, question, expiresAt, status: 'open' }) };
  const pending = calls.length > 0 ? calls : toPendingCall(interrupt);
  if (pending.length === 0) return emit(encoding, '', part);
  const parts: readonly AiSdkChunk[] = [
    part,
    ...pending.flatMap((call, index): readonly AiSdkChunk[] => {
      encoding.approvals.add(call.id);
      const shown: readonly AiSdkChunk[] = call.isShown ? [] : [callChunk(call.id, call.tool, call.args, false)];
      const request = { approvalId: call.approvalId, toolCallId: call.id, ...reasonOf(question, index) };
      return [...shown, { type: 'tool-approval-request', ...request }];
    }),
  ];
  return encoding.step ? parts.flatMap((chunk) => emit(encoding, '', chunk)) : [{ type: 'start-step' }, ...parts, { type: 'finish-step' }];
}

/** Reason of the request, of the call at this place if there are several. */
function reasonOf(question: Json | undefined, index: number): { readonly reason?: string } {
  if (!isObject(question)) return {};
  const call: unknown = Array.isArray(question.calls) ? question.calls[index] : question;
  return isObject(call) && typeof call.reason === 'string' ? { reason: call.reason } : {};
}

function answered({ interrupt, isOfCalls, on }: Extract<Move, { type: 'answered' }>): readonly AiSdkChunk[] {
  const { id, key } = interrupt;
  const part: AiSdkChunk = { type: 'data-interrupt', id, data: { id, key, status: 'answered', on } };
  if (isOfCalls) return [part];
  const approved = on === 'APPROVE';
  // a question that is not about a call is complete once approved
  return [
    part,
    ...toPendingCall(interrupt).flatMap((call) => [
      ...decided({ type: 'decided', call, approved }),
      ...(approved ? [{ type: 'tool-output-available', toolCallId: call.id, output: { approved }, dynamic: true } as const] : []),
    ]),
  ];
}

/** The server makes an approved call now. */
function decided({ call: { id, approvalId }, approved }: Extract<Move, { type: 'decided' }>): readonly AiSdkChunk[] {
  const response: AiSdkChunk = { type: 'tool-approval-response', approvalId, approved };
  return approved ? [response] : [response, { type: 'tool-output-denied', toolCallId: id }];
}

function end({ type: _, output, usage, error, isAnswered, ...rest }: Extract<Move, { type: 'end' }>): readonly AiSdkChunk[] {
  const messageMetadata = plain({ ...rest, usage, error });
  if (rest.status === 'failed' && !isAnswered) return [{ type: 'error', errorText: error ? errorText(error) : 'The run failed.' }];
  if (rest.status === 'cancelled')
    return [
      { type: 'abort', reason: 'The run was cancelled.' },
      { type: 'finish', finishReason: 'interrupted', messageMetadata },
    ];
  const data: readonly AiSdkChunk[] = output === undefined ? [] : [{ type: 'data-output', id: 'output', data: output }];
  return [...data, { type: 'finish', finishReason: error ? 'error' : 'stop', messageMetadata }];
}

function pause({ type: _, calls, interrupts, isReviewed: __, error, ...rest }: Extract<Move, { type: 'pause' }>): readonly AiSdkChunk[] {
  if (error) return [{ type: 'error', errorText: errorText(error) }];
  const messageMetadata = plain({ ...rest, interrupts: interrupts.map(({ id }) => id) });
  const doubts = calls.map((call): AiSdkChunk => ({ type: 'data-in-doubt', id: call.callId, data: plain(call) }));
  return [...doubts, { type: 'finish', finishReason: interrupts.length > 0 ? 'tool-calls' : 'other', messageMetadata }];
}

/** A source of an answer as an AI SDK chunk. Only web addresses become links. */
function toSource(sourceId: string, source: Json): AiSdkChunk {
  const fields: Readonly<Record<string, unknown>> = isObject(source) ? source : { title: source };
  const text = (...names: readonly string[]): string | undefined =>
    names.map((name) => fields[name]).find((value): value is string => typeof value === 'string' && value !== '');
  const title = shorten(text('title', 'name', 'label', 'id', 'documentId') ?? JSON.stringify(source), 200);
  const providerMetadata = { 'agent-machines': { source } };
  const url = text('url', 'uri', 'link');
  if (url !== undefined && /^https?:\/\//i.test(url)) return { type: 'source-url', sourceId, url, title, providerMetadata };
  return { type: 'source-document', sourceId, mediaType: 'text/plain', title, providerMetadata };
}
