import type { Clock } from '../ports/clock.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type { RunRecord, RunStatus, RunStore } from '../ports/run-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { runUnknown } from '../stores/store-errors.ts';
import { pause } from '../util/pause.ts';
import { storedEvents } from './stored-events.ts';

/** How often a run that another process drives is looked at, in milliseconds. */
const lookMs = 200;

/** Where a reader of events has stopped. */
export interface EventPlace {
  readonly seq: number;
  /** The lease under which that event came. Absent: it is not known. */
  readonly epoch?: number;
}

export interface FollowOptions {
  /** Number of the first event. @default 1 */
  readonly from?: number | undefined;
  /** The last event that was read, in place of `from`. */
  readonly after?: EventPlace | undefined;
  /** Stay while the run waits for a human, until it has ended. @default false */
  readonly follow?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FollowedEvent {
  readonly event: RunEvent;
  /** The lease under which it came: a place to go on from. */
  readonly epoch: number;
  /** Not in the log: it has no number of its own. */
  readonly live: boolean;
}

/**
 * The events of a run, whoever drives it: live ones too where it is driven here. Ends when the run has ended or is suspended.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`; the reason of an abort.
 */
export async function* followEvents(
  { runtime, store, clock }: { readonly runtime: Runtime; readonly store: RunStore; readonly clock: Clock },
  runId: string,
  { from = 1, after, follow = false, signal }: FollowOptions,
): AsyncGenerator<FollowedEvent, RunStatus, undefined> {
  let next = after ? await placeAfter(store, runId, after) : from;
  let known: RunRecord | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const record = await store.read(runId);
    if (!record) throw runUnknown(runId);
    const { epoch, status } = record;
    if (record.seq !== known?.seq || epoch !== known.epoch || status !== known.status) {
      // from the event before: a live one has its number
      const isAtWork = status === 'running' || status === 'queued';
      const place = Math.max(1, next - 1);
      for await (const event of isAtWork ? runtime.events(runId, { from: place }) : storedEvents(store, record, place)) {
        const live = event.type === 'token' || event.type === 'custom';
        if (!live && event.seq < next) continue;
        if (!live) next = event.seq + 1;
        yield { event, epoch, live };
        signal?.throwIfAborted();
      }
    }
    known = record;
    if (isOver(status) || (!follow && status !== 'running' && status !== 'queued')) return status;
    await pause(lookMs, clock, signal);
  }
}

/** Whoever has read an event that its process could not store any more has read something that has not happened: it is said again, or not. */
async function placeAfter(store: RunStore, runId: string, { seq, epoch }: EventPlace): Promise<number> {
  const record = await store.read(runId);
  if (!record) throw runUnknown(runId);
  if (epoch === undefined || epoch >= record.epoch) return seq + 1;
  const later = (await store.journal(runId)).find((entry) => entry.epoch > epoch && entry.events.length > 0);
  const stored = later?.events[0]?.seq ?? record.seq;
  return later ? Math.min(seq + 1, stored) : seq + 1;
}

const isOver = (status: RunStatus): boolean => status === 'done' || status === 'cancelled' || status === 'failed';
