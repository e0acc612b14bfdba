import type { ErrorCode } from '../../core/errors/errors.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { JsonObject } from '../../core/ports/json.ts';

/** Outcome of a node: a patch of the state, or an error with this code. */
export type NodeOutcome = { readonly patch: JsonObject } | { readonly error: ErrorCode };

/** One act in a run: a node ends, a human sends an event, or a timer fires. */
export type TapeAct = ({ readonly node: string } & NodeOutcome) | { readonly event: HumanEvent } | { readonly timer: string };

/** All external inputs of a run, in order. The same tape gives the same run on every engine. */
export interface Tape {
  readonly input: unknown;
  /** Nodes by the paths of their states, timers by their names, such as `review after 1000`. */
  readonly acts: readonly TapeAct[];
}
