import type { ErrorInfo } from '../../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../../core/ports/json.ts';
import type { Interrupt } from '../../../core/ports/run-event.ts';
import { describeQuestion } from '../approval-question.ts';
import type { RunEncoder } from '../protocol-event.ts';
import { createRunNarrator, type Move } from '../run-narrator.ts';
import { suspended } from '../text-parts.ts';
import { plain } from '../to-plain-json.ts';

export type A2aTaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED';

/** A part of a message or an artifact, in A2A's JSON form. */
export type A2aPart = { readonly text: string } | { readonly data: Json };

export interface A2aMessage {
  readonly messageId: string;
  readonly contextId: string;
  readonly taskId: string;
  readonly role: 'ROLE_USER' | 'ROLE_AGENT';
  readonly parts: readonly A2aPart[];
}

export interface A2aStatus {
  readonly state: A2aTaskState;
  readonly message?: A2aMessage;
  /** ISO 8601. */
  readonly timestamp: string;
}

export interface A2aArtifact {
  readonly artifactId: string;
  readonly name: string;
  readonly parts: readonly A2aPart[];
}

/** A run as A2A's task. */
export interface A2aTask {
  readonly id: string;
  readonly contextId: string;
  readonly status: A2aStatus;
  readonly artifacts: readonly A2aArtifact[];
  readonly history: readonly A2aMessage[];
}

interface Ids {
  readonly taskId: string;
  readonly contextId: string;
}

/** A message of A2A's stream. */
export type A2aEvent =
  | { readonly task: A2aTask }
  | { readonly statusUpdate: Ids & { readonly status: A2aStatus } }
  | { readonly artifactUpdate: Ids & { readonly artifact: A2aArtifact; readonly append: boolean; readonly lastChunk: boolean } };

export interface A2aEncoder extends RunEncoder<A2aEvent> {
  /** The task after the last event. */
  readonly task: A2aTask;
}

export interface A2aEncoderOptions {
  /** The user's message that started the run. */
  readonly input?: string;
}

interface Encoding extends A2aEncoderOptions {
  ids: Ids;
  status: A2aStatus;
  readonly artifacts: Map<string, A2aArtifact>;
}

/** Encodes a run as a task of A2A 1.0. Texts of nodes are artifacts, and so is the output. A question is the status `input-required`. */
export function a2aEncoder(options: A2aEncoderOptions = {}): A2aEncoder {
  const narrator = createRunNarrator();
  const encoding: Encoding = {
    ...options,
    ids: { taskId: '', contextId: '' },
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date(0).toISOString() },
    artifacts: new Map(),
  };
  return {
    push: (event) => narrator.narrate(event).flatMap((move) => encode(encoding, move, new Date(event.at).toISOString())),
    get task() {
      return taskOf(encoding);
    },
  };
}

function taskOf({ ids, status, artifacts, input }: Encoding): A2aTask {
  const { taskId: id, contextId } = ids;
  const history: readonly A2aMessage[] =
    input === undefined ? [] : [{ messageId: `${id}-user`, ...ids, role: 'ROLE_USER', parts: [{ text: input }] }];
  return { id, contextId, status, artifacts: [...artifacts.values()], history };
}

function encode(encoding: Encoding, move: Move, timestamp: string): readonly A2aEvent[] {
  switch (move.type) {
    case 'run':
      encoding.ids = { taskId: move.runId, contextId: move.threadId ?? move.runId };
      encoding.status = { state: 'TASK_STATE_WORKING', timestamp };
      return [{ task: taskOf(encoding) }];
    case 'text':
      return addText(encoding, move.id, move.delta);
    case 'text-end':
      return [artifactUpdate(encoding, { artifactId: move.id, name: 'text', parts: [] }, { append: true, lastChunk: true })];
    case 'void':
      return move.texts.flatMap((id) => withdraw(encoding, id));
    case 'end':
      return end(encoding, move, timestamp);
    case 'pause':
      return pause(encoding, move, timestamp);
    default:
      return [];
  }
}

function addText(encoding: Encoding, id: string, delta: string): readonly A2aEvent[] {
  const [before] = encoding.artifacts.get(id)?.parts ?? [];
  const text = before && 'text' in before ? before.text : '';
  encoding.artifacts.set(id, { artifactId: id, name: 'text', parts: [{ text: text + delta }] });
  return [
    artifactUpdate(
      encoding,
      { artifactId: id, name: 'text', parts: [{ text: delta }] },
      { append: before !== undefined, lastChunk: false },
    ),
  ];
}

/** A client replaces the void text by an empty one: A2A cannot remove an artifact. */
function withdraw(encoding: Encoding, id: string): readonly A2aEvent[] {
  if (!encoding.artifacts.delete(id)) return [];
  return [artifactUpdate(encoding, { artifactId: id, name: 'text', parts: [{ text: '' }] }, { append: false, lastChunk: true })];
}

const artifactUpdate = (
  { ids }: Encoding,
  artifact: A2aArtifact,
  chunk: { readonly append: boolean; readonly lastChunk: boolean },
): A2aEvent => ({ artifactUpdate: { ...ids, artifact, ...chunk } });

function end(encoding: Encoding, { status, output, error }: Extract<Move, { type: 'end' }>, timestamp: string): readonly A2aEvent[] {
  const states = { done: 'TASK_STATE_COMPLETED', failed: 'TASK_STATE_FAILED', cancelled: 'TASK_STATE_CANCELED' } as const;
  const events: A2aEvent[] = [];
  if (output !== undefined) {
    const artifact = { artifactId: 'output', name: 'output', parts: [{ data: output }] };
    encoding.artifacts.set('output', artifact);
    events.push(artifactUpdate(encoding, artifact, { append: false, lastChunk: true }));
  }
  return [...events, setStatus(encoding, { state: states[status], timestamp }, error ? [{ text: textOf(error) }, errorPart(error)] : [])];
}

function pause(
  encoding: Encoding,
  { status, interrupts, calls, error }: Extract<Move, { type: 'pause' }>,
  timestamp: string,
): readonly A2aEvent[] {
  const state = 'TASK_STATE_INPUT_REQUIRED';
  const [open] = interrupts;
  if (open) return [setStatus(encoding, { state, timestamp }, [{ text: describeQuestion(open) }, ...interrupts.map(questionPart)])];
  if (calls.length > 0) return [setStatus(encoding, { state, timestamp }, [{ data: { inDoubt: calls.map((call) => plain(call)) } }])];
  if (status === 'waiting') return [setStatus(encoding, { state: 'TASK_STATE_WORKING', timestamp }, [])];
  const why = error ?? suspended;
  return [
    setStatus(encoding, { state: error ? 'TASK_STATE_FAILED' : 'TASK_STATE_WORKING', timestamp }, [{ text: textOf(why) }, errorPart(why)]),
  ];
}

const questionPart = ({ id, accepts, question, expiresAt }: Interrupt): A2aPart => ({
  data: plain({ interruptId: id, accepts, question, expiresAt }),
});

const errorPart = ({ code, message }: ErrorInfo): A2aPart => ({ data: { code, message } satisfies JsonObject });
const textOf = ({ message, hint }: ErrorInfo): string => (hint ? `${message} ${hint}` : message);

function setStatus(encoding: Encoding, status: Omit<A2aStatus, 'message'>, parts: readonly A2aPart[]): A2aEvent {
  const { ids } = encoding;
  const messageId = `${ids.taskId}-${status.timestamp}`;
  encoding.status = parts.length === 0 ? status : { ...status, message: { messageId, ...ids, role: 'ROLE_AGENT', parts } };
  return { statusUpdate: { ...ids, status: encoding.status } };
}
