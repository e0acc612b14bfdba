import { toErrorInfo } from '../../core/errors/errors.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import type { RunRecord, RunWatch } from '../../core/ports/run-store.ts';
import { sumUsage } from '../../core/util/add-usage.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { pollingWatch } from '../../core/util/pause.ts';
import { growingDelay } from '../../core/util/retryer.ts';
import type { Run, RunResult } from '../drive/run.ts';
import { toResult } from '../drive/to-result.ts';
import { EventLog } from '../journal/event-log.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { type EventsOptions, firstEvent } from './runtime-options.ts';
import { readRun, restOf, type StoredRun } from './stored-runs.ts';

/** Delay between two polls of a run that another process drives, in milliseconds. It grows while the store is unavailable. */
const pollPolicy = { firstDelayMs: 100, longestDelayMs: 5_000 };

/** Interval at which a queued run is tried for its thread, in milliseconds, because its own process may be gone. */
const queueTryMs = 1_000;

/** A run that another runtime drives, followed through the store. When its driver dies, it is driven here unless `drives` is false. */
export class FollowedRun implements Run<unknown> {
  readonly id: string;
  readonly threadId?: string;
  readonly result: Promise<RunResult<unknown>>;
  readonly #core: RuntimeCore;
  readonly #log: EventLog;
  /** Number of journal entries read so far. */
  #seq: number;
  #nextTry: number;

  constructor(core: RuntimeCore, { record, entries }: StoredRun, drives = true) {
    this.id = record.id;
    if (record.threadId !== undefined) this.threadId = record.threadId;
    this.#core = core;
    this.#seq = entries.length;
    this.#nextTry = drives
      ? core.clock.monotonic() + (record.status === 'queued' ? queueTryMs : core.leaseMs / 3)
      : Number.POSITIVE_INFINITY;
    this.#log = new EventLog(
      () => core.clock.now(),
      entries.flatMap(({ events }) => events),
    );
    const watch = core.store.watch?.(this.id) ?? pollingWatch;
    this.result = this.#follow(watch).finally(() => {
      watch.stop();
      this.#log.end();
    });
  }

  events(options: EventsOptions = {}): AsyncIterable<RunEvent> {
    return this.#log.read(firstEvent(options));
  }

  /** Never rejects. */
  async #follow(watch: RunWatch): Promise<RunResult<unknown>> {
    const { clock, closing, store } = this.#core;
    for (let polls = 0, failures = 0; ; polls++) {
      try {
        if (polls > 0) await watch.pause(growingDelay(failures + 1, pollPolicy), clock, closing);
        const record = await store.read(this.id);
        const result = record && (await this.#poll(record));
        if (result) return result;
        failures = 0;
      } catch (cause) {
        const error = toErrorInfo(cause);
        if (closing.aborted || !error.retryable) return toResult({ status: 'failed', error });
        failures++;
      }
    }
  }

  async #poll(record: RunRecord): Promise<RunResult<unknown> | undefined> {
    const rests = record.status !== 'running' && record.status !== 'queued';
    if (rests || record.seq > this.#seq) {
      const stored = await readRun(this.#core.store, this.id);
      const unknown = stored.entries.slice(this.#seq);
      this.#log.adopt(unknown.flatMap(({ events }) => events));
      this.#seq = stored.entries.length;
      const rest = restOf(stored);
      return rest && toResult(rest, sumUsage(stored.entries.flatMap(({ events }) => events)));
    }
    if (this.#core.clock.monotonic() < this.#nextTry) return undefined;
    const pauseMs = record.status === 'queued' ? queueTryMs : this.#core.leaseMs / 3;
    this.#nextTry = this.#core.clock.monotonic() + pauseMs;
    return this.#drive();
  }

  /** Drives the run if no other process does. */
  async #drive(): Promise<RunResult<unknown> | undefined> {
    try {
      const run = await this.#core.resume(this.id, {});
      // a live event has the number of the event before it
      for await (const event of run.events({ from: this.#log.seq })) {
        if (event.live !== undefined || event.seq > this.#log.seq) this.#log.adopt([event]);
      }
      return await run.result;
    } catch (cause) {
      if (isForOthers(cause)) return undefined;
      throw cause;
    }
  }
}

/** True when another process drives the run, or it cannot be driven here. */
const isForOthers = (cause: unknown): boolean =>
  hasCode(cause, 'RUN_BUSY', 'RUN_ENDED', 'RUN_FENCED', 'THREAD_BUSY', 'WORKFLOW_UNKNOWN', 'JOURNAL_OF_OTHER_MACHINE');
