/** The text of a file, with notices for its reader. */
export interface ReadText {
  readonly text: string;
  /** For example: pending changes were read as accepted. */
  readonly notices: readonly string[];
}

/** Returns the notice for tracked changes. They are read as accepted, and the reader of the answer must know it. */
export const changesAccepted = (what: string): string =>
  `The document has tracked changes (${what}). They are read as accepted. Insertions are in the text, deletions are not.`;
