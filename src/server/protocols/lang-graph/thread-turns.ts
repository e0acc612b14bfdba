import { WorkflowError } from '../../../core/errors/errors.ts';
import type { ErrorInfo } from '../../../core/ports/error-info.ts';
import type { RunStatus } from '../../../core/ports/run-store.ts';
import { hasCode } from '../../../core/util/has-code.ts';
import type { RunSummary, Runtime, ThreadTurn } from '../../../engine/run/runtime.ts';
import { inputText } from '../../http/thread-title.ts';
import type { LangGraphValues } from './lang-graph-encoder.ts';
import { langGraphEncoder } from './lang-graph-encoder.ts';
import type { LangGraphInterrupt } from './lang-graph-interrupt.ts';
import { humanMessage, type LangGraphMessage } from './lang-graph-message.ts';
import { recordedEvents } from './recorded-events.ts';

/** Maximum number of turns in the state of a thread, newest first. */
export const maxTurns = 100;

/** One run of a thread, and the thread's state after it. */
export interface GraphTurn {
  readonly run: RunSummary;
  readonly status: RunStatus;
  /** Number of its last event. */
  readonly seq: number;
  readonly values: LangGraphValues;
  readonly interrupts: readonly LangGraphInterrupt[];
  readonly error?: ErrorInfo;
}

/** Reads the newest turns of a thread, oldest first. `[]` for a thread without runs. */
export async function readTurns(runtime: Runtime, threadId: string): Promise<readonly GraphTurn[]> {
  const turns: GraphTurn[] = [];
  let before: readonly LangGraphMessage[] = [];
  for (const turn of await newestTurns(runtime, threadId)) {
    const read = toGraphTurn(turn, before);
    before = read.values.messages;
    turns.push(read);
  }
  return turns;
}

async function newestTurns(runtime: Runtime, threadId: string): Promise<readonly ThreadTurn[]> {
  try {
    return (await runtime.turns(threadId, { limit: maxTurns })).turns.toReversed();
  } catch (cause) {
    if (hasCode(cause, 'THREAD_UNKNOWN')) return [];
    throw cause;
  }
}

/** A damaged journal hides only its own turn. */
function toGraphTurn(turn: ThreadTurn, before: readonly LangGraphMessage[]): GraphTurn {
  const { run } = turn;
  const { status } = run;
  if ('damage' in turn) return { run, status, seq: 0, values: { messages: before }, interrupts: [], error: turn.damage };
  const encoder = langGraphEncoder({ modes: [], before: [...before, inputMessage(turn.run)] });
  const events = recordedEvents(turn.run, turn.entries);
  for (const event of events) encoder.push(event);
  const { values, interrupts, error } = encoder;
  return { run, status, seq: events.at(-1)?.seq ?? 0, values, interrupts, ...(error ? { error } : {}) };
}

export const inputMessage = ({ id, input }: Pick<Extract<ThreadTurn, { entries: unknown }>['run'], 'id' | 'input'>): LangGraphMessage =>
  humanMessage(`${id}-user`, inputText(input));

/** Position in a thread: a run, and the number of an event of it. */
export interface Checkpoint {
  readonly runId: string;
  readonly seq: number;
}

export const checkpointId = ({ run, seq }: Pick<GraphTurn, 'run' | 'seq'>): string => `${run.id}.${seq}`;

/** @throws {WorkflowError} `FORK_POINT_UNKNOWN` for an id that no checkpoint of this server has. */
export function parseCheckpoint(id: string): Checkpoint {
  const [, runId = '', seq = ''] = /^([A-Za-z0-9_-]{1,64})\.(\d{1,9})$/.exec(id) ?? [];
  if (runId === '') throw checkpointUnknown();
  return { runId, seq: Number(seq) };
}

export const checkpointUnknown = (): WorkflowError =>
  new WorkflowError({
    code: 'FORK_POINT_UNKNOWN',
    message: 'The thread has no such checkpoint.',
    hint: 'Read the history of the thread. It has one checkpoint per run, at its end or its open question.',
  });
