import type { JsonObject } from './json.ts';

declare const validated: unique symbol;

/** A tool call with a checked name and checked arguments. `parseToolCall` creates it from a model's call. */
export interface ValidatedCall<TName extends string = string, TArgs = JsonObject> {
  readonly [validated]: true;
  /** The model's own id, used in the message with the result. Not unique across replies. */
  readonly id: string;
  readonly name: TName;
  readonly args: TArgs;
}
