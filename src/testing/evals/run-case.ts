import { toErrorInfo, type WorkflowError } from '../../core/errors/errors.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { PriceTable } from '../../core/util/model-cost.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import type { Run, RunResult } from '../../engine/drive/run.ts';
import { createRuntime } from '../../engine/run/create-runtime.ts';
import { memoryStore } from '../../engine/store/memory-store.ts';
import type { EvalCase } from './eval-case.ts';
import type { EvalClock } from './eval-clock.ts';
import { type Observed, observe } from './observed.ts';

export interface RunCaseOptions {
  readonly runId: string;
  readonly clock: EvalClock;
  readonly prices: PriceTable | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Timers and answers of a run; a workflow may ask for ever. */
const maxTurns = 1_000;

/** Runs one case in a store of its own, with its answers. Never rejects because of the workflow. */
export async function runCase(workflow: AnyWorkflow, one: EvalCase, options: RunCaseOptions): Promise<Observed> {
  const begun = performance.now();
  const { clock } = options;
  const runtime = createRuntime({ store: memoryStore(), clock });
  const observed = (result: RunResult<unknown>, events: readonly RunEvent[]): Observed =>
    observe(result, events, { prices: options.prices, durationMs: performance.now() - begun });
  const cancel = (): void => void runtime.cancel(options.runId).catch(() => {});
  options.signal?.addEventListener('abort', cancel, { once: true });
  try {
    let run: Run<unknown> = runtime.start(workflow, one.input, { runId: options.runId });
    const answers = [...(one.answers ?? [])];
    for (let turn = 0; ; turn++) {
      const result = await run.result;
      if (result.status !== 'waiting' || turn >= maxTurns) return observed(result, await eventsOf(run));
      const [answer] = answers;
      const question = result.interrupts.find(({ accepts }) => answer !== undefined && accepts.includes(answer.type));
      if (answer && question) {
        answers.shift();
        run = await runtime.send(run.id, answer, { interruptId: question.id });
      } else if (answer === undefined && result.wakeAt !== undefined) {
        clock.moveTo(result.wakeAt); // a question that stays unanswered expires by its timer
        run = await runtime.resume(run.id);
      } else {
        const seen = observed(result, await eventsOf(run));
        return answer && result.interrupt ? { ...seen, error: notAccepted(answer.type, result.interrupts) } : seen;
      }
    }
  } catch (thrown) {
    const { code, message, hint } = toErrorInfo(thrown);
    const failed: RunResult<unknown> = { status: 'failed', resumable: true, error: { ...toErrorInfo(thrown) } };
    return { ...observed(failed, []), error: { code, message, ...(hint === undefined ? {} : { hint }) } };
  } finally {
    options.signal?.removeEventListener('abort', cancel);
    await runtime.close();
  }
}

/** Stored events only: live text depends on timing. */
async function eventsOf(run: Run<unknown>): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events()) events.push(event);
  return events;
}

const notAccepted = (type: string, open: readonly { readonly accepts: readonly string[] }[]): NonNullable<Observed['error']> => ({
  code: 'EVENT_NOT_ACCEPTED',
  message: `No open question accepts the answer ${type}. The run accepts ${[...new Set(open.flatMap(({ accepts }) => accepts))].join(', ')}.`,
  hint: 'Give `answers` of the case in the order of the questions.',
});

/** Error of a request without a recorded reply. It fails the case although the workflow may have handled it. */
export const missError = ({ code, message, hint }: WorkflowError): NonNullable<Observed['error']> => ({ code, message, hint });
