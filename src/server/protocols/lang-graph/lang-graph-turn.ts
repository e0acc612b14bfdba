import { WorkflowError } from '../../../core/errors/errors.ts';
import { hasCode } from '../../../core/util/has-code.ts';
import { followRun } from '../follow-run.ts';
import type { ProtocolSpace, ProtocolWorkflow } from '../protocol-space.ts';
import { unsupported } from '../read-body.ts';
import { startRun } from '../run-commands.ts';
import { findOwnRun, type ThreadRun } from '../thread-run.ts';
import { answerTyped, type Turn } from '../typed-answer.ts';
import { noQuestion, resumeRun } from './resume-answers.ts';
import { assertSupported, checkpointIn, isEnd, type RunRequest, textIn, toWorkflowInput } from './run-request.ts';
import { checkpointUnknown, parseCheckpoint } from './thread-turns.ts';

/** Maximum number of unsuccessful runs after the checkpoint that a client continues from. */
const maxNewer = 20;

/**
 * Starts a run, or answers the question of the thread's run, as a request to create a run asks.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for what is not supported; `THREAD_MOVED_ON`, `FORK_POINT_UNKNOWN` for a checkpoint that is not
 * the newest; and the errors of a start and of an answer. Nothing is written then.
 */
export async function takeTurn(space: ProtocolSpace, served: ProtocolWorkflow, threadId: string, request: RunRequest): Promise<Turn> {
  assertSupported(request);
  const run = await findOwnRun(space.runtime, threadId, served);
  const seen = await seenIn(space, threadId, run, checkpointIn(request));
  const { command, input } = request;
  if (command?.resume !== undefined && command.resume !== null) {
    if (!run) throw noQuestion();
    return { recording: await resumeRun(space, run, command.resume, seen), after: run.seq };
  }
  if (isEnd(command?.goto)) return endRun(space, run);
  const text = request.multitask_strategy === 'interrupt' ? undefined : textIn(input);
  const answered = run && text !== undefined ? await answerTyped(space, run, text, shownAt(run, seen)) : undefined;
  if (answered) return answered;
  const own = { ...served, toInput: () => toWorkflowInput(served, input) };
  return { recording: await startRun(startingAs(space, request), own, { text: '', threadId }), after: 0 };
}

/** Adds the options of a start that the other protocols do not have. */
function startingAs(space: ProtocolSpace, { multitask_strategy: strategy, config }: RunRequest): ProtocolSpace {
  const ifBusy = strategy === 'enqueue' ? 'queue' : strategy === 'interrupt' ? 'cancel-and-replace' : 'reject';
  const nodeVisits = config?.recursion_limit ?? undefined;
  const { start } = space;
  if (start) {
    const limits = nodeVisits === undefined ? {} : { limits: { nodeVisits } };
    return { ...space, start: (options) => start.call(space, { ...options, ifBusy, ...limits }) };
  }
  if (ifBusy !== 'reject') throw unsupported(`multitask_strategy "${strategy}" outside createServer`, 'Mount the app in createServer.');
  if (nodeVisits !== undefined) throw unsupported('config.recursion_limit outside createServer', 'Set the limits of the runtime.');
  return space;
}

/** Ends a run that waits, as `goto: "__end__"` asks. */
async function endRun(space: ProtocolSpace, run: ThreadRun | undefined): Promise<Turn> {
  if (!run || (run.interrupts.length === 0 && run.inDoubt.length === 0)) throw noQuestion();
  await cancelRun(space, run.runId);
  return { recording: followRun(space, run.runId), after: run.seq };
}

/** Cancels a run; a run that has ended stays as it is. */
export async function cancelRun({ runtime }: ProtocolSpace, runId: string): Promise<void> {
  try {
    await runtime.cancel(runId);
  } catch (cause) {
    if (!hasCode(cause, 'RUN_ENDED')) throw cause;
  }
}

/** Ids of the open questions that the client has seen. */
const shownAt = ({ questions, interrupts }: ThreadRun, seen: number | undefined): readonly string[] =>
  seen === undefined
    ? []
    : interrupts.flatMap(({ id }) => (questions.some(({ seq, interrupt }) => interrupt.id === id && seq <= seen) ? [id] : []));

/**
 * Number of the last event of the run that the client has seen; `undefined` without a checkpoint. A stopped page has the checkpoint before
 * the runs that it has stopped, so runs without success may follow.
 */
async function seenIn(
  { runtime }: ProtocolSpace,
  threadId: string,
  run: ThreadRun | undefined,
  id: string | undefined,
): Promise<number | undefined> {
  if (id === undefined) return undefined;
  const { runId, seq } = parseCheckpoint(id);
  if (run?.runId === runId) return seq;
  const newest = await runtime.list({ threadId, limit: maxNewer });
  const index = newest.findIndex((one) => one.id === runId);
  if (index < 0) throw checkpointUnknown();
  if (newest.slice(0, index).every(({ status }) => status === 'cancelled' || status === 'failed')) return 0;
  throw new WorkflowError({
    code: 'THREAD_MOVED_ON',
    message: 'The thread has continued after this checkpoint.',
    hint: 'Read the thread again. Continuing from an earlier checkpoint is not supported here.',
  });
}
