import type { MachineContext } from 'xstate';
import type { JsonObject } from '../ports/json.ts';

/** What the schema of a state checks. */
export interface StateChecks {
  /** Refuses what a caller gives, or turns it into the first state. @throws {WorkflowError} `INPUT_INVALID`. */
  parseInput(input: unknown): unknown;
  /** The patch as the schema reads it. @throws {WorkflowError} `PATCH_INVALID` for one that does not fit, or after which the state does not. */
  readPatch(patch: JsonObject, state: MachineContext): JsonObject;
  /** What an event of this type carries, for tests that make some; `undefined` when it carries nothing. */
  eventSchema(type: string): JsonObject | undefined;
}
