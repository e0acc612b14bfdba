import type { WorkflowEntry } from '../../machines/index.ts';
import { WorkflowError } from '../core/errors/errors.ts';
import { pause } from '../core/util/pause.ts';
import { growingDelay } from '../core/util/retryer.ts';
import { systemClock } from '../core/util/system-clock.ts';
import type { Interrupt, Json, Run, RunResult, Runtime } from '../index.ts';
import { isToolCallQuestion } from './approval.ts';
import { commandLine } from './error-hints.ts';
import { exitCodeOf } from './exit-codes.ts';
import { type CommonFlags, dbFlag } from './flags.ts';
import { answerOf } from './question-and-answer.ts';
import { askReview } from './review.ts';
import { stackOf } from './stack-of.ts';
import { stoppedRunLines } from './stopped-run-lines.ts';
import { escapeControls, isTerminal, paint, print, printableJson } from './terminal.ts';
import { Timeline } from './timeline.ts';
import { type RunView, viewOf } from './workflows.ts';

export interface FollowOptions {
  readonly runtime: Runtime;
  readonly workflow: RunView & Pick<WorkflowEntry, 'asksReview'>;
  /** The database as a flag: `''`, or `--db FILE`. */
  readonly dbFlag: string;
  /** True prints only events and the result as lines of JSON on standard output. */
  readonly json: boolean;
}

export const followOptions = async (flags: CommonFlags, runtime: Runtime, workflow: WorkflowEntry): Promise<FollowOptions> => ({
  runtime,
  workflow: { ...(await viewOf(workflow)), asksReview: workflow.asksReview ?? false },
  dbFlag: dbFlag(flags),
  json: flags.json ?? false,
});

/**
 * Shows a run until it has ended or is suspended. At a terminal, it asks the questions of a waiting run. Ctrl-C pauses the run. Returns the
 * exit code.
 *
 * @param from Number of the first event to show.
 */
export async function follow(run: Run<unknown>, options: FollowOptions, from = 1): Promise<number> {
  const { runtime, json } = options;
  const { result, next } = await watch(run, options, from);
  if (json || result.status !== 'waiting' || !result.interrupt || !isAskedHere(result.interrupt, options)) return exitCodeOf(result);
  const answer = await askReview(result.interrupt);
  if (!answer) {
    process.stderr.write(
      `\n${paint('yellow', 'The run waits for you.')} Answer it later: ${commandLine(`resume ${run.id}`, options.dbFlag)}\n`,
    );
    return exitCodeOf(result);
  }
  try {
    return await follow(await runtime.send(run.id, answer, { interruptId: result.interrupt.id }), options, next);
  } catch (error) {
    if (!WorkflowError.isInstance(error) || error.code !== 'EVENT_INVALID') throw error;
    process.stderr.write(`${escapeControls(error.message)}\n`); // the plan is still waiting
    return follow(await runtime.resume(run.id), options, next);
  }
}

/** True at a terminal, for a plan or a waiting call. */
const isAskedHere = ({ question }: Interrupt, { workflow }: FollowOptions): boolean =>
  isTerminal() && (workflow.asksReview === true || isToolCallQuestion(question));

const lookPolicy = { firstDelayMs: 1, longestDelayMs: 100 };
const maxLooks = 20;

interface ShownResult {
  readonly result: RunResult<unknown>;
  /** Number of the first event that is not shown yet. */
  readonly next: number;
}

async function watch(run: Run<unknown>, options: FollowOptions, from: number): Promise<ShownResult> {
  const { runtime, workflow, json } = options;
  const stopListening = pauseOnSignal(runtime, run.id);
  /** The end of a node is told just before it is stored, one write later. */
  const patchOf = async (key: string) => {
    for (let looks = 1; ; looks++) {
      const found = (await runtime.history(run.id)).findLast((entry) => entry.kind === 'node' && entry.key === key);
      if (found || looks > maxLooks) return found?.outcome;
      await pause(growingDelay(looks, lookPolicy), systemClock, undefined);
    }
  };
  const timeline = new Timeline(workflow, patchOf, { dbFlag: options.dbFlag, runId: run.id, live: !json });
  try {
    let next = from;
    for await (const event of run.events({ from })) {
      next = event.seq + 1;
      if (json) print(printableJson(event));
      else await timeline.show(event);
    }
    const result = await run.result;
    if (json)
      print(printableJson({ type: 'result', runId: run.id, ...(run.threadId === undefined ? {} : { threadId: run.threadId }), ...result }));
    else await conclude(run, result, timeline, options);
    return { result, next };
  } finally {
    timeline.stop();
    stopListening();
  }
}

async function conclude(run: Run<unknown>, result: RunResult<unknown>, timeline: Timeline, options: FollowOptions): Promise<void> {
  const { workflow, runtime } = options;
  const command = (words: string): string => commandLine(words, options.dbFlag);
  switch (result.status) {
    case 'done':
      timeline.finish(answerOf(result.output as Json));
      break;
    case 'failed':
      timeline.finish(result.resumable ? undefined : answerOf(result.output as Json));
      if (result.resumable) timeline.failed(result.error);
      else timeline.stopped(result.error);
      break;
    case 'paused':
      timeline.note(`${paint('yellow', `Paused at ${await whereOf(runtime, run.id)}.`)} Resume: ${command(`resume ${run.id}`)}`);
      break;
    case 'cancelled':
      timeline.note('Cancelled.');
      break;
    case 'waiting':
      if (result.interrupt && isAskedHere(result.interrupt, options)) break;
      for (const line of stoppedRunLines(run.id, result, { ...workflow, dbFlag: options.dbFlag })) timeline.note(line);
      break;
    case 'in_doubt':
      for (const line of stoppedRunLines(run.id, result, { ...workflow, dbFlag: options.dbFlag })) timeline.note(line);
      break;
  }
}

/** For example `executor (2 of 3 steps done)`. */
async function whereOf(runtime: Runtime, runId: string): Promise<string> {
  const entries = await runtime.history(runId);
  const events = entries.flatMap((entry) => entry.events);
  const last = events.findLast(({ type }) => type === 'node-start');
  const key = last?.type === 'node-start' ? last.key : 'the beginning';
  const steps = entries.filter((entry) => entry.kind === 'step' && entry.key.startsWith(`${key}/`)).length;
  return `${key.split('#')[0]}${steps > 0 ? ` (${steps} ${steps === 1 ? 'step' : 'steps'} of it done)` : ''}`;
}

/** The first Ctrl-C pauses the run; the second one ends the process. */
function pauseOnSignal(runtime: Runtime, runId: string): () => void {
  let asked = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(130);
    asked = true;
    process.exitCode = signal === 'SIGTERM' ? 143 : 130;
    void runtime.pause(runId);
  };
  // a tool's timer may throw an uncaught error: the run is suspended, not lost
  const crash = (error: unknown): void => {
    process.stderr.write(`An error was thrown outside of any call: ${stackOf(error)}\n`);
    stop('SIGINT');
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('uncaughtException', crash);
  return () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    process.off('uncaughtException', crash);
  };
}
