import { WorkflowError } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import type { RunWatch } from '../../core/ports/run-store.ts';
import { checkOptions } from '../../core/util/check-options.ts';
import { frozenCopy } from '../../core/util/frozen-copy.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { assertId } from '../../core/util/ids.ts';
import { defaultMaxOutputBytes } from '../../core/util/max-output-bytes.ts';
import { pollingWatch } from '../../core/util/pause.ts';
import { growingDelay } from '../../core/util/retryer.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { drive } from '../drive/driver.ts';
import { machineInputOf, migrationOf } from '../drive/migrated.ts';
import type { Run } from '../drive/run.ts';
import { toResult } from '../drive/to-result.ts';
import { findAnswer, interruptAnswered, interruptExpired, interruptUnknown, isSameAnswer } from '../journal/answer.ts';
import { runEnded } from '../store/store-errors.ts';
import type { ActiveRun } from './active-run.ts';
import { follow } from './follow.ts';
import { replayHost } from './replay-host.ts';
import type { SendOptions } from './runtime.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { assertEvent, sendOptions } from './runtime-options.ts';
import { endOf, readRun, type StoredRun } from './stored-runs.ts';
import { threadBefore } from './thread-state.ts';

/** Shortest and longest pause between two polls of a run that another process drives, in milliseconds. */
const pollPolicy = { firstDelayMs: 10, longestDelayMs: 250 };

interface Answer {
  readonly interruptId: string;
  readonly event: HumanEvent;
  readonly accepts: Pick<SendOptions, 'acceptChanges'>;
  readonly by: Actor | undefined;
}

/** Answers a question of a run. Writes nothing before the answer is known to be valid. */
export async function send(core: RuntimeCore, runId: string, sent: unknown, options: SendOptions, by?: Actor): Promise<Run<unknown>> {
  core.assertOpen();
  assertId(runId, 'run');
  checkOptions('send', options, sendOptions);
  const { interruptId, acceptChanges } = options;
  assertEvent(sent);
  const event = frozenCopy(sent, 'event', defaultMaxOutputBytes);
  const watch = core.store.watch?.(runId) ?? pollingWatch;
  const accepts = acceptChanges === undefined ? {} : { acceptChanges };
  return offerUntilAccepted(core, runId, { interruptId, event, accepts, by }, watch).finally(() => watch.stop());
}

async function offerUntilAccepted(core: RuntimeCore, runId: string, given: Answer, watch: RunWatch): Promise<Run<unknown>> {
  const { clock, closing, leaseMs } = core;
  const { interruptId, event } = given;
  const giveUpAt = clock.monotonic() + leaseMs + pollPolicy.longestDelayMs; // the lease of a dead driver has expired by then
  for (let poll = 1; ; poll++) {
    const stored = await readRun(core.store, runId);
    const { record, entries } = stored;
    const answer = findAnswer(entries, interruptId);
    if (answer && isSameAnswer(answer, event)) return follow(core, runId);
    if (answer) throw interruptAnswered(answer, event);
    const end = endOf(stored);
    if (end) throw runEnded(runId, toResult(end).status);
    await checkAnswer(core, await core.workflowOf(stored), stored, { interruptId, event });
    if (record.status === 'in_doubt') throw inDoubt(runId);
    const late = clock.monotonic() >= giveUpAt;
    const run = await offer(core, stored, given, late);
    if (run) return run;
    await watch.pause(growingDelay(poll, pollPolicy), clock, closing);
  }
}

/** Resumes the run with the answer. Returns `undefined` when another process has the run or was faster. */
async function offer(
  core: RuntimeCore,
  stored: StoredRun,
  { interruptId, event, accepts, by }: Answer,
  late: boolean,
): Promise<Run<unknown> | undefined> {
  let accepted: Promise<void> | undefined;
  let run: ActiveRun<unknown> | undefined;
  const atHand = (found: ActiveRun<unknown>): void => {
    run = found;
    accepted = found.offer(interruptId, event, by);
    accepted.catch(() => {}); // awaited below
  };
  try {
    run = await core.resume(stored.record.id, { atHand, stored, ...accepts });
    await accepted;
    return run;
  } catch (cause) {
    if (hasCode(cause, 'RUN_SUSPENDED') && !late) {
      // The run was being suspended when the answer came. The caller retries, unless a call in doubt prevents the answer.
      if ((await run?.result)?.status === 'in_doubt') throw inDoubt(stored.record.id);
      return undefined;
    }
    if (late || !isRace(cause)) throw cause;
    return undefined;
  }
}

/** True for errors that mean another process has the run or was faster. The journal will show the winner and the open questions. */
const isRace = (cause: unknown): boolean =>
  hasCode(cause, 'RUN_BUSY', 'RUN_FENCED', 'RUN_ENDED', 'INTERRUPT_UNKNOWN', 'INTERRUPT_ANSWERED');

const inDoubt = (runId: string): WorkflowError =>
  new WorkflowError({
    code: 'CALL_IN_DOUBT',
    message: `The run ${runId} accepts no answer while a call is in doubt.`,
    hint: 'Resolve the call with runtime.resolve, then send the answer.',
    data: { runId },
  });

/**
 * Replays a journal to its end and tries an answer there. Executes no nodes and writes nothing.
 *
 * @throws {WorkflowError} `INTERRUPT_UNKNOWN`, `INTERRUPT_MOVED`, `INTERRUPT_EXPIRED`, `INTERRUPT_ANSWERED`, `EVENT_NOT_ACCEPTED`,
 * `EVENT_INVALID`, `JOURNAL_DIVERGED`.
 */
async function checkAnswer(
  { store, clock }: RuntimeCore,
  workflow: AnyWorkflow,
  stored: StoredRun,
  { interruptId, event }: { readonly interruptId: string; readonly event: HumanEvent },
): Promise<void> {
  const { record, entries } = stored;
  const thread = (await threadBefore(store, clock, workflow, stored)) ?? workflow.thread?.initial ?? null;
  // Decision 36: without a lease, so that a rejected answer cannot change the run.
  const host = replayHost(stored, clock, () => {}); // an overdue timer fires here as it does in the run
  const machineInput = machineInputOf(workflow, record, entries, thread);
  const answered = host.offer(interruptId, event);
  answered.catch(() => {}); // the race below handles the rejection
  const driven = drive(workflow, machineInput, host);
  const ended = driven.then(() => Promise.reject(interruptUnknown(interruptId, [])));
  try {
    await Promise.race([answered, ended]);
  } catch (cause) {
    // the message and data of the error still hold
    if (hasCode(cause, 'INTERRUPT_UNKNOWN') && entries.some((entry) => migrationOf(entry)?.moved.includes(interruptId)))
      Object.assign(cause, { code: 'INTERRUPT_MOVED' });
    const expired = findExpired(entries, interruptId, clock.now());
    throw expired && hasCode(cause, 'INTERRUPT_UNKNOWN') ? interruptExpired(expired, cause.data?.open ?? []) : cause;
  } finally {
    host.close(inspectionEnd);
    await ended.catch(() => {});
  }
}

/** Finds the question with this id if it has expired and was asked again. */
const findExpired = (entries: StoredRun['entries'], interruptId: string, now: number): Interrupt | undefined =>
  entries
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.type === 'interrupt' && event.interrupt.id === interruptId ? [event.interrupt] : []))
    .find(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt <= now);

const inspectionEnd = new WorkflowError({ code: 'RUN_SUSPENDED', message: 'The run was only inspected.' });
