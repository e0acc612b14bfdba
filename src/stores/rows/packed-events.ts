import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { StoredEvent } from '../../core/ports/run-event.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { isObject } from '../../core/util/is-object.ts';

/**
 * Packs the events of an entry. Each node emits three events, which would take more space than most outcomes. Facts that follow from the
 * entry itself are omitted:
 *
 * - the list begins with the number of its first event; the others count on
 * - `durationMs` is the entry's own `node-end`, at its time, with the error of its outcome
 * - `[ago, attempt, key?]` is a `node-start`, `ago` milliseconds before the entry; `key` is absent for the entry's own key
 * - `[ago, from, on, to, guard?]` is an `edge`
 * - `[ago]` is the `run-end` that follows from the outcome
 * - `[ago, null, model?]` is the `run-start` of the entry's run
 * - an object is any other event, with its time
 *
 * A list that begins with an object holds unpacked events: those of an older file, or those that fit none of the formats above.
 */
export function packEvents({ events, ...entry }: JournalEntry, run: NamedRun): string {
  const [first] = events;
  if (typeof first?.seq !== 'number') return JSON.stringify(events);
  const items: unknown[] = [first.seq];
  for (const event of events) {
    if (event.seq !== first.seq + items.length - 1) return JSON.stringify(events);
    items.push(packEvent(event, entry, run));
  }
  return JSON.stringify(items);
}

/** Reverses `packEvents`. Returns `undefined` for any other text. */
export function unpackEvents(items: Json | undefined, entry: EntryHead, run: NamedRun): readonly StoredEvent[] | undefined {
  if (!Array.isArray(items)) return undefined;
  const [first, ...rest] = items as readonly Json[];
  // the row's checksum holds, so this package wrote it
  if (typeof first !== 'number') return items.every(isObject) ? (items as readonly unknown[] as readonly StoredEvent[]) : undefined;
  if (rest.length === 0) return undefined;
  const events: StoredEvent[] = [];
  for (const item of rest) {
    const event = unpackEvent(item, first + events.length, entry, run);
    if (!event) return undefined;
    events.push(event as StoredEvent);
  }
  return events;
}

type EntryHead = Omit<JournalEntry, 'events'>;

/** Fields of a run's row that repeat in its first event. */
interface NamedRun {
  readonly id: string;
  readonly workflow: string;
  readonly version: string;
  readonly thread: string | null;
}

function packEvent(event: StoredEvent, entry: EntryHead, run: NamedRun): unknown {
  const ago = entry.at - event.at;
  const isPacked = event.node === undefined && entry.at - ago === event.at;
  if (isPacked) {
    if (event.type === 'edge') {
      const { from, on, to, guard } = event;
      if (guard === undefined) return hasOnly(event, 6) ? [ago, from, on, to] : rest(event);
      return hasOnly(event, 7) ? [ago, from, on, to, guard] : rest(event);
    }
    if (event.type === 'node-start' && hasOnly(event, 5)) {
      return event.key === entry.key ? [ago, event.attempt] : [ago, event.attempt, event.key];
    }
    if (event.type === 'node-end' && ago === 0 && isOwnEnd(event, entry)) return event.durationMs;
    if (event.type === 'run-start') {
      const { model, seq, at } = event;
      if (isSame(event, { ...startOf(run, model), seq, at })) return model === undefined ? [ago, null] : [ago, null, model];
    }
    if (event.type === 'run-end' && isSame(event, { ...endOf(entry), seq: event.seq, at: event.at })) return [ago];
  }
  return rest(event);
}

function unpackEvent(item: Json, seq: number, entry: EntryHead, run: NamedRun): object | undefined {
  const { key, at } = entry;
  if (typeof item === 'number') {
    const error = errorOf(entry);
    return { type: 'node-end', key, durationMs: item, ...(error ? { error } : {}), seq, at };
  }
  if (isObject(item)) {
    const { at: itsAt, node, ...event } = item;
    return typeof itsAt === 'number' ? { ...event, seq, at: itsAt, ...(node === undefined ? {} : { node }) } : undefined;
  }
  if (!Array.isArray(item)) return undefined;
  const [ago, second, third, to, guard] = item as readonly Json[];
  if (typeof ago !== 'number') return undefined;
  const when = { seq, at: at - ago };
  if (second === undefined) return { ...endOf(entry), ...when };
  if (second === null) return { ...startOf(run, third), ...when };
  if (typeof second === 'number') return { type: 'node-start', key: third ?? key, attempt: second, ...when };
  return { type: 'edge', from: second, on: third, ...(guard === undefined ? {} : { guard }), to, ...when };
}

/** Removes the event's number, which follows from its position. */
function rest({ seq: _, ...event }: StoredEvent): object {
  return event;
}

function isOwnEnd(event: Extract<StoredEvent, { readonly type: 'node-end' }>, entry: EntryHead): boolean {
  const error = errorOf(entry);
  if (event.key !== entry.key || typeof event.durationMs !== 'number') return false;
  if (!error) return event.error === undefined && hasOnly(event, 5);
  return event.error !== undefined && hasOnly(event, 6) && isSame(event.error, error);
}

const errorOf = ({ outcome }: EntryHead): Json | undefined => (isObject(outcome) ? outcome.error : undefined) as Json | undefined;

const startOf = ({ id, workflow, version, thread }: NamedRun, model: Json | undefined): JsonObject => ({
  type: 'run-start',
  workflow,
  version,
  runId: id,
  ...(thread === null ? {} : { threadId: thread }),
  ...(model === undefined ? {} : { model }),
});

/** Returns the `run-end` event of a settlement. */
function endOf({ outcome }: EntryHead): JsonObject {
  const { status = null, finalState, error, failure } = isObject(outcome) ? (outcome as JsonObject) : {};
  return {
    type: 'run-end',
    status,
    ...(finalState === undefined ? {} : { finalState }),
    ...(error === undefined ? {} : { error }),
    ...(failure === undefined ? {} : { failure }),
  };
}

function hasOnly(event: object, members: number): boolean {
  let count = 0;
  for (const name in event) if (event[name as keyof object] !== undefined) count++;
  return count === members;
}

const isSame = (a: object, b: Json): boolean => canonicalJson(a as Json) === canonicalJson(b);
