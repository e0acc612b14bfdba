import type { MachineContext } from 'xstate';
import type { JsonObject } from '../../core/ports/json.ts';

/** Checks made by the schema of a state. */
export interface StateChecks {
  /** Converts a caller's input to the first state. @throws {WorkflowError} `INPUT_INVALID`. */
  parseInput(input: unknown): unknown;
  /** Schema of a caller's input, so that tests can generate one. */
  inputSchema(): JsonObject;
  /** Schema of the state, so that tests can try its values. */
  stateSchema(): JsonObject;
  /** Parses a patch. @throws {WorkflowError} `PATCH_INVALID` if the patch does not fit or makes the state invalid. */
  readPatch(patch: JsonObject, state: MachineContext): JsonObject;
  /** Schema of an event's payload, so that tests can generate one; `undefined` for an event without payload. */
  eventSchema(type: string): JsonObject | undefined;
}
