import { fromErrorInfo } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { newId } from '../../core/util/ids.ts';
import type { Resolution, RunInfo, Runtime } from '../../engine/run/runtime.ts';
import { runIdOfKey } from '../http/idempotency-key.ts';
import { eventsOf, followRun, recordRun } from './follow-run.ts';
import type { MessageDetails } from './message-details.ts';
import { inputOf } from './message-input.ts';
import type { ProtocolSpace, ProtocolWorkflow } from './protocol-space.ts';
import type { RunRecording } from './run-recording.ts';

export interface StartMessage {
  readonly text: string;
  readonly details?: MessageDetails;
  readonly threadId: string;
  /** Run of the thread that this one begins after. @default the latest */
  readonly after?: string | null;
  /** What to do about another run that owns the thread. @default 'reject' */
  readonly ifBusy?: 'cancel-and-replace';
  /** A repeated key returns the same run. */
  readonly key?: string;
}

/**
 * Starts a run with a user's message, and follows it.
 *
 * @throws {WorkflowError} `THREAD_BUSY`; `RUN_EXISTS` for a key that was used with another message; and the errors of a start.
 */
export async function startRun(
  space: ProtocolSpace,
  served: ProtocolWorkflow,
  { text, details, threadId, after, ifBusy, key }: StartMessage,
): Promise<RunRecording> {
  const input = inputOf(served, text, details);
  const branch = { ...(after === undefined ? {} : { after }), ...(ifBusy ? { ifBusy } : {}) };
  if (space.start) {
    const keyed = key === undefined ? {} : { idempotencyKey: key };
    const { runId } = await space.start({ workflow: served.id, input, threadId, ...branch, ...keyed });
    return followRun(space, runId);
  }
  const runId = key === undefined ? newId('r') : await runIdOfKey(key);
  const run = space.runtime.start(served.workflow, input, { runId, threadId, ...branch });
  const events = run.events()[Symbol.asyncIterator]();
  const first = await events.next(); // the first event, or the end, comes only after the attempt to store the run
  if (!first.done && (await findRun(space.runtime, runId))) return recordRun(space, runId, withFirst(first.value, events));
  const result = await run.result;
  throw result.status === 'failed' ? fromErrorInfo(result.error) : new TypeError(`The run was not stored, but is ${result.status}.`);
}

/**
 * Answers a question of a run, and follows the run from there.
 *
 * @throws {WorkflowError} the errors of `runtime.send`; then nothing has changed.
 */
export async function answerRun(space: ProtocolSpace, runId: string, interruptId: string, event: HumanEvent): Promise<RunRecording> {
  await space.runtime.send(runId, event, { interruptId });
  return recordRun(space, runId, eventsOf(space, runId));
}

/** Resolves a call in doubt, and follows the run from there. @throws {WorkflowError} the errors of `runtime.resolve`. */
export async function resolveRun(space: ProtocolSpace, runId: string, callId: string, resolution: Resolution): Promise<RunRecording> {
  await space.runtime.resolve(runId, callId, resolution);
  return recordRun(space, runId, eventsOf(space, runId));
}

/** Returns the run that was started with a key. */
export const findKeyedRun = async ({ runtime }: ProtocolSpace, key: string): Promise<RunInfo | undefined> =>
  findRun(runtime, await runIdOfKey(key));

async function findRun(runtime: Runtime, runId: string): Promise<RunInfo | undefined> {
  try {
    return await runtime.get(runId);
  } catch (cause) {
    if (hasCode(cause, 'RUN_UNKNOWN')) return undefined;
    throw cause;
  }
}

async function* withFirst(first: RunEvent, rest: AsyncIterator<RunEvent>): AsyncGenerator<RunEvent, void, undefined> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}
