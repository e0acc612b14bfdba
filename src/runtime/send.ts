import { WorkflowError } from '../errors.ts';
import { runEnded } from '../stores/store-errors.ts';
import { assertId } from '../util/ids.ts';
import { toJson } from '../util/to-json.ts';
import type { ActiveRun } from './active-run.ts';
import { findAnswer, interruptAnswered, isSameAnswer } from './answer.ts';
import type { HumanEvent } from './host.ts';
import type { Run } from './run.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { endOf, readRun } from './stored-runs.ts';

/** Answers a question of a run. */
export async function send(
  core: RuntimeCore,
  runId: string,
  sent: HumanEvent,
  { interruptId }: { readonly interruptId: string },
): Promise<Run<unknown>> {
  core.assertOpen();
  assertId(runId, 'run');
  const event = toJson(sent, 'event') as unknown as HumanEvent;
  if (typeof event?.type !== 'string') {
    throw new WorkflowError({ code: 'EVENT_INVALID', message: 'An event needs a type.', hint: "Send { type: 'APPROVE' }, for example." });
  }
  for (;;) {
    const stored = await readRun(core.store, runId);
    const { record, entries } = stored;
    const answer = findAnswer(entries, interruptId);
    if (answer && isSameAnswer(answer, event)) return core.takeUp(runId, {});
    if (answer) throw interruptAnswered(answer, event);
    const end = endOf(record, entries);
    if (end) throw runEnded(runId, end.status);
    let accepted: Promise<void> | undefined;
    let run: ActiveRun<unknown> | undefined;
    const atHand = (found: ActiveRun<unknown>): void => {
      run = found;
      accepted = found.offer(interruptId, event);
      accepted.catch(() => {}); // awaited below
    };
    try {
      run = await core.takeUp(runId, { atHand, stored });
      await accepted;
      return run;
    } catch (cause) {
      if (!WorkflowError.isInstance(cause)) throw cause;
      // it was being put down when the answer came: take it up again
      if (cause.code === 'RUN_PUT_DOWN') await run?.result;
      // somebody else was faster: that answer is in the journal now
      else if (!raceCodes.has(cause.code) || !findAnswer(await core.store.journal(runId), interruptId)) throw cause;
    }
  }
}

/** What a caller sees when somebody else has the run, or was faster. */
const raceCodes: ReadonlySet<string> = new Set(['RUN_BUSY', 'RUN_FENCED', 'INTERRUPT_UNKNOWN', 'INTERRUPT_ANSWERED']);
