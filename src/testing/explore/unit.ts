import type { Position } from '../../engine/drive/stepper.ts';
import type { InProgress } from './in-progress.ts';
import { nameOfOutcome, type OutcomeClass } from './outcome-class.ts';

/** A node or a timer in progress, or a wait, with the outcomes that are explored together. */
export type Unit =
  | { readonly kind: 'done' | 'error'; readonly live: Extract<InProgress, { readonly type: 'start' }> }
  | { readonly kind: 'timer'; readonly live: Extract<InProgress, { readonly type: 'delay' }> }
  | { readonly kind: 'wait'; readonly path: string; readonly accepts: readonly string[] };

/** Returns what may end at a position, in an order that depends on nothing but its configuration. */
export function unitsOf(inProgress: readonly InProgress[], waits: Position['waits']): readonly Unit[] {
  const units: Unit[] = [];
  for (const live of inProgress.length > 1 ? inProgress.toSorted((a, b) => (a.id < b.id ? -1 : 1)) : inProgress) {
    if (live.type === 'delay') units.push({ kind: 'timer', live });
    else units.push({ kind: 'done', live }, { kind: 'error', live });
  }
  for (const { path, accepts } of waits) units.push({ kind: 'wait', path, accepts });
  return units;
}

/** Returns true for an outcome that can end a unit: none for a timer. */
export function fits(unit: Unit, outcome: OutcomeClass | undefined): boolean {
  if (unit.kind === 'timer' || !outcome) return unit.kind === 'timer';
  if (unit.kind === 'wait') return 'event' in outcome && unit.accepts.includes(outcome.event.type);
  return unit.kind === 'error' ? 'error' in outcome : 'patch' in outcome;
}

/** Returns the kind of the moves by a unit. */
export const kindOf = ({ kind }: Unit): 'node' | 'timer' | 'wait' => (kind === 'done' || kind === 'error' ? 'node' : kind);

/** Returns what has ended, and by which outcome. */
export const endOf = (unit: Unit, outcome: OutcomeClass | undefined): { readonly by: string; readonly outcome: string } =>
  unit.kind === 'timer' ? timerOf(unit.live.name) : { by: unit.kind === 'wait' ? unit.path : unit.live.path, outcome: nameOf(outcome) };

function timerOf(name: string): { readonly by: string; readonly outcome: string } {
  const at = name.lastIndexOf(' after ');
  return { by: name.slice(0, at), outcome: name.slice(at + 1) };
}

const names = new WeakMap<OutcomeClass, string>();

function nameOf(outcome: OutcomeClass | undefined): string {
  if (!outcome) return '';
  const known = names.get(outcome);
  if (known !== undefined) return known;
  const name = nameOfOutcome(outcome);
  names.set(outcome, name);
  return name;
}
