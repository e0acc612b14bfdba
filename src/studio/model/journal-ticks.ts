import type { Json } from '../../core/ports/json.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { describePatch } from './describe-patch.ts';

/** A journal entry as a tick on the scrubber. */
export interface JournalTick {
  readonly seq: number;
  readonly key: string;
  readonly at: number;
  /** Position from 0 to 1. */
  readonly place: number;
  readonly kind: 'node' | 'step' | 'wait' | 'failed';
  /** Name of the state that ends with this entry. */
  readonly name?: string;
  /** Position at which that state began. */
  readonly begins?: number;
}

/** Maximum displayed length of a pause, in milliseconds. */
const longestPauseMs = 2_000;
/** Minimum distance at which two ticks are distinguishable. */
const closest = 0.012;

/** Positions ticks by time, but shortens long pauses and keeps ticks from overlapping. */
export function journalTicks(entries: readonly JournalEntry[]): readonly JournalTick[] {
  const [first] = entries;
  if (!first) return [];
  let reached = 0;
  let before = first.at;
  const times = entries.map(({ at }) => {
    reached += Math.min(Math.max(0, at - before), longestPauseMs);
    before = at;
    return reached;
  });
  const total = Math.max(1, reached);
  const apart = Math.min(closest, 0.9 / entries.length);
  // blends the position in time with an even spacing
  const even = Math.min(0.75, apart * entries.length * 3);
  const places = entries.map((_, index) => {
    const share = entries.length === 1 ? 0 : index / (entries.length - 1);
    return 0.985 * ((1 - even) * ((times[index] ?? 0) / total) + even * share);
  });
  let begins = 0;
  return entries.map((entry, index) => {
    const place = places[index] ?? 0;
    const tick = { seq: entry.seq, key: entry.key, at: entry.at, place, kind: kindOf(entry) };
    if (entry.kind !== 'node' && entry.kind !== 'event') return tick;
    const named = { ...tick, name: entry.key.split(/[#/ ]/)[0] ?? '', begins };
    begins = place;
    return named;
  });
}

function kindOf({ kind, outcome, key }: JournalEntry): JournalTick['kind'] {
  if (kind === 'event') return 'wait';
  const parts = typeof outcome === 'object' && outcome !== null && !Array.isArray(outcome) ? outcome : {};
  const { status } = parts as { readonly status?: unknown };
  if (kind === 'settle') return status === 'waiting' || status === 'in_doubt' ? 'wait' : status === 'failed' ? 'failed' : 'node';
  if ('error' in parts) return 'failed';
  return kind === 'node' || (kind === 'start' && key === 'run') ? 'node' : 'step';
}

/** Number of events that were final when an entry was written. */
export function eventsUntil(
  entries: readonly JournalEntry[],
  seq: number,
  events: readonly { readonly seq: number; readonly at: number }[],
): number {
  const until = entries.filter((entry) => entry.seq <= seq);
  if (until.every((entry) => Array.isArray(entry.events))) return until.reduce((sum, entry) => sum + (entry.events?.length ?? 0), 0);
  const at = until.at(-1)?.at ?? 0;
  return events.findLastIndex((event) => event.at <= at) + 1;
}

/** Summary of an entry in a few words. */
export function entryText({ kind, outcome }: JournalEntry): string {
  if (typeof outcome !== 'object' || outcome === null || Array.isArray(outcome)) return JSON.stringify(outcome) ?? '';
  const { output, error, event, input, status } = outcome as { readonly [key: string]: unknown };
  if (kind === 'settle') return String(status ?? '');
  const said = kind === 'node' ? describePatch(output as Json) : '';
  if (said !== '') return said;
  const shown = error ?? event ?? output ?? input ?? outcome;
  return typeof shown === 'string' ? shown : (JSON.stringify(shown) ?? '');
}
