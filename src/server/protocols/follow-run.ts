import type { RunEvent } from '../../core/ports/run-event.ts';
import type { Runtime } from '../../engine/run/runtime.ts';
import type { ProtocolSpace } from './protocol-space.ts';
import { RunRecording } from './run-recording.ts';

/** Recordings of active runs, shared by all protocols. */
const recordings = new WeakMap<Runtime, Map<string, RunRecording>>();

/** Follows a run until it rests. @throws {WorkflowError} `RUN_UNKNOWN`. */
export const followRun = (space: ProtocolSpace, runId: string): RunRecording =>
  recordings.get(space.runtime)?.get(runId) ?? recordRun(space, runId, eventsOf(space, runId));

/** Events of a run from its first. */
export const eventsOf = ({ events, runtime }: ProtocolSpace, runId: string): AsyncIterable<RunEvent> =>
  events ? events(runId, { from: 1 }) : runtime.events(runId);

/** Records the events of a run from its first, and shares the recording until the run rests. */
export function recordRun({ runtime }: ProtocolSpace, runId: string, source: AsyncIterable<RunEvent>): RunRecording {
  const known = recordings.get(runtime) ?? new Map<string, RunRecording>();
  recordings.set(runtime, known);
  const recording = new RunRecording({ runtime, runId, source });
  known.set(runId, recording);
  void recording.ended.then(() => {
    if (known.get(runId) === recording) known.delete(runId);
  });
  return recording;
}
