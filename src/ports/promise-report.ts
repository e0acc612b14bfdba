import type { JsonObject } from './json.ts';

/** What a machine promises, and what became of looking into it. */
export interface PromiseReport {
  /** It was looked everywhere that the machine can go. */
  readonly complete: boolean;
  /** Where it was not looked, in words. */
  readonly cutOff: readonly string[];
  /** How many places were found. */
  readonly places: number;
  readonly promises: readonly PromiseVerdict[];
}

export interface PromiseVerdict {
  /** As a sentence. */
  readonly name: string;
  /** Absent: nobody has looked. */
  readonly holds?: boolean;
  /** Why it does not hold, as a sentence. */
  readonly why?: string;
  /** A shortest way to where it does not hold. */
  readonly way?: CounterexampleWay;
}

/** Each step begins where the one before it has led. */
export interface CounterexampleWay {
  readonly start: WayPlace;
  readonly steps: readonly WayStep[];
  /** It goes on for ever from the step with this index on. */
  readonly loopFrom?: number;
}

export interface WayPlace {
  /** Paths of the active states, innermost ones only. */
  readonly active: readonly string[];
  /** Those of them that wait for a human. */
  readonly waiting: readonly string[];
  readonly done: boolean;
  /** A state that stands for all that are alike here. */
  readonly state: JsonObject;
}

export interface WayStep {
  /** Path of the state whose node, timer or wait has ended. */
  readonly by: string;
  readonly kind: 'node' | 'timer' | 'wait';
  /** What it ended with. */
  readonly outcome: string;
  /** The edges that were taken. */
  readonly edges: readonly { readonly from: string; readonly on: string; readonly guard?: string }[];
  readonly to: WayPlace;
}
