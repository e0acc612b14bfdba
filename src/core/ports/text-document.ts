/** Source text of passages. */
export interface TextDocument {
  /** Name of the source, for example `docs/concepts.md`. */
  readonly name: string;
  /** Markdown or plain text. */
  readonly text: string;
  /** Notices for the reader, for example that tracked changes count as accepted. */
  readonly notices?: readonly string[];
}
