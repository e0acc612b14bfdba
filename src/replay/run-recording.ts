import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json } from '../ports/json.ts';
import type { JournalEntry, RunRecord } from '../ports/run-store.ts';
import { readStart } from '../runtime/start-entry.ts';

/** What a machine was told, in the order in which it was: a node's end, a human's event, or a timer. */
export interface RecordedAct {
  /** `state#visit`. */
  readonly key: string;
  readonly kind: 'node' | 'event' | 'timer';
  /** Absent for a node that is to run again. */
  readonly outcome?: Json;
  /** Of a node that is to run again and has failed: with what. */
  readonly error?: ErrorInfo;
}

/** All that came to a run from outside: the same recording is the same run. JSON. */
export interface RunRecording {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly input: Json;
  /** State of the thread before it. Absent: it began one, or has none. */
  readonly thread?: Json;
  /** The run was started with `grantEgress`. @default false */
  readonly grantEgress?: boolean;
  readonly acts: readonly RecordedAct[];
  /** What model calls, tool calls and other steps of nodes have returned or thrown, by their keys; in the order in which they ended. */
  readonly steps: Readonly<Record<string, Json>>;
}

export interface RecordingOptions {
  readonly record: RunRecord;
  readonly entries: readonly JournalEntry[];
  /** State of the thread before the run. Default: it had none. */
  readonly thread?: Json | undefined;
  /** `run`: nodes run again on what their steps have returned. `returned`: they return what they returned. */
  readonly nodes: 'run' | 'returned';
}

/** Takes out of a journal what a replay needs. @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
export function toRecording({ record: { id, startedAt }, entries, thread, nodes }: RecordingOptions): RunRecording {
  const { input, grantEgress = false } = readStart(id, entries);
  const acts = entries.flatMap(({ key, kind, outcome }): readonly RecordedAct[] => {
    if (kind !== 'node' && kind !== 'event' && kind !== 'timer') return [];
    if (nodes === 'returned' && key.includes('/')) return []; // of a workflow inside a node, which does not run
    if (kind !== 'node' || nodes === 'returned') return [{ key, kind, outcome }];
    const { error } = outcome as { readonly error?: ErrorInfo };
    return [{ key, kind, ...(error ? { error } : {}) }];
  });
  const steps = nodes === 'run' ? entries.filter(({ kind }) => kind === 'step').map(({ key, outcome }) => [key, outcome] as const) : [];
  const known = { ...(thread === undefined ? {} : { thread }), ...(grantEgress ? { grantEgress } : {}) };
  return { runId: id, startedAt, input, ...known, acts, steps: Object.fromEntries(steps) };
}
