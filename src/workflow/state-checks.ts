import type { MachineContext } from 'xstate';

/** What the schema of a state checks. */
export interface StateChecks {
  /** Refuses what a caller gives, or turns it into the first state. @throws {WorkflowError} `INPUT_INVALID`. */
  parseInput(input: unknown): unknown;
  /** @throws {WorkflowError} `PATCH_INVALID` for a patch whose values do not fit. */
  checkPatch(patch: Readonly<Record<string, unknown>>, state: MachineContext): void;
}
