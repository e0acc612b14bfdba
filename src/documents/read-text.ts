/** What a file says, and what its reader should be told of it. */
export interface ReadText {
  readonly text: string;
  /** For example that changes which nobody has accepted yet were read as accepted. */
  readonly notices: readonly string[];
}

/** Tracked changes are read as if they were accepted: whoever reads the answer must know. */
export const changesAccepted = (what: string): string =>
  `The document has tracked changes (${what}). They were read as accepted: what was inserted is in the text, what was deleted is not.`;
