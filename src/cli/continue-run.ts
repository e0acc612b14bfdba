import type { HumanEvent, Json, JsonObject, Runtime } from '../index.ts';
import { approvalExample } from './approval.ts';
import { commandLine } from './error-hints.ts';
import { exitCodes } from './exit-codes.ts';
import { type CommonFlags, dbFlag, type ResumingFlags, toSettings } from './flags.ts';
import { follow, followOptions } from './follow.ts';
import { withStoredRun, withWorkflow } from './open-runtime.ts';
import { reportError } from './report-error.ts';
import { describeReview } from './review.ts';
import { type Settings, withRemembered } from './settings.ts';
import { shellWord } from './shell-words.ts';
import { paint, print, printableJson } from './terminal.ts';
import { UsageError } from './usage-error.ts';
import { workflowOfRun } from './workflows.ts';

type Flags = CommonFlags & ResumingFlags & Settings;

/** Resumes a resting run. Returns the exit code. */
export const resumeRun = (runId: string, flags: Flags & { readonly force?: boolean }): Promise<number> =>
  continueRun(runId, flags, (runtime) => runtime.resume(runId, { force: flags.force ?? false }));

/** Retries failed runs, one after another. Returns the exit code of the first one that is not done. */
export async function retryRuns(runIds: readonly string[], { patch, ...flags }: Flags & { readonly patch?: JsonObject }): Promise<number> {
  if (patch !== undefined && runIds.length > 1) throw new UsageError('A patch fits one run. Retry the others without --patch.');
  let exitCode: number = exitCodes.done;
  for (const runId of new Set(runIds)) {
    if (runIds.length > 1 && !flags.json) process.stderr.write(`${paint('dim', runId)}\n`);
    const code = await continueRun(runId, flags, (runtime) => runtime.retry(runId, patch === undefined ? {} : { patch })).catch(
      (error: unknown) => reportError(error, flags.json ?? false, { dbFlag: dbFlag(flags), runId }),
    );
    exitCode ||= code;
    if (code === exitCodes.interrupted) break;
  }
  return exitCode;
}

/** Answers a waiting run. Returns the exit code. */
export const sendToRun = (runId: string, event: HumanEvent, flags: Flags & { readonly interrupt?: string }): Promise<number> =>
  continueRun(runId, flags, async (runtime) => {
    const { interrupt } = flags;
    if (interrupt === undefined) throw await missingInterrupt(runtime, runId, event, flags);
    return runtime.send(runId, event, { interruptId: interrupt });
  });

/** Resolves a call in doubt. Returns the exit code. */
export async function resolveCall(
  runId: string,
  callId: string,
  flags: Flags & { readonly done?: Json; readonly retry?: true; readonly abort?: true },
): Promise<number> {
  const { done, retry, abort } = flags;
  if (done === undefined && !retry && !abort) throw new UsageError('Give the outcome: --done JSON, --retry or --abort.');
  const resolution =
    done !== undefined ? ({ as: 'done', output: done } as const) : retry ? ({ as: 'retry' } as const) : ({ as: 'abort' } as const);
  return continueRun(runId, flags, (runtime) => runtime.resolve(runId, callId, resolution));
}

export async function cancelRun(runId: string, flags: CommonFlags): Promise<void> {
  await withStoredRun(flags, runId, async (runtime) => {
    await runtime.cancel(runId);
    if (flags.json) print(printableJson({ type: 'cancelled', runId }));
    else process.stderr.write(`Cancelled ${runId}.\n`);
  });
}

/** Releases a parked run to the workers. */
export async function releaseRun(runId: string, flags: CommonFlags): Promise<void> {
  await withStoredRun(flags, runId, async (runtime) => {
    await runtime.release(runId);
    if (flags.json) print(printableJson({ type: 'released', runId }));
    else process.stderr.write(`Released ${runId}. The next worker resumes it.\n`);
  });
}

/** Resumes a stored run with its original settings, and shows it. */
async function continueRun(runId: string, flags: Flags, resume: (runtime: Runtime) => ReturnType<Runtime['resume']>): Promise<number> {
  const { workflow: id, metadata } = await withStoredRun(flags, runId, (reader) => reader.get(runId));
  const workflow = workflowOfRun(id);
  return withWorkflow(flags, workflow, withRemembered(metadata, toSettings(flags)), async (runtime) =>
    follow(await resume(runtime), await followOptions(flags, runtime, workflow)),
  );
}

/** Error for an answer without the question's id, which could reach a different question. Shows the questions and the exact commands. */
async function missingInterrupt(runtime: Runtime, runId: string, event: HumanEvent, flags: CommonFlags): Promise<UsageError> {
  const { result, status, workflow } = await runtime.get(runId);
  if (result?.status !== 'waiting') return new UsageError(`The run ${runId} is not waiting for an answer (${status}).`);
  const { type, ...fields } = event;
  const { exampleOf } = workflowOfRun(workflow);
  const commands = result.interrupts.map((interrupt) => {
    const example = approvalExample(interrupt, type) ?? exampleOf?.(type);
    const given = Object.keys(fields).length > 0 ? shellWord(JSON.stringify(fields)) : example && shellWord(example);
    const { id, key, accepts } = interrupt;
    const words = commandLine(
      ['send', shellWord(runId), shellWord(type), given, '--interrupt', id].filter(Boolean).join(' '),
      dbFlag(flags),
    );
    return [...describeReview(interrupt), `  ${key} asks (${accepts.join(', ')}):  ${words}`].join('\n');
  });
  return new UsageError(`Choose the question to answer:\n${commands.join('\n')}`);
}
