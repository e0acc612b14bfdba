import type { JsonObject } from './json.ts';

declare const validated: unique symbol;

/** A model's tool call whose name and arguments were checked. Made by `parseToolCall` alone. */
export interface ValidatedCall<TName extends string = string, TArgs = JsonObject> {
  readonly [validated]: true;
  /** The model's own id, for the message that answers it. Not unique across replies. */
  readonly id: string;
  readonly name: TName;
  readonly args: TArgs;
}
