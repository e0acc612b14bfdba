import { fromErrorInfo } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { FoundThread, RunStorage, StoredRun } from '../../core/ports/run-storage.ts';
import type { JournalEntry, RemovedPlace, ThreadRecord } from '../../core/ports/run-store.ts';
import { newId } from '../../core/util/ids.ts';
import { pause } from '../../core/util/pause.ts';
import { growingDelay } from '../../core/util/retryer.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { createRuntime } from '../../engine/run/create-runtime.ts';
import type { ForkOptions, Resolution, ResumeOptions, Runtime, SendOptions, StartOptions } from '../../engine/run/runtime.ts';
import { assertRemovable } from '../../engine/store/assert-removable.ts';
import { createRunStore } from '../../engine/store/create-run-store.ts';
import { findRecords, newestFirst } from '../../engine/store/matches-query.ts';
import { threadUnknown } from '../../engine/store/store-errors.ts';
import { type IngressOptions, restateIngress } from './restate-ingress.ts';
import { objectNames } from './restate-services.ts';
import type { CommandOutcome, Removal, RestResult, RunCommand } from './run-command.ts';
import type { RunSnapshot } from './run-tape.ts';
import { unsupportedByRestate } from './unsupported-by-restate.ts';

export interface RestateRunsOptions extends IngressOptions {
  /** Same as `name` of `restateServices`. @default 'Agent' */
  readonly name?: string;
  /** Address of Restate's admin API, such as `http://localhost:9070`. `list` and `thread` need it. */
  readonly admin?: string;
}

/** Time limit until a started run is found, and the delays between reads, in milliseconds. */
const findMs = 5_000;
const pollPolicy = { firstDelayMs: 5, longestDelayMs: 200 };

/** Run accepted by Restate. */
export interface RestateRun {
  readonly id: string;
  /** Waits until the run is suspended or ends. @throws {WorkflowError} the error that rejected the command. */
  result(): Promise<RestResult>;
}

/** Starts, answers and reads runs in Restate. Results have the types of `Runtime`. */
export interface RestateRuns extends Pick<Runtime, 'get' | 'list' | 'history' | 'thread' | 'events'> {
  /**
   * Settles once Restate has stored the start durably and `get` finds the run. Without a worker, it does not wait for `get`. Repeating a
   * `runId` repeats the same start.
   */
  start(workflow: string, input: Json, options?: StartOptions): Promise<RestateRun>;
  send(runId: string, event: HumanEvent, options: SendOptions): Promise<RestateRun>;
  resolve(runId: string, callId: string, resolution: Resolution): Promise<RestateRun>;
  resume(runId: string, options?: ResumeOptions): Promise<RestateRun>;
  /** Settles once Restate has stored the fork durably. Repeating a `runId` repeats the same fork; without one, each call forks anew. */
  fork(runId: string, options: ForkOptions): Promise<RestateRun>;
  /**
   * Removes a run without a thread, or a thread with all its runs. Returns the number of removed runs.
   * @throws {WorkflowError} `RUN_UNKNOWN`, `THREAD_UNKNOWN`, `RUN_BUSY`, `RUN_IN_THREAD`.
   */
  remove(place: RemovedPlace): Promise<number>;
  /** Cancels a run, even while it is driven. @throws {WorkflowError} `RUN_UNKNOWN`, `RUN_ENDED`. */
  cancel(runId: string): Promise<void>;
  nameThread(threadId: string, title: string | undefined): Promise<void>;
}

/**
 * Client for the runs of `restateServices`, for any program that reaches Restate's ingress.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE`, from every method, if Restate is unreachable for `patienceMs`.
 * @example
 * const runs = restateRuns({ ingress: 'http://localhost:8080' });
 * const run = await runs.start('plan-execute', { input: '123 * 456' });
 * console.log(await run.result());
 */
export function restateRuns({ name, admin, ...options }: RestateRunsOptions): RestateRuns {
  const names = objectNames(name);
  const { call, ask, isOver } = restateIngress(options);
  const { clock = systemClock } = options;
  const read = (runId: string, signal?: AbortSignal): Promise<RunSnapshot | null> =>
    call<RunSnapshot | null>([names.run, runId, 'read'], undefined, undefined, signal);
  /** Waits until `get` finds a new run or its command was rejected, at most `findMs`. Without a worker, neither happens. */
  const untilFound = async (runId: string, invocation: string): Promise<void> => {
    const enough = new AbortController();
    const cancel = clock.schedule(findMs, () => enough.abort());
    const { signal } = enough;
    try {
      for (let poll = 1; !(await read(runId, signal)) && !(await isOver(invocation, signal)); poll++)
        await pause(growingDelay(poll, pollPolicy), clock, signal);
    } catch (cause) {
      if (!signal.aborted) throw cause;
    } finally {
      cancel();
    }
  };
  const command = async (runId: string, asked: RunCommand): Promise<RestateRun> => {
    const key = 'id' in asked ? asked.id : newId('c');
    const place = [names.run, runId, 'go'] as const;
    const { invocationId } = await call<{ readonly invocationId: string }>([...place, 'send'], asked, key);
    if (asked.type === 'start' || asked.type === 'fork') await untilFound(runId, invocationId);
    // notifies a driven run at once; if the notification comes too late, the command still gets its turn
    if ('id' in asked) await call([names.run, runId, 'hear'], asked);
    return {
      id: runId,
      async result() {
        const outcome = await call<CommandOutcome>(place, asked, key);
        if ('refused' in outcome) throw fromErrorInfo(outcome.refused);
        return outcome.result;
      },
    };
  };
  const remove = async (place: RemovedPlace): Promise<number> => {
    if ('runId' in place)
      assertRemovable(
        place,
        [(await read(place.runId))?.run.record].flatMap((record) => record ?? []),
      ); // fails at once for a driven run, instead of waiting for it
    const object = 'runId' in place ? [names.run, place.runId] : [names.thread, place.threadId];
    const removal = await call<Removal>([...object, 'remove'], undefined, newId('c'));
    if ('refused' in removal) throw fromErrorInfo(removal.refused);
    // the thread sends the same message; this call waits until the runs are gone
    if ('threadId' in place) for (const runId of removal.removed) await call([names.run, runId, 'forget'], removal.id, newId('c'));
    return removal.removed.length;
  };
  const readThread = async (threadId: string): Promise<FoundThread> => {
    const { record } = await call<{ readonly record?: ThreadRecord }>([names.thread, threadId, 'read']);
    return record ? { record } : {};
  };
  const runtime = createRuntime({ store: createRunStore(readingStorage(read, readThread, () => ask(admin, headsOf(names.run)))) });
  return {
    async start(workflow, input, { runId = newId('r'), ...more } = {}) {
      if (more.priority !== undefined) throw unsupportedByRestate('a priority');
      if (more.drive === false) throw unsupportedByRestate('drive: false');
      return command(runId, { type: 'start', workflow, input, options: more });
    },
    send: (runId, event, options) => command(runId, { type: 'send', id: newId('c'), event, ...options }),
    resolve: (runId, callId, resolution) => command(runId, { type: 'resolve', callId, resolution }),
    resume: (runId, more = {}) => command(runId, { type: 'resume', options: more }),
    fork: (runId, { runId: id = newId('r'), ...more }) => command(id, { type: 'fork', of: runId, options: more }),
    remove,
    cancel: async (runId) => void (await (await command(runId, { type: 'cancel', id: newId('c') })).result()),
    nameThread: async (threadId, title) => {
      const isThere = await call<boolean>([names.thread, threadId, 'name'], title === undefined ? {} : { title }, newId('c'));
      if (!isThere) throw threadUnknown(threadId);
    },
    get: (runId) => runtime.get(runId),
    list: (query) => runtime.list(query),
    history: (runId) => runtime.history(runId),
    thread: (threadId) => runtime.thread(threadId),
    events: (runId, more) => runtime.events(runId, more),
  };
}

/** Query for the heads of all runs, in the state of the objects. */
const headsOf = (service: string): string =>
  `SELECT value_utf8 AS head FROM state WHERE service_name = '${service.replaceAll("'", "''")}' AND key = 'head'`;

function readingStorage(
  read: (runId: string) => Promise<RunSnapshot | null>,
  readThread: (threadId: string) => Promise<FoundThread>,
  heads: () => Promise<readonly JsonObject[]>,
): RunStorage {
  const refuse = (): never => {
    throw unsupportedByRestate('direct writes to runs');
  };
  const structures = new Map<string, JsonObject>();
  const found = async (runId: string): Promise<{ readonly run: StoredRun; readonly entries: readonly JournalEntry[] } | undefined> => {
    const kept = await read(runId);
    if (kept?.structure) structures.set(kept.run.record.structure, kept.structure);
    return kept ?? undefined;
  };
  return {
    change: refuse,
    read: async (runId) => (await found(runId))?.run,
    journal: async (runId) => (await found(runId))?.entries,
    heads: async (runIds) => (await Promise.all(runIds.map(found))).flatMap((one) => one?.run.record ?? []),
    list: async (query) => {
      const records = (await heads()).map(({ head }) => (JSON.parse(String(head)) as { readonly run: StoredRun }).run.record);
      return findRecords(newestFirst(records), query);
    },
    readThread,
    remove: refuse,
    saveStructure: () => {},
    readStructure: (hash) => structures.get(hash),
    close() {},
  };
}
