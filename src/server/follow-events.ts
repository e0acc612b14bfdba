import type { Clock } from '../ports/clock.ts';
import type { RunEvent } from '../ports/run-event.ts';
import { hasEnded, type RunRecord, type RunStatus, type RunStore } from '../ports/run-store.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { runUnknown } from '../stores/store-errors.ts';
import { blindly } from '../util/pause.ts';
import { storedEvents } from './stored-events.ts';

/** How often a run that another process drives is looked at, in milliseconds. */
const lookMs = 200;

/** Where a reader of events has stopped. */
export interface EventPlace {
  readonly seq: number;
  /** The lease under which that event came. Absent: it is not known. */
  readonly epoch?: number;
  /** How much was said live under that lease, where the last thing was live. */
  readonly size?: number;
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
  /** Where its reader has come to with it, to go on from. */
  readonly place: string;
}

/**
 * The events of a run, whoever drives it: live ones too where it is driven here, of nodes that are at work from their beginning, or behind
 * what the reader has heard already. Ends when the run has ended or is suspended.
 *
 * @throws {WorkflowError} `RUN_UNKNOWN`; the reason of an abort.
 */
export async function* followEvents(
  { runtime, store, clock }: { readonly runtime: Runtime; readonly store: RunStore; readonly clock: Clock },
  runId: string,
  { from = 1, after, follow = false, signal }: FollowOptions,
): AsyncGenerator<FollowedEvent, RunStatus, undefined> {
  let next = after ? await placeAfter(store, runId, after) : from;
  let heard = after?.size === undefined ? undefined : `${after.epoch}.${after.size}`;
  let isNew = !after;
  let known: RunRecord | undefined;
  const watch = store.watch?.(runId) ?? blindly;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const record = await store.read(runId);
      if (!record) throw runUnknown(runId);
      let { epoch, status } = record;
      if (record.seq !== known?.seq || epoch !== known.epoch || status !== known.status) {
        const isAtWork = status === 'running' || status === 'queued';
        // a live event has the number of the one before, and whoever is new has missed what was said before as well
        const start = isNew && isAtWork ? 1 : Math.max(1, next - 1);
        for await (const said of isAtWork ? runtime.events(runId, { from: start }) : storedEvents(store, record, start)) {
          const event = unheard(said, heard);
          if (!event || (event.live === undefined && event.seq < next)) continue;
          if (event.live === undefined) next = event.seq + 1;
          else heard = event.live;
          if (epoch === 0) epoch = (await store.read(runId))?.epoch ?? 0; // it was queued, and nobody had it
          yield { event, place: `${event.seq}.${event.live ?? epoch}` };
          signal?.throwIfAborted();
        }
        isNew = false;
      }
      known = record;
      if (hasEnded(status) || (!follow && status !== 'running' && status !== 'queued')) return status;
      await watch.pause(lookMs, clock, signal);
    }
  } finally {
    watch.stop();
  }
}

/** What of an event somebody has not heard who has heard live ones up to `heard`. */
function unheard(event: RunEvent, heard: string | undefined): RunEvent | undefined {
  if (event.live === undefined || heard === undefined) return event;
  const [epoch, size] = event.live.split('.');
  const [heardEpoch, heardSize] = heard.split('.');
  if (epoch !== heardEpoch) return event;
  const missing = Number(size) - Number(heardSize);
  if (missing <= 0) return undefined;
  return event.type === 'token' ? { ...event, text: event.text.slice(-missing) } : event;
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
