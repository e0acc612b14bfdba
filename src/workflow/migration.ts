import type { JsonObject } from '../ports/json.ts';

/** How runs that wait in an earlier version of a machine go on in this one. */
export interface Migration<TState> {
  /** The version, or versions, whose runs are taken over. */
  readonly from: string | readonly string[];
  /** The state that the run has in this version; pure. Default: the one that it has. */
  state?(old: JsonObject): TState;
  /**
   * Paths of the states that it waits in in this version, of those that it waits in now; pure. Default: the same.
   * @param state as `state` has made it.
   */
  position?(old: readonly string[], state: TState): readonly string[];
}
