import type { JsonObject } from '../../../core/ports/json.ts';
import type { RunStatus } from '../../../core/ports/run-store.ts';
import type { RunSummary } from '../../../engine/run/runtime.ts';
import { plain } from '../to-plain-json.ts';
import { toLangGraphError } from './lang-graph-encoder.ts';
import type { LangGraphInterrupt } from './lang-graph-interrupt.ts';
import { checkpointId, type GraphTurn } from './thread-turns.ts';

/** Ids of a workflow in LangGraph's metadata. */
export interface ThreadOwner {
  readonly threadId: string;
  readonly assistantId: string;
}

const isoDate = (at: number): string => new Date(at).toISOString();

const threadStatuses: Readonly<Record<RunStatus, 'idle' | 'busy' | 'interrupted' | 'error'>> = {
  queued: 'busy',
  running: 'busy',
  paused: 'busy',
  waiting: 'interrupted',
  in_doubt: 'interrupted',
  done: 'idle',
  cancelled: 'idle',
  failed: 'error',
};

const runStatuses: Readonly<Record<RunStatus, 'pending' | 'running' | 'success' | 'error' | 'interrupted'>> = {
  queued: 'pending',
  running: 'running',
  paused: 'pending',
  waiting: 'interrupted',
  in_doubt: 'interrupted',
  done: 'success',
  cancelled: 'interrupted',
  failed: 'error',
};

export const threadStatusOf = (status: RunStatus): string => threadStatuses[status];

export const runStatusOf = (status: RunStatus): string => runStatuses[status];

/** A thread that has no run yet. */
export function emptyThread(threadId: string, createdAt: number, metadata: JsonObject): JsonObject {
  const at = isoDate(createdAt);
  const times = { created_at: at, updated_at: at, state_updated_at: at };
  return { thread_id: threadId, ...times, metadata, status: 'idle', config: {}, values: {}, interrupts: {} };
}

export function toThread({ threadId, assistantId }: ThreadOwner, turns: readonly GraphTurn[]): JsonObject {
  const [first] = turns;
  const last = turns.at(-1);
  const updatedAt = isoDate(last?.run.updatedAt ?? 0);
  return plain({
    thread_id: threadId,
    created_at: isoDate(first?.run.startedAt ?? 0),
    updated_at: updatedAt,
    state_updated_at: updatedAt,
    metadata: { graph_id: assistantId, assistant_id: assistantId },
    status: threadStatusOf(last?.status ?? 'done'),
    config: {},
    values: last?.values ?? {},
    interrupts: Object.fromEntries((last?.interrupts ?? []).map((one) => [one.id, [one]])),
  });
}

export function toLangGraphRun({ id, status, startedAt, updatedAt }: RunSummary, { threadId, assistantId }: ThreadOwner): JsonObject {
  return {
    run_id: id,
    thread_id: threadId,
    assistant_id: assistantId,
    created_at: isoDate(startedAt),
    updated_at: isoDate(updatedAt),
    status: runStatusOf(status),
    metadata: { graph_id: assistantId, assistant_id: assistantId },
    kwargs: {},
    multitask_strategy: 'reject',
  };
}

/** State of a thread without runs. */
export const emptyState: JsonObject = {
  values: {},
  next: [],
  tasks: [],
  metadata: {},
  created_at: null,
  checkpoint: null,
  parent_checkpoint: null,
};

/** State of a thread after a turn. Only a run that waits has tasks, one per open question. */
export function toThreadState(owner: ThreadOwner, turns: readonly GraphTurn[], index: number): JsonObject {
  const turn = turns[index];
  if (!turn) return emptyState;
  const { run, values, interrupts, error } = turn;
  const parent = turns[index - 1];
  const tasks = interrupts.map((one) => ({ ...task(one.id, stateOf(one)), interrupts: [one] }));
  const failed = error ? [{ ...task(run.id, run.workflow), error: JSON.stringify(toLangGraphError(error)) }] : [];
  return plain({
    values,
    next: interrupts.map(stateOf),
    tasks: [...tasks, ...failed],
    metadata: {
      source: 'loop',
      step: index + 1,
      parents: {},
      thread_id: owner.threadId,
      run_id: run.id,
      graph_id: owner.assistantId,
      assistant_id: owner.assistantId,
    },
    created_at: isoDate(run.updatedAt),
    checkpoint: toCheckpoint(owner, turn),
    parent_checkpoint: parent ? toCheckpoint(owner, parent) : null,
  });
}

const stateOf = ({ value }: LangGraphInterrupt): string => String(value.state);

const toCheckpoint = ({ threadId }: ThreadOwner, turn: GraphTurn): JsonObject => ({
  thread_id: threadId,
  checkpoint_id: checkpointId(turn),
  checkpoint_ns: '',
  checkpoint_map: null,
});

const task = (id: string, name: string): JsonObject => ({
  id,
  name,
  path: [],
  error: null,
  interrupts: [],
  checkpoint: null,
  state: null,
  result: null,
});
