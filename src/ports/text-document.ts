/** A text that passages are made from. */
export interface TextDocument {
  /** Where it is from, for example `docs/concepts.md`. */
  readonly name: string;
  /** Markdown or plain text. */
  readonly text: string;
  /** What a reader should be told of it, for example that tracked changes were read as accepted. */
  readonly notices?: readonly string[];
}
