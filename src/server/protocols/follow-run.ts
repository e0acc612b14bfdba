import { fromErrorInfo } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { newId } from '../../core/util/ids.ts';
import type { Resolution, Runtime } from '../../engine/run/runtime.ts';
import type { ProtocolSpace, ProtocolWorkflow } from './protocol-space.ts';
import { RunRecording } from './run-recording.ts';

/** Recordings of active runs, shared by all protocols. */
const recordings = new WeakMap<Runtime, Map<string, RunRecording>>();

/**
 * Starts a run with a user's message.
 *
 * @throws {WorkflowError} `THREAD_BUSY`, and the errors of a start.
 */
export async function startRun(space: ProtocolSpace, served: ProtocolWorkflow, text: string, threadId: string): Promise<RunRecording> {
  const input = served.toInput?.(text) ?? { input: text };
  if (space.start) {
    const { runId } = await space.start({ workflow: served.id, input, threadId });
    return record(space, runId, eventsOf(space, runId));
  }
  const run = space.runtime.start(served.workflow, input, { runId: newId('r'), threadId });
  const events = run.events()[Symbol.asyncIterator]();
  const first = await events.next(); // the first event, or the end, comes only after the attempt to store the run
  if (first.done || !(await isStored(space.runtime, run.id))) {
    const result = await run.result;
    throw result.status === 'failed' ? fromErrorInfo(result.error) : new TypeError(`The run was not stored, but is ${result.status}.`);
  }
  return record(space, run.id, withFirst(first.value, events));
}

async function isStored(runtime: Runtime, runId: string): Promise<boolean> {
  try {
    await runtime.get(runId);
    return true;
  } catch (cause) {
    if (hasCode(cause, 'RUN_UNKNOWN')) return false;
    throw cause;
  }
}

/** Follows a run until it rests. @throws {WorkflowError} `RUN_UNKNOWN`. */
export const followRun = (space: ProtocolSpace, runId: string): RunRecording =>
  recordings.get(space.runtime)?.get(runId) ?? record(space, runId, eventsOf(space, runId));

/**
 * Answers a question of a run, and follows the run from there.
 *
 * @throws {WorkflowError} the errors of `runtime.send`; then nothing has changed.
 */
export async function answerRun(space: ProtocolSpace, runId: string, interruptId: string, event: HumanEvent): Promise<RunRecording> {
  await space.runtime.send(runId, event, { interruptId });
  return record(space, runId, eventsOf(space, runId));
}

/** Resolves a call in doubt, and follows the run from there. @throws {WorkflowError} the errors of `runtime.resolve`. */
export async function resolveRun(space: ProtocolSpace, runId: string, callId: string, resolution: Resolution): Promise<RunRecording> {
  await space.runtime.resolve(runId, callId, resolution);
  return record(space, runId, eventsOf(space, runId));
}

const eventsOf = ({ events, runtime }: ProtocolSpace, runId: string): AsyncIterable<RunEvent> =>
  events ? events(runId, { from: 1 }) : runtime.events(runId);

function record({ runtime }: ProtocolSpace, runId: string, source: AsyncIterable<RunEvent>): RunRecording {
  const known = recordings.get(runtime) ?? new Map<string, RunRecording>();
  recordings.set(runtime, known);
  const recording = new RunRecording({ runtime, runId, source });
  known.set(runId, recording);
  void recording.ended.then(() => {
    if (known.get(runId) === recording) known.delete(runId);
  });
  return recording;
}

async function* withFirst(first: RunEvent, rest: AsyncIterator<RunEvent>): AsyncGenerator<RunEvent, void, undefined> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
