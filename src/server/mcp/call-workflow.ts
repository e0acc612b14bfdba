import { shorten } from '../../core/errors/shorten.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { clientQuestions } from '../../core/util/is-held-answer.ts';
import type { RunResult } from '../../engine/drive/run.ts';
import type { Runtime } from '../../engine/run/runtime.ts';
import { visibleText } from '../../tools/mcp/visible-text.ts';
import { askHuman, type Elicit } from './ask-human.ts';
import type { EventForm } from './event-form.ts';
import { type FollowedRun, resultOf } from './mcp-space.ts';

export interface Caller {
  /** Aborted when the call is cancelled, and when the connection is lost. */
  readonly signal: AbortSignal;
  /** True when the client cancelled the call. A lost connection does not end the run. */
  readonly isCancelled: () => boolean;
  /** Absent: the client does not support elicitation. */
  readonly elicit?: Elicit | undefined;
  /** Absent: the client did not request progress. */
  readonly progress?: ((done: number, message: string) => Promise<void>) | undefined;
  /** Absent: the client did not request logs. */
  readonly log?: ((event: RunEvent) => Promise<void>) | undefined;
  readonly textFields: Readonly<Record<string, string>>;
  readonly forms: Readonly<Record<string, EventForm>>;
}

/** Number of consecutive rejected answers after which the question is not repeated. */
const maxRefusals = 3;
const watchMs = 1_000;

/**
 * Follows a run until it has ended or this client cannot advance it. Questions go to the human through the client, as long as it returns
 * answers. If a question is answered elsewhere first, it is withdrawn.
 */
export async function followCall(runtime: Runtime, run: FollowedRun, caller: Caller): Promise<RunResult<unknown>> {
  const { signal, isCancelled } = caller;
  const onAbort = (): void => {
    // a lost connection is detected one microtask later
    queueMicrotask(() => {
      if (isCancelled()) void runtime.cancel(run.id).catch(() => {}); // the run may have ended already
    });
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await follow(runtime, run, caller);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function follow(runtime: Runtime, run: FollowedRun, caller: Caller): Promise<RunResult<unknown>> {
  let current = run;
  let lastSeq = 0;
  let notice: string | undefined;
  for (let refusals = 0; ; ) {
    lastSeq = await reportEvents(current, lastSeq, caller);
    const result = await current.result;
    if (result.status !== 'waiting' || !result.interrupt || !caller.elicit || caller.signal.aborted) return result;
    const [interrupt] = clientQuestions(result.interrupts);
    if (!interrupt) return result;
    const question = { runId: run.id, interrupt, notice, textFields: caller.textFields, forms: caller.forms };
    const event = await askUnlessAnswered(runtime, caller.elicit, question, caller.signal);
    if (event === undefined) return resultOf(runtime, run.id);
    try {
      if (event === 'answered elsewhere') {
        current = await runtime.resume(run.id);
        continue;
      }
      current = await runtime.send(run.id, event, { interruptId: interrupt.id });
      notice = undefined;
      refusals = 0;
    } catch (error) {
      if (hasCode(error, 'RUN_BUSY')) return resultOf(runtime, run.id);
      if (hasCode(error, 'INTERRUPT_ANSWERED', 'INTERRUPT_UNKNOWN', 'RUN_ENDED')) current = await resumeRun(runtime, run);
      else if (hasCode(error, 'EVENT_INVALID', 'EVENT_NOT_ACCEPTED', 'PATCH_INVALID') && ++refusals < maxRefusals) notice = error.message;
      else throw error;
    }
  }
}

/** Resumes a run that was answered elsewhere; another process may be driving it. */
async function resumeRun(runtime: Runtime, run: FollowedRun): Promise<FollowedRun> {
  try {
    return await runtime.resume(run.id);
  } catch (error) {
    if (!hasCode(error, 'RUN_BUSY')) throw error;
    return { id: run.id, events: () => runtime.events(run.id), result: resultOf(runtime, run.id) };
  }
}

/** Asks the human, and withdraws the question once the run no longer waits for it. Returns `undefined` if the client fails. */
async function askUnlessAnswered(
  runtime: Runtime,
  elicit: Elicit,
  question: Parameters<typeof askHuman>[1],
  signal: AbortSignal,
): Promise<HumanEvent | 'answered elsewhere' | undefined> {
  const withdrawn = new AbortController();
  const timer = setInterval(() => {
    void runtime.get(question.runId).then(
      ({ result }) => {
        const waits = result?.status === 'waiting' && result.interrupts.some(({ id }) => id === question.interrupt.id);
        if (!waits) withdrawn.abort(new Error('Another client has answered.'));
      },
      () => {},
    );
  }, watchMs);
  try {
    return await askHuman(elicit, question, AbortSignal.any([signal, withdrawn.signal]));
  } catch {
    return withdrawn.signal.aborted ? 'answered elsewhere' : undefined;
  } finally {
    clearInterval(timer);
  }
}

/** Reports the run's events to the client. Returns the number of the last event. */
async function reportEvents(run: FollowedRun, lastSeq: number, { progress, log, signal }: Caller): Promise<number> {
  let last = lastSeq;
  for await (const event of run.events({ from: lastSeq + 1 })) {
    if (event.seq <= lastSeq) continue;
    last = Math.max(last, event.seq);
    if (log && !signal.aborted) await log(event).catch(() => {});
    const message = messageOf(event);
    if (progress && message !== undefined && !signal.aborted) await progress(event.seq, shorten(visibleText(message), 200)).catch(() => {});
  }
  return last;
}

function messageOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run-start':
      return `started ${event.workflow}`;
    case 'node-start':
      return event.key;
    case 'tool-start':
      return `calls ${event.tool}`;
    case 'tool-end':
      return `${event.tool} ${event.error ? 'failed' : 'answered'}`;
    case 'interrupt':
      return 'waits for a human';
    case 'run-end':
      return event.status;
    default:
      return undefined;
  }
}
