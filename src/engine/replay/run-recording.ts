import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import type { JournalEntry, RunRecord } from '../../core/ports/run-store.ts';
import { readStart } from '../drive/start-entry.ts';

/** Input of a machine: the end of a node, a human's event or a timer. Acts are in the order in which the machine took them. */
export interface RecordedAct {
  /** `state#visit`. */
  readonly key: string;
  readonly kind: 'node' | 'event' | 'timer';
  /** Absent for a node that runs again. */
  readonly outcome?: Json;
  /** Error of a node that runs again and failed in the recording. */
  readonly error?: ErrorInfo;
}

/** All external input of a run, as JSON. The same recording always gives the same run. */
export interface RunRecording {
  readonly runId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly input: Json;
  /** State of the thread before the run. Absent when the run began the thread, or has none. */
  readonly thread?: Json;
  /** True when the run was started with `grantEgress`. @default false */
  readonly grantEgress?: boolean;
  readonly acts: readonly RecordedAct[];
  /** Results and errors of the steps of nodes, such as model and tool calls, by key. They are in the order in which they ended. */
  readonly steps: Readonly<Record<string, Json>>;
}

export interface RecordingOptions {
  readonly record: RunRecord;
  readonly entries: readonly JournalEntry[];
  /** State of the thread before the run. Default: no state. */
  readonly thread?: Json | undefined;
  /** `run`: nodes run again on the recorded results of their steps. `returned`: nodes return their recorded outcomes. */
  readonly nodes: 'run' | 'returned';
}

/** Extracts the data that a replay needs from a journal. @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
export function toRecording({ record: { id, startedAt }, entries, thread, nodes }: RecordingOptions): RunRecording {
  const { input, grantEgress = false } = readStart(id, entries);
  const acts = entries.flatMap(({ key, kind, outcome }): readonly RecordedAct[] => {
    if (kind !== 'node' && kind !== 'event' && kind !== 'timer') return [];
    if (nodes === 'returned' && key.includes('/')) return []; // belongs to a workflow inside a node, which does not run
    if (kind !== 'node' || nodes === 'returned') return [{ key, kind, outcome }];
    const { error } = outcome as { readonly error?: ErrorInfo };
    return [{ key, kind, ...(error ? { error } : {}) }];
  });
  const steps = nodes === 'run' ? entries.filter(({ kind }) => kind === 'step').map(({ key, outcome }) => [key, outcome] as const) : [];
  const known = { ...(thread === undefined ? {} : { thread }), ...(grantEgress ? { grantEgress } : {}) };
  return { runId: id, startedAt, input, ...known, acts, steps: Object.fromEntries(steps) };
}
