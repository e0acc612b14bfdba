import type { ErrorCode } from '../../errors.ts';
import type { JsonObject } from '../../ports/json.ts';
import type { HumanEvent } from '../../runtime/host.ts';

/** What becomes of a node: a change of the state, or an error with this code. */
export type NodeOutcome = { readonly patch: JsonObject } | { readonly error: ErrorCode };

/** One thing that happens to a run: a node at work ends, a human says something, or a timer falls due. */
export type TapeAct = ({ readonly node: string } & NodeOutcome) | { readonly event: HumanEvent } | { readonly timer: string };

/** Everything that comes to a run from outside, in its order: the same tape is the same run, on every engine. */
export interface Tape {
  readonly input: unknown;
  /** Nodes by the paths of their states, timers by their names, such as `review after 1000`. */
  readonly acts: readonly TapeAct[];
}
