import { WorkflowError } from '../../core/errors/errors.ts';
import type { CallInDoubt, Interrupt, RunEvent } from '../../core/ports/run-event.ts';
import { clientQuestions, isHeldAnswer } from '../../core/util/is-held-answer.ts';
import type { Runtime } from '../../engine/run/runtime.ts';
import type { ProtocolWorkflow } from './protocol-space.ts';

export interface ThreadRun {
  readonly runId: string;
  readonly workflow: string;
  readonly status: string;
  /** Number of its last event. */
  readonly seq: number;
  /** Open questions that the client may answer. */
  readonly interrupts: readonly Interrupt[];
  /** Calls with an unknown outcome. */
  readonly inDoubt: readonly CallInDoubt[];
  /** Every such question of the run so far, with the sequence number of its event. */
  readonly questions: readonly { readonly seq: number; readonly interrupt: Interrupt }[];
}

/** Returns the newest run of a thread; `undefined` for a new thread. */
export async function findThreadRun(runtime: Runtime, threadId: string): Promise<ThreadRun | undefined> {
  const [record] = await runtime.list({ threadId, limit: 1 });
  if (!record) return undefined;
  const { id: runId, workflow } = record;
  const { status, result } = await runtime.get(runId);
  const events = (await runtime.history(runId)).flatMap((entry) => entry.events);
  return {
    runId,
    workflow,
    status,
    seq: events.at(-1)?.seq ?? 0,
    interrupts: result?.status === 'waiting' ? clientQuestions(result.interrupts) : [],
    inDoubt: result?.status === 'in_doubt' ? result.calls : [],
    questions: events
      .filter((event): event is Extract<RunEvent, { type: 'interrupt' }> => event.type === 'interrupt' && !isHeldAnswer(event.interrupt))
      .map(({ seq, interrupt }) => ({ seq, interrupt })),
  };
}

/** Returns the newest run of a thread if it belongs to the workflow. */
export async function findOwnRun(runtime: Runtime, threadId: string, { workflow }: ProtocolWorkflow): Promise<ThreadRun | undefined> {
  const run = await findThreadRun(runtime, threadId);
  return run?.workflow === workflow.id ? run : undefined;
}

/** @throws {WorkflowError} `INTERRUPT_UNKNOWN` for an id that the run has never asked: client input is untrusted. */
export function findInterrupt({ questions, runId }: ThreadRun, interruptId: string): Interrupt {
  const found = questions.find(({ interrupt: { id } }) => id === interruptId);
  if (found) return found.interrupt;
  throw new WorkflowError({
    code: 'INTERRUPT_UNKNOWN',
    message: `The run "${runId}" has no such question.`,
    hint: 'Answer one of its open interrupts.',
  });
}

/**
 * Id of the question at the end of a response, by the sequence number of the last event before the response. Returns `[]` when several
 * questions are open, because the response may have shown another one.
 */
export function interruptIdsAfter({ questions, interrupts }: ThreadRun, after: number): readonly string[] {
  const first = questions.find(({ seq }) => seq > after);
  return first && interrupts.length <= 1 ? [first.interrupt.id] : [];
}
