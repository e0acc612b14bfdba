import { fleetStateOf } from '../../core/ports/fleet-state.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { RunRating } from '../../core/ports/run-store.ts';
import type { RunResult } from '../../engine/drive/run.ts';
import type { HistoryEntry, ListedRun, RunInfo, RunSummary as StoredSummary } from '../../engine/run/runtime.ts';
import type { RunDetails, RunSummary, RunUsage, WaitingRun } from '../api/calls.ts';

export function toRunSummary(run: ListedRun | RunInfo | StoredSummary): RunSummary {
  const { id, workflow, version, threadId, priority, status, seq, activeMs, startedAt, updatedAt, wakeAt, failure, resumable } = run;
  const missing = 'missing' in run ? run.missing : undefined;
  const parked = 'parked' in run ? run.parked : undefined;
  return {
    id,
    workflow,
    version,
    ...(threadId === undefined ? {} : { threadId }),
    ...(priority === undefined ? {} : { priority }),
    status,
    state: fleetStateOf(run),
    seq,
    activeMs,
    startedAt,
    updatedAt,
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(failure === undefined ? {} : { failure }),
    ...(resumable === undefined ? {} : { resumable }),
    ...(missing === undefined ? {} : { missing }),
    ...(parked === undefined ? {} : { parked }),
  };
}

export function toRunDetails(info: RunInfo, entries: readonly HistoryEntry[], rating?: RunRating): RunDetails {
  const events = entries.flatMap((entry) => entry.events);
  const { input, result } = info;
  return {
    ...toRunSummary(info),
    input,
    ...(info.parked ? { error: info.parked } : endOf(result)),
    ...openOf(result),
    position: positionOf(events),
    usage: usageOf(events),
    ...(rating === undefined ? {} : { rating }),
  };
}

export const toWaitingRun = (info: RunInfo): WaitingRun => ({ ...toRunSummary(info), ...openOf(info.result) });

const openOf = (result: RunInfo['result']): Pick<WaitingRun, 'interrupts' | 'inDoubt'> => ({
  interrupts: result?.status === 'waiting' ? result.interrupts : [],
  inDoubt: result?.status === 'in_doubt' ? result.calls : [],
});

function endOf(result: RunResult<RunDetails['output']> | undefined): Pick<RunDetails, 'output' | 'finalState' | 'error'> {
  if (result?.status !== 'done' && result?.status !== 'failed') return {};
  const error = result.status === 'failed' ? { error: result.error } : {};
  if (!('finalState' in result)) return error;
  const { output, finalState } = result;
  return { ...(output === undefined ? {} : { output }), finalState, ...error };
}

/** Target states of the last transition; empty before the first one. */
function positionOf(events: readonly RunEvent[]): readonly string[] {
  const edge = events.findLast((event) => event.type === 'edge' && event.node === undefined);
  return edge?.type === 'edge' ? edge.to.split('|') : [];
}

function usageOf(events: readonly RunEvent[]): RunUsage {
  let [modelCalls, cachedCalls, toolCalls, inputTokens, outputTokens] = [0, 0, 0, 0, 0];
  for (const event of events) {
    if (event.type === 'tool-start') toolCalls++;
    if (event.type !== 'model-end') continue;
    modelCalls++;
    if (event.cached) cachedCalls++;
    inputTokens += event.usage.inputTokens;
    outputTokens += event.usage.outputTokens;
  }
  return { modelCalls, cachedCalls, toolCalls, inputTokens, outputTokens };
}
