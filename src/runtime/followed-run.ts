import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type { RunRecord } from '../ports/run-store.ts';
import { pause } from '../util/pause.ts';
import { EventLog } from './event-log.ts';
import type { Run, RunResult } from './run.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { readRun, restOf, type StoredRun } from './stored-runs.ts';

/** How often a run that somebody else drives is looked at, in milliseconds. */
const lookMs = 100;

/** How often it is tried to give a queued run its thread, in milliseconds: its own process may be gone. */
const queueTryMs = 1_000;

/** The longest pause between two looks at a store that cannot be read, in milliseconds. */
const maxPauseMs = 5_000;

/** A run that another runtime drives, as the store tells it. When its driver dies, it is driven here. */
export class FollowedRun implements Run<unknown> {
  readonly id: string;
  readonly threadId?: string;
  readonly result: Promise<RunResult<unknown>>;
  readonly #core: RuntimeCore;
  readonly #log: EventLog;
  /** How much of the journal is known. */
  #seq: number;
  #nextTry: number;

  constructor(core: RuntimeCore, { record, entries }: StoredRun) {
    this.id = record.id;
    if (record.threadId !== undefined) this.threadId = record.threadId;
    this.#core = core;
    this.#seq = entries.length;
    this.#nextTry = core.clock.monotonic() + (record.status === 'queued' ? queueTryMs : core.leaseMs / 3);
    this.#log = new EventLog(
      () => core.clock.now(),
      entries.flatMap(({ events }) => events),
    );
    this.result = this.#follow().finally(() => this.#log.end());
  }

  events({ from = 1 }: { readonly from?: number } = {}): AsyncIterable<RunEvent> {
    return this.#log.read(from);
  }

  /** Never rejects. */
  async #follow(): Promise<RunResult<unknown>> {
    const { clock, closing, store } = this.#core;
    let pauseMs = 0;
    for (;;) {
      try {
        if (pauseMs > 0) await pause(pauseMs, clock, closing);
        pauseMs = lookMs;
        const record = await store.read(this.id);
        const result = record && (await this.#look(record));
        if (result) return result;
      } catch (cause) {
        if (closing.aborted || !WorkflowError.isInstance(cause) || !cause.retryable) return { status: 'failed', error: toErrorInfo(cause) };
        pauseMs = Math.min(maxPauseMs, 2 * pauseMs);
      }
    }
  }

  async #look(record: RunRecord): Promise<RunResult<unknown> | undefined> {
    const rests = record.status !== 'running' && record.status !== 'queued';
    if (rests || record.seq > this.#seq) {
      const stored = await readRun(this.#core.store, this.id);
      const unknown = stored.entries.slice(this.#seq);
      this.#log.adopt(unknown.flatMap(({ events }) => events));
      this.#seq = stored.entries.length;
      return restOf(stored);
    }
    if (this.#core.clock.monotonic() < this.#nextTry) return undefined;
    const pauseMs = record.status === 'queued' ? queueTryMs : this.#core.leaseMs / 3;
    this.#nextTry = this.#core.clock.monotonic() + pauseMs;
    return this.#drive();
  }

  /** Drives the run when nobody does. */
  async #drive(): Promise<RunResult<unknown> | undefined> {
    try {
      const run = await this.#core.resume(this.id, {});
      for await (const event of run.events({ from: this.#log.seq + 1 })) this.#log.adopt([event]);
      return await run.result;
    } catch (cause) {
      if (WorkflowError.isInstance(cause) && others.has(cause.code)) return undefined;
      throw cause;
    }
  }
}

/** Somebody drives the run, or it cannot be driven here. */
const others: ReadonlySet<string> = new Set([
  'RUN_BUSY',
  'RUN_ENDED',
  'RUN_FENCED',
  'THREAD_BUSY',
  'WORKFLOW_UNKNOWN',
  'JOURNAL_OF_OTHER_MACHINE',
]);
