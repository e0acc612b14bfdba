import type { JsonObject } from '../../core/ports/json.ts';

/** Moves waiting runs of an earlier machine version into this one. */
export interface Migration<TState> {
  /** The version or versions to migrate from. */
  readonly from: string | readonly string[];
  /** Returns the run's state in this version; pure. Default: unchanged. */
  state?(old: JsonObject): TState;
  /**
   * Returns the paths of the waiting states in this version, from those in the old one; pure. Default: unchanged.
   * @param state result of `state`.
   */
  position?(old: readonly string[], state: TState): readonly string[];
}
