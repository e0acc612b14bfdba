import type { Json } from '../ports/json.ts';
import type { CallInDoubt, Interrupt } from '../ports/run-event.ts';
import type { Awaitable, JournalEntry, RunStore } from '../ports/run-store.ts';
import { createRuntime } from '../runtime/create-runtime.ts';
import type { HumanEvent } from '../runtime/host.ts';
import type { Limits } from '../runtime/limits.ts';
import type { Run, RunResult } from '../runtime/run.ts';
import type { Resolution, Runtime } from '../runtime/runtime.ts';
import { memoryStore } from '../stores/memory-store.ts';
import type { AnyWorkflow, Workflow } from '../workflow/define-workflow.ts';
import { checkSame } from './check.ts';
import { crashingStore } from './crashing-store.ts';
import { lateClock } from './late-clock.ts';

/** A process that has died, and what it left behind. */
export interface Crash {
  /** The write that did not arrive any more, counted from 0. */
  readonly at: number;
  /** What had been written of the run. */
  readonly journal: readonly JournalEntry[];
}

/** How a run has ended. */
export interface CrashEnd<TOutput> {
  readonly result: RunResult<TOutput>;
  /** State of the run's thread; `null` without one. */
  readonly thread: Json;
}

export interface CrashResumeOptions<TOutput> {
  /**
   * What a human says to a question; `index` counts the answers of the run from 0. `undefined`: nobody answers, and time passes until the
   * run's earliest timer is due. Default: the first event that is accepted, without any payload.
   */
  readonly answer?: (interrupt: Interrupt, index: number) => HumanEvent | undefined;
  /** A human's word on a call in doubt. Default: it did not happen. */
  readonly resolve?: (call: CallInDoubt) => Resolution;
  /** Makes a store for each run, with earlier turns of its thread for example; it is closed when the run has ended. @default memoryStore */
  readonly store?: () => Awaitable<RunStore>;
  /** The conversation that the run belongs to. Default: none. */
  readonly threadId?: string;
  readonly limits?: Partial<Limits>;
  /** What of an end must be the same as without a crash; times that a node measures are not. Default: all of it. */
  readonly compare?: (end: CrashEnd<TOutput>) => unknown;
  /** Looks at the world between a crash and the resumption. */
  readonly onCrash?: (crash: Crash) => Awaitable<void>;
  /** Looks at the world once a run that was resumed has ended. */
  readonly onEnd?: (end: CrashEnd<TOutput>, crash: Crash) => Awaitable<void>;
}

export interface CrashReport<TOutput> extends CrashEnd<TOutput> {
  /** How many times the process has died: once before each write. */
  readonly crashes: number;
}

/**
 * Runs a workflow once to its end, and then as often as it writes: each time the process dies before another one of its writes, and a new
 * process goes on from what is in the store. Every run must end as the first one did, and what was written must stay as it was.
 *
 * Questions are answered and timers come due on the way, before the crash and after it, so waits, parallel regions and workflows inside
 * nodes are crossed like everything else. The dates of all runs are the same.
 *
 * @param workflow the workflow, or what makes it together with a world of its own: it is called once for each run.
 * @throws {Error} where a run that was resumed ended otherwise, or does not end; and whatever `onCrash` and `onEnd` throw.
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
  const calm = await begin();
  const { end: expected } = await endOf<TOutput>({ ...calm, input, options, atMs: startMs });
  for (let at = 1; ; at++) {
    const { store, made } = await begin();
    const dying = crashingStore(store, at);
    const life: Life = { store: dying, made, input, options, atMs: startMs };
    await live(life).catch((cause) => {
      if (!dying.crashed) throw cause;
    });
    if (!dying.crashed) {
      await store.close();
      return { ...expected, crashes: at - 1 };
    }
    const crash: Crash = { at, journal: await journalOf(store) };
    await onCrash?.(crash);
    const { end, journal } = await endOf<TOutput>({ ...life, store, atMs: timeOf(crash.journal) });
    const place = `after a crash before write ${at}, behind "${crash.journal.at(-1)?.key ?? 'nothing'}",`;
    checkSame(compare(end), compare(expected), `The end of the run ${place}`);
    checkSame(journal.slice(0, crash.journal.length), crash.journal, `What was written ${place}`);
    await onEnd?.(end, crash);
  }
}

const runId = 'crash-resume';
/** An arbitrary date: 1 January 2026. */
const startMs = Date.UTC(2026, 0, 1);
/** More than any run of a test has to be answered, resolved or waited for. */
const maxRests = 200;

interface Life {
  readonly store: RunStore;
  readonly made: AnyWorkflow;
  readonly input: unknown;
  readonly options: Omit<CrashResumeOptions<never>, 'compare' | 'onEnd'>;
  /** What the clock shows at first. */
  readonly atMs: number;
}

/** Drives the run to its end, in one process after the other: a new one whenever time has to pass. */
async function live(life: Life): Promise<RunResult<unknown>> {
  let { atMs } = life;
  const rests = { left: maxRests };
  for (;;) {
    const runtime = createRuntime({ store: life.store, workflows: [life.made], clock: lateClock(atMs) });
    try {
      const result = await untilAsleep(runtime, life, rests);
      if (result.status !== 'waiting' || result.wakeAt === undefined) return result;
      atMs = Math.max(atMs, result.wakeAt);
    } finally {
      await runtime.close();
    }
  }
}

/** Says what there is to say, until the run has ended or nobody answers. */
async function untilAsleep(runtime: Runtime, life: Life, rests: { left: number }): Promise<RunResult<unknown>> {
  let run: Run<unknown> | undefined = await beginOrResume(runtime, life);
  while (rests.left-- > 0) {
    const result: RunResult<unknown> = await run.result;
    const next = await goOn(runtime, result, life);
    if (!next) return result;
    run = next;
  }
  throw new Error(`The run has not ended after ${maxRests} rests.`);
}

async function beginOrResume(runtime: Runtime, { store, made, input, options: { threadId, limits } }: Life): Promise<Run<unknown>> {
  if (await store.read(runId)) return runtime.resume(runId, { force: true });
  return runtime.start(made, input, { runId, ...(threadId === undefined ? {} : { threadId }), ...(limits ? { limits } : {}) });
}

async function goOn(runtime: Runtime, result: RunResult<unknown>, { store, options }: Life): Promise<Run<unknown> | undefined> {
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

/** When the process that died had come to. */
const timeOf = (journal: readonly JournalEntry[]): number => journal.reduce((latest, { at }) => Math.max(latest, at), startMs);

/** Lives to the end, and closes the store. */
async function endOf<TOutput>(life: Life): Promise<{ readonly end: CrashEnd<TOutput>; readonly journal: readonly JournalEntry[] }> {
  const { store, options } = life;
  const result = await live(life);
  const thread = options.threadId === undefined ? undefined : await store.readThread(options.threadId);
  const journal = await journalOf(store);
  await store.close();
  return { end: { result: result as RunResult<TOutput>, thread: thread?.state ?? null }, journal };
}
