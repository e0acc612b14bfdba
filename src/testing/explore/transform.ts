import type { MachineContext } from 'xstate';

/**
 * A change of the state that depends on the state: a reducer with a patch, the patch of an event or an error, or outcomes that a function
 * gives.
 */
export interface Transform {
  /** What makes it, the same for equal ones. */
  readonly name: string;
  /** Keys of the state that decide the result. */
  readonly reads: ReadonlySet<string>;
  /** True if its results are lists that may grow without end, and that take long to make. */
  readonly isSlow: boolean;
  /** True for a patch that a node may return, so that it does not matter which of them it is. */
  readonly isDelta: boolean;
  /** Returns the patch that it makes of a state, whatever the value of a key; `undefined` if the value may decide the patch. */
  patchBeside?(key: string, state: MachineContext): Partial<MachineContext> | undefined;
  /** Returns the changed states; empty if the change is impossible. */
  results(state: MachineContext): readonly MachineContext[];
}

/** Returns the changed states, none if the change throws. */
export function resultsOf({ results }: Transform, state: MachineContext): readonly MachineContext[] {
  try {
    return results(state);
  } catch {
    return [];
  }
}
