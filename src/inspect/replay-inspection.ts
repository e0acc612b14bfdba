import type { Clock } from '../core/ports/clock.ts';
import type { JournalEntry, RunStore } from '../core/ports/run-store.ts';
import { optionInvalid } from '../core/util/check-options.ts';
import { pause } from '../core/util/pause.ts';
import { systemClock } from '../core/util/system-clock.ts';
import type { AnyWorkflow } from '../engine/define/define-workflow.ts';
import { drive } from '../engine/drive/driver.ts';
import { machineInputOf } from '../engine/drive/migrated.ts';
import type { InspectedDrive, RunInspection } from '../engine/drive/run-inspection.ts';
import { toResult } from '../engine/drive/to-result.ts';
import { endsWait } from '../engine/journal/journal-index.ts';
import { assertSameMachine, tapeHost } from '../engine/replay/tape-host.ts';
import { readRun, restOf, type StoredRun } from '../engine/run/stored-runs.ts';
import { threadBefore } from '../engine/run/thread-state.ts';
import { type InspectOptions, inspectRuns } from './inspect-runs.ts';
import type { MirroredEvent } from './xstate-mirror.ts';

export interface ReplayInspectionOptions extends InspectOptions {
  readonly store: RunStore;
  readonly runId: string;
  /** Workflow with which the run was started. */
  readonly workflow: AnyWorkflow;
  /** Speed factor relative to the original run. @default Infinity: without pauses */
  readonly speed?: number;
  /** Clock for the pauses. @default the system clock */
  readonly clock?: Clock;
  /** Aborts the replay. */
  readonly signal?: AbortSignal;
}

/**
 * Shows a stored run to an XState inspector as `inspectRuns` would have shown it, to the end of its journal. Executes and writes nothing.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`, `JOURNAL_OF_OTHER_MACHINE` if the run belongs to another workflow, `OPTION_INVALID`; the reason of
 * `signal`.
 * @example await replayInspection({ store, runId, workflow, inspect: inspector.inspect, speed: 10 });
 */
export async function replayInspection(options: ReplayInspectionOptions): Promise<void> {
  const { store, runId, workflow, speed = Number.POSITIVE_INFINITY, clock = systemClock, signal, ...inspectOptions } = options;
  if (!(speed > 0)) throw optionInvalid('speed must be above 0.', 'Pass 1, 10 or Infinity.');
  const stored = await readRun(store, runId);
  assertSameMachine(stored, workflow);
  const calls = await recordCalls(stored, store, clock, workflow);
  const inspection = inspectRuns(inspectOptions);
  let at = stored.entries[0]?.at ?? 0;
  for (const call of calls) {
    signal?.throwIfAborted();
    const delayMs = (call.at - at) / speed;
    if (delayMs > 0) await pause(delayMs, clock, signal);
    at = Math.max(at, call.at);
    call.show(inspection);
  }
  const rest = restOf(stored);
  if (rest) inspection.rest(runId, toResult(rest));
}

interface InspectionCall {
  /** Sequence number of the journal entry that caused it. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly show: (inspection: RunInspection) => void;
}

/** Replays the journal on the machine and records the calls of an inspection, in journal order. */
async function recordCalls(stored: StoredRun, store: RunStore, clock: Clock, workflow: AnyWorkflow): Promise<readonly InspectionCall[]> {
  const { record, entries } = stored;
  const calls: InspectionCall[] = [];
  const outcomes = new Map(entries.filter(({ kind }) => endsWait(kind)).map((entry) => [entry.key, entry]));
  /** Records the start of each machine, and its events. */
  const begin = (begun: InspectedDrive): ((event: MirroredEvent, key: string) => void) => {
    let tell: ((event: MirroredEvent, key: string) => void) | undefined;
    const { seq = 0, at = record.startedAt } = firstInside(entries, begun.node) ?? {};
    calls.push({
      seq,
      at,
      show: (inspection) => {
        tell = inspection.begin(begun);
      },
    });
    return (event, key) => {
      const entry = outcomes.get(key);
      if (entry) calls.push({ seq: entry.seq, at: entry.at, show: () => tell?.(event, key) });
    };
  };
  const tape = tapeHost(stored, outcomes, clock, { begin, rest: () => {} });
  const thread = (await threadBefore(store, clock, workflow, stored)) ?? workflow.thread?.initial ?? null;
  // throws at the end of the journal, or if the run has failed
  await drive(workflow, machineInputOf(workflow, record, entries, thread), tape.host).catch(() => {});
  await tape.ended();
  return calls
    .map((call, index) => ({ call, index }))
    .sort((a, b) => a.call.seq - b.call.seq || a.index - b.index)
    .map(({ call }) => call);
}

/** Returns the entry before the first one of a workflow inside a node. */
function firstInside(
  entries: readonly JournalEntry[],
  node: string | undefined,
): { readonly seq: number; readonly at: number } | undefined {
  if (node === undefined) return undefined;
  const first = entries.find(({ key }) => key.startsWith(`${node}/`) || key === node);
  return first && { seq: first.seq - 1, at: entries[first.seq - 2]?.at ?? first.at };
}
