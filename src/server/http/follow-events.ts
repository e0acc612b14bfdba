import type { Clock } from '../../core/ports/clock.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import { hasEnded, type RunRecord, type RunStatus, type RunStore, resultStatus } from '../../core/ports/run-store.ts';
import { pollingWatch } from '../../core/util/pause.ts';
import { Gate, type PushedIterable, readSource, type SourceReader, type Subscription, sourceOf } from '../../core/util/source.ts';
import { toPublicEvent } from '../../engine/drive/to-public-event.ts';
import type { Runtime } from '../../engine/run/runtime.ts';
import { runUnknown } from '../../engine/store/store-errors.ts';

/** Poll interval for a run that another process drives, in milliseconds. */
const lookMs = 200;

/** Position of a reader in a run's events. */
export interface EventPlace {
  readonly seq: number;
  /** Lease epoch of that event. Absent: unknown. */
  readonly epoch?: number;
  /** Size of the live output under that lease, if the last event was live. */
  readonly size?: number;
}

export interface FollowOptions {
  /** Number of the first event. @default 1 */
  readonly from?: number | undefined;
  /** The last event that was read; replaces `from`. */
  readonly after?: EventPlace | undefined;
  /** Keep following while the run waits for a human, until it has ended. @default false */
  readonly follow?: boolean | undefined;
}

export interface FollowedEvent {
  readonly event: RunEvent;
  /** The reader's position after this event, for resuming. */
  readonly place: string;
}

/** Resources for following a run. */
export interface FollowSpace {
  readonly runtime: Runtime;
  readonly store: RunStore;
  readonly clock: Clock;
}

/** Events of a run, and its status once they have ended. */
export interface FollowedEvents extends PushedIterable<FollowedEvent> {
  readonly status: RunStatus | undefined;
}

/**
 * Returns the events of a run, whichever process drives it. If it is driven here, live events are included, from the start of the active
 * nodes or after the reader's position. Ends when the run has ended or is suspended.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`, when it is read.
 */
export function followEvents(space: FollowSpace, runId: string, options: FollowOptions): FollowedEvents {
  let status: RunStatus | undefined;
  const subscribe = (reader: SourceReader<FollowedEvent>): Subscription => {
    const follower = new Follower(space, runId, options, reader);
    void follower.follow().then(
      (rest) => {
        status = rest;
        if (!follower.gate.isStopped) reader.end();
      },
      (cause: unknown) => {
        if (!follower.gate.isStopped) reader.fail(cause);
      },
    );
    return follower;
  };
  return {
    subscribe,
    [Symbol.asyncIterator]: () => readSource({ subscribe }),
    get status() {
      return status;
    },
  };
}

/** Follows a run for one reader: stored events, and those of each drive. */
class Follower implements Subscription {
  readonly gate: Gate = new Gate();
  readonly #space: FollowSpace;
  readonly #runId: string;
  readonly #options: FollowOptions;
  readonly #reader: SourceReader<FollowedEvent>;
  readonly #stopped = new AbortController();
  /** Subscription to the events of the drive in progress. */
  #drive: Subscription | undefined;
  /** Number of the next stored event. */
  #next = 1;
  /** Position in the live output. */
  #lastLive: string | undefined;
  #epoch = 0;

  constructor(space: FollowSpace, runId: string, options: FollowOptions, reader: SourceReader<FollowedEvent>) {
    this.#space = space;
    this.#runId = runId;
    this.#options = options;
    this.#reader = reader;
  }

  hold(): void {
    this.gate.hold();
    this.#drive?.hold();
  }

  resume(): void {
    this.gate.resume();
    this.#drive?.resume();
  }

  stop(): void {
    this.gate.stop();
    this.#drive?.stop();
    this.#stopped.abort();
  }

  /** Returns the status in which the run rests. */
  async follow(): Promise<RunStatus> {
    const { store, clock } = this.#space;
    const { from = 1, after, follow = false } = this.#options;
    const { signal } = this.#stopped;
    this.#next = after ? await placeAfter(store, this.#runId, after) : from;
    this.#lastLive = after?.size === undefined ? undefined : `${after.epoch}.${after.size}`;
    let isNew = !after;
    let known: RunRecord | undefined;
    const watch = store.watch?.(this.#runId) ?? pollingWatch;
    try {
      for (;;) {
        signal.throwIfAborted();
        const record = await store.read(this.#runId);
        if (!record) throw runUnknown(this.#runId);
        const { epoch, status } = record;
        if (record.seq !== known?.seq || epoch !== known.epoch || status !== known.status) {
          await this.#readOn(record, isNew, signal);
          isNew = false;
        }
        known = record;
        if (hasEnded(status) || (!follow && status !== 'running' && status !== 'queued')) return resultStatus(record);
        await watch.pause(lookMs, clock, signal);
      }
    } finally {
      watch.stop();
    }
  }

  async #readOn(record: RunRecord, isNew: boolean, signal: AbortSignal): Promise<void> {
    const { runtime, store } = this.#space;
    const isAtWork = record.status === 'running' || record.status === 'queued';
    // a live event has the number of the event before it, and a new reader has missed the earlier live output too
    const start = isNew && isAtWork ? 1 : Math.max(1, this.#next - 1);
    this.#epoch = record.epoch;
    const events = isAtWork ? runtime.events(this.#runId, { from: start }) : storedEvents(store, record, start);
    if (isAtWork && record.epoch > 0) return this.#push(events, signal);
    for await (const event of events) {
      this.#epoch ||= (await store.read(this.#runId))?.epoch ?? 0; // the run was queued and had no lease
      await this.gate.passed();
      signal.throwIfAborted();
      this.#tell([event]);
    }
  }

  /** Passes the events of a drive on as they are pushed. */
  async #push(events: AsyncIterable<RunEvent>, signal: AbortSignal): Promise<void> {
    const ended = Promise.withResolvers<void>();
    const drive = sourceOf(events).subscribe({
      tell: (some) => this.#tell(some),
      end: ended.resolve,
      fail: ended.reject,
    });
    this.#drive = drive;
    if (this.gate.isHeld) drive.hold();
    const abort = (): void => ended.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await ended.promise;
    } finally {
      signal.removeEventListener('abort', abort);
      drive.stop();
      this.#drive = undefined;
    }
  }

  #tell(events: readonly RunEvent[]): void {
    const followed: FollowedEvent[] = [];
    for (const found of events) {
      const event = missingPart(found, this.#lastLive);
      if (!event || (event.live === undefined && event.seq < this.#next)) continue;
      if (event.live === undefined) this.#next = event.seq + 1;
      else this.#lastLive = event.live;
      // Decision 293: with the epoch, because a later process reuses the numbers of events that were never stored.
      followed.push({ event, place: `${event.seq}.${event.live ?? this.#epoch}` });
    }
    if (followed.length > 0) this.#reader.tell(followed);
  }
}

/** Returns the part of an event that a reader has not received yet; `lastLive` is its position in the live output. */
function missingPart(event: RunEvent, lastLive: string | undefined): RunEvent | undefined {
  if (event.live === undefined || lastLive === undefined) return event;
  const [epoch, size] = event.live.split('.');
  const [lastEpoch, lastSize] = lastLive.split('.');
  if (epoch !== lastEpoch) return event;
  const missing = Number(size) - Number(lastSize);
  if (missing <= 0) return undefined;
  return event.type === 'token' ? { ...event, text: event.text.slice(-missing) } : event;
}

/**
 * A reader may have seen events that were never stored, because their process lost the lease. The events of the next lease replace them.
 */
async function placeAfter(store: RunStore, runId: string, { seq, epoch }: EventPlace): Promise<number> {
  const record = await store.read(runId);
  if (!record) throw runUnknown(runId);
  if (epoch === undefined || epoch >= record.epoch) return seq + 1;
  const later = (await store.journal(runId)).find((entry) => entry.epoch > epoch && entry.events.length > 0);
  const stored = later?.events[0]?.seq ?? record.seq;
  return later ? Math.min(seq + 1, stored) : seq + 1;
}

interface SharedRead {
  readonly events: Promise<readonly RunEvent[]>;
  readers: number;
}

/** Reads in progress of each store, by run and position. */
const openReads = new WeakMap<RunStore, Map<string, SharedRead>>();

/**
 * Yields the events of a resting run. Concurrent readers share one copy, and nothing else of the journal is held in memory, so 100 stalled
 * readers cost no more than one.
 */
async function* storedEvents(
  store: RunStore,
  { id, seq, epoch }: Pick<RunRecord, 'id' | 'seq' | 'epoch'>,
  from: number,
): AsyncGenerator<RunEvent, void, undefined> {
  const known = openReads.get(store) ?? new Map<string, SharedRead>();
  openReads.set(store, known);
  const key = `${id} ${seq} ${epoch}`;
  const shared = known.get(key) ?? { events: eventsOf(store, id), readers: 0 };
  known.set(key, shared);
  shared.readers++;
  try {
    for (const event of await shared.events) if (event.seq >= from) yield event;
  } finally {
    if (--shared.readers === 0) known.delete(key);
  }
}

const eventsOf = async (store: RunStore, id: string): Promise<readonly RunEvent[]> =>
  (await store.journal(id)).flatMap(({ events }) => events.map(toPublicEvent));
