import { WorkflowError } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import { hasCode } from '../../core/util/has-code.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { drive } from '../drive/driver.ts';
import { machineInputOf, migrationOf } from '../drive/migrated.ts';
import { interruptExpired, interruptUnknown } from '../journal/answer.ts';
import { replayHost } from './replay-host.ts';
import type { RuntimeCore } from './runtime-core.ts';
import type { StoredRun } from './stored-runs.ts';
import { threadBefore } from './thread-state.ts';

/**
 * Replays a journal to its end and tries an answer there. Executes no nodes and writes nothing.
 *
 * @throws {WorkflowError} `INTERRUPT_UNKNOWN`, `INTERRUPT_MOVED`, `INTERRUPT_EXPIRED`, `INTERRUPT_ANSWERED`, `EVENT_NOT_ACCEPTED`,
 * `EVENT_INVALID`, `JOURNAL_DIVERGED`.
 */
export async function checkAnswer(
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
    host.close(looked);
    await ended.catch(() => {});
  }
}

/** Finds the question with this id if it has expired and was asked again. */
const findExpired = (entries: StoredRun['entries'], interruptId: string, now: number): Interrupt | undefined =>
  entries
    .flatMap(({ events }) => events)
    .flatMap((event) => (event.type === 'interrupt' && event.interrupt.id === interruptId ? [event.interrupt] : []))
    .find(({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt <= now);

const looked = new WorkflowError({ code: 'RUN_SUSPENDED', message: 'The run was only inspected.' });
