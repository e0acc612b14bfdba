import type { JsonObject } from './json.ts';

/** A machine's promises and the result of checking them. */
export interface PromiseReport {
  /** True when the check reached every place of the machine. */
  readonly complete: boolean;
  /** Reasons why the check is incomplete, in words. */
  readonly cutOff: readonly string[];
  /** Number of places found. */
  readonly places: number;
  readonly promises: readonly PromiseVerdict[];
}

export interface PromiseVerdict {
  /** The promise as a sentence. */
  readonly name: string;
  /** Absent: not checked. */
  readonly verdict?: 'holds' | 'broken' | 'undecided';
  /** Reason of a broken promise, as a sentence. */
  readonly why?: string;
  /** Reasons of an undecided promise. */
  readonly reasons?: readonly UndecidedReason[];
  /** A shortest counterexample. */
  readonly way?: CounterexampleWay;
}

/** Reason why a promise is neither proven nor disproven. */
export interface UndecidedReason {
  readonly code: UndecidedCode;
  /** The gap as a sentence. */
  readonly message: string;
  /** Advice that would decide it. */
  readonly hint: string;
}

export type UndecidedCode =
  /** No tried payload of an event was accepted, so nothing behind the event was explored. */
  | 'EVENT_WITHOUT_EXAMPLE'
  /** There are more places than `maxStates`. */
  | 'TOO_MANY_PLACES'
  /** A node can return more combinations of values than were tried. */
  | 'TOO_MANY_COMBINATIONS'
  /** A guard gave the same answer for every tried value, or a patch did not change with a key that it reads. */
  | 'GUARD_ONE_SIDED'
  /** A question of the promise, such as `took('review', 'REJECT')`, is true at no moment. */
  | 'NEVER_ASKED'
  /** No tried value breaks the promise, at any moment. */
  | 'NEVER_BREAKABLE'
  /** Values kept growing, or states that were merged continue differently. */
  | 'STILL_GROWING';

/** Each step starts where the step before it ends. */
export interface CounterexampleWay {
  readonly start: WayPlace;
  readonly steps: readonly WayStep[];
  /** Index of the step where an endless loop starts. */
  readonly loopFrom?: number;
}

export interface WayPlace {
  /** Paths of the active states, innermost ones only. */
  readonly active: readonly string[];
  /** States that wait for a human. */
  readonly waiting: readonly string[];
  readonly done: boolean;
  /** One state that represents all equivalent ones at this place. */
  readonly state: JsonObject;
}

export interface WayStep {
  /** Path of the state whose node, timer or wait has ended. */
  readonly by: string;
  readonly kind: 'node' | 'timer' | 'wait';
  /** Outcome of that node, timer or wait. */
  readonly outcome: string;
  /** Edges taken in this step. */
  readonly edges: readonly { readonly from: string; readonly on: string; readonly guard?: string }[];
  readonly to: WayPlace;
}
