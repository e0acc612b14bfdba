import type { Clock } from '../core/ports/clock.ts';
import type { HumanEvent } from '../core/ports/human-event.ts';
import type { Json } from '../core/ports/json.ts';
import type { CallInDoubt, Interrupt } from '../core/ports/run-event.ts';
import type { Awaitable, JournalEntry, RunStore } from '../core/ports/run-store.ts';
import { systemClock } from '../core/util/system-clock.ts';
import type { AnyWorkflow, Workflow } from '../engine/define/define-workflow.ts';
import type { Run, RunResult } from '../engine/drive/run.ts';
import type { Limits } from '../engine/journal/limits.ts';
import { createRuntime } from '../engine/run/create-runtime.ts';
import type { Resolution, Runtime } from '../engine/run/runtime.ts';
import { memoryStore } from '../engine/store/memory-store.ts';
import { checkSame } from './check.ts';
import { crashingStore } from './crashing-store.ts';

/** A crashed process and the journal at that moment. */
export interface Crash {
  /** Index of the first lost write, counted from 0. */
  readonly at: number;
  /** Journal of the run at the crash. */
  readonly journal: readonly JournalEntry[];
}

/** End of a run. */
export interface CrashEnd<TOutput> {
  readonly result: RunResult<TOutput>;
  /** State of the run's thread; `null` without a thread. */
  readonly thread: Json;
}

export interface CrashResumeOptions<TOutput> {
  /**
   * Returns a human's answer to a question; `index` counts the answers of the run from 0. For `undefined`, there is no answer, and time
   * advances to the run's earliest timer. Default: the first accepted event, without a payload.
   */
  readonly answer?: (interrupt: Interrupt, index: number) => HumanEvent | undefined;
  /** Returns a human's resolution of a call in doubt. Default: the call did not happen. */
  readonly resolve?: (call: CallInDoubt) => Resolution;
  /**
   * Creates a store for each run, for example with earlier turns of its thread. It is closed at the end of the run. @default memoryStore
   */
  readonly store?: () => Awaitable<RunStore>;
  /** Id of the run's thread. Default: none. */
  readonly threadId?: string;
  readonly limits?: Partial<Limits>;
  /** Returns the part of an end that must equal the end without a crash. Leave out durations that a node measures. Default: all of it.
   * It has no `usage`, because a node that begins again asks its model again. */
  readonly compare?: (end: CrashEnd<TOutput>) => unknown;
  /** Called between a crash and the resumption, for checks of the environment. */
  readonly onCrash?: (crash: Crash) => Awaitable<void>;
  /** Called at the end of a resumed run, for checks of the environment. */
  readonly onEnd?: (end: CrashEnd<TOutput>, crash: Crash) => Awaitable<void>;
}

export interface CrashReport<TOutput> extends CrashEnd<TOutput> {
  /** Number of crashes: one before each write. */
  readonly crashes: number;
}

/**
 * Runs a workflow to its end once, and then once per write. Each time, the process crashes before another write, and a new process resumes
 * from the store. Every run must end like the first one, and entries in the journal must not change.
 *
 * Questions are answered and timers fire before and after the crash. So the crashes also cover waits, parallel regions and workflows inside
 * nodes. All runs have the same dates.
 *
 * @param workflow the workflow, or a function that creates it with its own environment; it is called once per run.
 * @throws {Error} if a resumed run ends differently or does not end; also any error of `onCrash` and `onEnd`.
 * @example
 * const { crashes } = await crashResume(() => publishing(newServices()), { topic: 'otters' }, { answer: () => ({ type: 'APPROVE' }) });
 */
export async function crashResume<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput> | (() => Workflow<TInput, TState, TOutput>),
  input: TInput,
  options: CrashResumeOptions<TOutput> = {},
): Promise<CrashReport<TOutput>> {
  const { store: makeStore = memoryStore, compare = (end) => end, onCrash, onEnd } = options;
  const begin = async (): Promise<{ readonly store: RunStore; readonly made: AnyWorkflow }> => ({
    store: await makeStore(),
    made: (typeof workflow === 'function' ? workflow() : workflow) as AnyWorkflow,
  });
  const uncrashed = await begin();
  const { end: expected } = await endOf<TOutput>({ ...uncrashed, input, options, atMs: startMs });
  for (let at = 1; ; at++) {
    const { store, made } = await begin();
    const crashing = crashingStore(store, at);
    const life: ProcessOptions = { store: crashing, made, input, options, atMs: startMs };
    await driveToEnd(life).catch((cause) => {
      if (!crashing.crashed) throw cause;
    });
    if (!crashing.crashed) {
      await store.close();
      return { ...expected, crashes: at - 1 };
    }
    const crash: Crash = { at, journal: await journalOf(store) };
    await onCrash?.(crash);
    const { end, journal } = await endOf<TOutput>({ ...life, store, atMs: timeOf(crash.journal) });
    const place = `after a crash before write ${at} (last entry "${crash.journal.at(-1)?.key ?? 'none'}")`;
    checkSame(compare(withoutUsage(end)), compare(withoutUsage(expected)), `the end of the run ${place}`);
    checkSame(journal.slice(0, crash.journal.length), crash.journal, `the journal ${place}`);
    await onEnd?.(end, crash);
  }
}

function withoutUsage<TOutput>({ result, thread }: CrashEnd<TOutput>): CrashEnd<TOutput> {
  const { usage: _, ...rest } = result;
  return { result: rest, thread };
}

const runId = 'crash-resume';
/** An arbitrary date: 1 January 2026. */
const startMs = Date.UTC(2026, 0, 1);
/** Maximum number of answers, resolutions and waits; more than any tested run needs. */
const maxRests = 200;

interface ProcessOptions {
  readonly store: RunStore;
  readonly made: AnyWorkflow;
  readonly input: unknown;
  readonly options: Omit<CrashResumeOptions<never>, 'compare' | 'onEnd'>;
  /** Initial time of the clock. */
  readonly atMs: number;
}

/** Drives the run to its end. Starts a new process whenever time has to pass. */
async function driveToEnd(life: ProcessOptions): Promise<RunResult<unknown>> {
  // Decision 189: the date stands still; an advancing clock would fire time-outs during real work.
  let { atMs } = life;
  const rests = { left: maxRests };
  for (;;) {
    const runtime = createRuntime({ store: life.store, workflows: [life.made], clock: lateClock(atMs) });
    try {
      const result = await driveUntilSuspended(runtime, life, rests);
      if (result.status !== 'waiting' || result.wakeAt === undefined) return result;
      atMs = Math.max(atMs, result.wakeAt);
    } finally {
      await runtime.close();
    }
  }
}

/** Answers and resolves until the run ends or has no answer. */
async function driveUntilSuspended(runtime: Runtime, life: ProcessOptions, rests: { left: number }): Promise<RunResult<unknown>> {
  let run: Run<unknown> | undefined = await beginOrResume(runtime, life);
  while (rests.left-- > 0) {
    const result: RunResult<unknown> = await run.result;
    const next = await continueRun(runtime, result, life);
    if (!next) return result;
    run = next;
  }
  throw new Error(`The run has not ended after ${maxRests} suspensions.`);
}

async function beginOrResume(
  runtime: Runtime,
  { store, made, input, options: { threadId, limits } }: ProcessOptions,
): Promise<Run<unknown>> {
  if (await store.read(runId)) return runtime.resume(runId, { force: true });
  return runtime.start(made, input, { runId, ...(threadId === undefined ? {} : { threadId }), ...(limits ? { limits } : {}) });
}

async function continueRun(
  runtime: Runtime,
  result: RunResult<unknown>,
  { store, options }: ProcessOptions,
): Promise<Run<unknown> | undefined> {
  const { answer = firstAccepted, resolve = retry } = options;
  if (result.status === 'in_doubt') {
    const [call] = result.calls;
    return call && runtime.resolve(runId, call.callId, resolve(call));
  }
  if (result.status !== 'waiting' || !result.interrupt) return undefined;
  const answered = (await journalOf(store)).filter(({ kind }) => kind === 'event').length;
  const event = answer(result.interrupt, answered);
  return event && runtime.send(runId, event, { interruptId: result.interrupt.id });
}

const firstAccepted = ({ accepts: [type = ''] }: Interrupt): HumanEvent => ({ type });

const retry = (): Resolution => ({ as: 'retry' });

async function journalOf(store: RunStore): Promise<readonly JournalEntry[]> {
  return (await store.read(runId)) ? store.journal(runId) : [];
}

/** Returns the time of the last journal entry. */
const timeOf = (journal: readonly JournalEntry[]): number => journal.reduce((latest, { at }) => Math.max(latest, at), startMs);

/** Drives the run to its end, and closes the store. */
async function endOf<TOutput>(
  life: ProcessOptions,
): Promise<{ readonly end: CrashEnd<TOutput>; readonly journal: readonly JournalEntry[] }> {
  const { store, options } = life;
  const result = await driveToEnd(life);
  const thread = options.threadId === undefined ? undefined : await store.readThread(options.threadId);
  const journal = await journalOf(store);
  await store.close();
  return { end: { result: result as RunResult<TOutput>, thread: thread?.state ?? null }, journal };
}

/**
 * A clock that always shows the same time, so that two runs have equal dates. Pauses take real time, because real work cannot be
 * accelerated.
 */
const lateClock = (atMs: number): Clock => ({ ...systemClock, now: () => atMs });
